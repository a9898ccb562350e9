"""Where the faces of this subject are: people."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "people",
    rank=60,
    commands=(
        CommandPlace(
            "users", "command.people:app", "People who sign in to the console, and their roles."
        ),
        CommandPlace("roles", "command.roles:app", "What people may do: roles of permissions."),
    ),
    use_cases=("use_cases.roles",),
    pages=(
        "pages.people:PAGES",
        "pages.roles:PAGES",
        "pages.profile:PAGES",
    ),
)
