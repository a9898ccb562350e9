"""Where the faces of this subject are: intel."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "intel",
    rank=100,
    commands=(
        CommandPlace("intel", "command:app", "What is known about addresses, and where from."),
    ),
    without={
        "use_cases": "The tables are the installation's.",
        "pages": "They are read again from files at a terminal.",
    },
)
