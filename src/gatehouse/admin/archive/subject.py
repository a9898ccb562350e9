"""Where the faces of this subject are: archive."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "archive",
    rank=230,
)
