"""Where the faces of this subject are: usage."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "usage",
    rank=50,
    commands=(
        CommandPlace(
            "usage", "command:usage", "Count requests by key, pipeline or tag, with fees."
        ),
    ),
    use_cases=("use_cases",),
    pages=("pages:PAGES",),
)
