"""Where the faces of this subject are: backup."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "backup",
    rank=310,
    without={
        "commands": "Its commands are those of the installation.",
        "use_cases": "All data is the operator's.",
        "pages": "All data is the operator's.",
    },
)
