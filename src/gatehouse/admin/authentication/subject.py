"""Where the faces of this subject are: strong customer authentication."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "authentication",
    rank=244,
    commands=(
        CommandPlace(
            "authentication", "command:app", "Advice on authentication, and rates of fraud for it."
        ),
    ),
    use_cases=("use_cases.settings", "use_cases.rates"),
    pages=("pages:PAGES",),
)
