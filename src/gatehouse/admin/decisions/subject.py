"""Where the faces of this subject are: decisions."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "decisions",
    rank=190,
    commands=(
        CommandPlace("decisions", "command.decisions:app", "Records of what was decided, and why."),
    ),
    pages=("pages.decision:PAGES",),
    without={
        "use_cases": "Its operations are routes of `api/v1.py`.",
    },
)
