"""Where the faces of this subject are: feedback."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "feedback",
    rank=240,
    commands=(
        CommandPlace(
            "feedback", "command:app", "What requests turned out to be: fraud or legitimate."
        ),
    ),
    use_cases=("use_cases.bulk",),
    operations=("routes:OPERATIONS",),
    without={
        "pages": "A decision's page and the queue of reviews take feedback.",
    },
)
