"""Where the faces of this subject are: webhooks."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "webhooks",
    rank=170,
    commands=(
        CommandPlace(
            "webhooks", "command:app", "Webhooks: who is told of what happens, and how it went."
        ),
    ),
    use_cases=("use_cases.endpoints", "use_cases.messages"),
    pages=("pages:PAGES",),
)
