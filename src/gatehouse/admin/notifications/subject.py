"""Where the faces of this subject are: notifications of providers."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "notifications",
    rank=151,
    commands=(
        CommandPlace(
            "notifications",
            "command:app",
            "What providers told of payments by themselves, and where they send it.",
        ),
    ),
    use_cases=("use_cases.notifications",),
    pages=("pages:PAGES",),
)
