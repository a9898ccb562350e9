"""Where the faces of this subject are: backup."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "backup",
    rank=310,
)
