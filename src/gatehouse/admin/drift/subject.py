"""Where the faces of this subject are: drift."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "drift",
    rank=265,
    commands=(
        CommandPlace("drift", "command:app", "What is not as usual in requests, rules and labels."),
    ),
    use_cases=("use_cases",),
    without={
        "pages": "The page of the models shows it.",
    },
)
