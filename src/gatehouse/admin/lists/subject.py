"""Where the faces of this subject are: lists."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "lists",
    rank=130,
    commands=(
        CommandPlace(
            "lists",
            "command:app",
            "Lists of cards, networks, mailboxes and the like, for rules to look things up on.",
        ),
    ),
    endpoints=("routes.lists:LIST_ENDPOINTS",),
    pages=("pages.lists:PAGES",),
)
