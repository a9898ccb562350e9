"""Where the faces of this subject are: events."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "events",
    rank=250,
    commands=(
        CommandPlace(
            "events", "command:app", "What happened to an account, as its programs are told."
        ),
    ),
    use_cases=("use_cases.event_settings",),
    operations=("routes:OPERATIONS",),
    without={
        "pages": "Settings of events are on the account's page.",
    },
)
