"""Where the faces of this subject are: outcomes of payments."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "outcomes",
    rank=241,
    commands=(
        CommandPlace("outcomes", "command:app", "What became of payments: settled, disputed."),
    ),
    use_cases=(
        "use_cases.tell",
        "use_cases.listing",
        "use_cases.reporting",
        "use_cases.joining",
    ),
    pages=("pages:PAGES",),
)
