"""Where the faces of this subject are: privacy."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "privacy",
    rank=290,
    commands=(
        CommandPlace(
            "retention", "command.retention:app", "How long data is kept; deletes what is older."
        ),
        CommandPlace(
            "privacy", "command.privacy:app", "The rights of a person: export and erase everything."
        ),
    ),
    use_cases=("use_cases.erasure_job",),
    without={
        "pages": "Personal data in clear leaves the service only at a terminal.",
    },
)
