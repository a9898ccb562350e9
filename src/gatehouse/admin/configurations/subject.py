"""Where the faces of this subject are: configurations."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "configurations",
    rank=110,
    endpoints=("routes:CONFIGURED_ENDPOINTS",),
)
