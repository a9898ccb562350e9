"""Where the faces of this subject are: memory."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "memory",
    rank=270,
)
