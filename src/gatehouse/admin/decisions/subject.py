"""Where the faces of this subject are: decisions."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "decisions",
    rank=190,
    commands=(
        CommandPlace("decisions", "command.decisions:app", "Records of what was decided, and why."),
    ),
    operations=("routes:OPERATIONS",),
    pages=("pages.decision:PAGES",),
)
