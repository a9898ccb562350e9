"""Where the faces of this subject are: jobs."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "jobs",
    rank=280,
    commands=(
        CommandPlace(
            "jobs", "command:app", "Long work that was asked for over the management API."
        ),
    ),
    use_cases=("use_cases",),
    without={
        "pages": "The pages of what a job does show it.",
    },
)
