"""Where the faces of this subject are: people."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "people",
    rank=60,
    commands=(
        CommandPlace("users", "command:app", "People who sign in to the console, and their roles."),
    ),
    pages=(
        "pages.people:PAGES",
        "pages.profile:PAGES",
    ),
    without={
        "use_cases": "People sign in to the console; a key is no person.",
    },
)
