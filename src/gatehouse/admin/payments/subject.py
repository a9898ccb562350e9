"""Where the faces of this subject are: payments."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "payments",
    rank=150,
    commands=(
        CommandPlace(
            "gateway",
            "command:app",
            "Payments whose end at the gateway was not known; they are reversed.",
        ),
    ),
    without={
        "use_cases": "What the gateway left in doubt is the operator's.",
        "pages": "A decision's page shows its payment.",
    },
)
