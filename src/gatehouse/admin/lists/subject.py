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
    use_cases=("use_cases.lists", "use_cases.entries"),
    pages=("pages.lists:PAGES",),
)
