"""Where the faces of this subject are: identities."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "identities",
    rank=90,
    commands=(
        CommandPlace(
            "identities",
            "command.identities:app",
            "Authoritative records of who holds which card; ID Verify compares with them.",
        ),
    ),
    use_cases=("use_cases.of_account",),
    without={
        "pages": "Personal data in clear leaves the service only at a terminal.",
    },
)
