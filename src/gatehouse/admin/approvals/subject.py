"""Where the faces of this subject are: approvals."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "approvals",
    rank=80,
    commands=(
        CommandPlace(
            "proposals",
            "command:app",
            "Two pairs of eyes: changes that one person proposes and another approves.",
        ),
    ),
    pages=("pages:PAGES",),
    without={
        "use_cases": "Two people approve; a key is no person.",
    },
)
