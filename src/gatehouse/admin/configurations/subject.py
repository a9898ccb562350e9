"""Where the faces of this subject are: configurations."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "configurations",
    rank=110,
    endpoints=("routes:CONFIGURED_ENDPOINTS",),
    without={
        "commands": "Its commands are those of rule sets and pipelines.",
        "pages": "Its pages are those of rule sets and pipelines.",
    },
)
