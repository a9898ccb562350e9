"""Where the faces of this subject are: installation."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "installation",
    rank=10,
    commands=(
        CommandPlace(
            "backup",
            "command.installation:backup",
            "Write a consistent, checked copy of the database; the service may go on running.",
        ),
        CommandPlace(
            "restore",
            "command.installation:restore",
            "Put a backup in the place of the database; all servers must be stopped.",
        ),
        CommandPlace(
            "copy",
            "command.installation:copy",
            "Copy all data to another database, such as from SQLite to PostgreSQL.",
        ),
        CommandPlace(
            "doctor",
            "command.installation:doctor",
            "Go through the go-live list; each point that is open says what to do.",
        ),
        CommandPlace(
            "migrate",
            "command.installation:migrate",
            "Create or upgrade the database. A sandbox does this by itself, production never.",
        ),
        CommandPlace(
            "health", "command.health:health", "Ask the server of this machine whether it answers."
        ),
        CommandPlace("top", "command.top:top", "Watch what running servers do, page by page."),
    ),
    without={
        "use_cases": "The installation is the operator's.",
        "pages": "A server that must be looked after is looked after at a terminal.",
    },
)
