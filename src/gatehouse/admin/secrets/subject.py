"""Where the faces of this subject are: secrets."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "secrets",
    rank=320,
    commands=(
        CommandPlace("secrets", "command:app", "The root secret and the ring of keys it wraps."),
    ),
    without={
        "use_cases": "Keys of the installation are the operator's.",
        "pages": "The root secret never passes a browser.",
    },
)
