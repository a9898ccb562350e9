"""Where the faces of this subject are: live experiments."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "experiments",
    rank=266,
    commands=(
        CommandPlace("experiments", "command:app", "Two rule sets or models on live requests."),
    ),
    use_cases=("use_cases",),
    pages=("pages:PAGES",),
)
