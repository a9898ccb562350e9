"""Where the faces of this subject are: payments."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "payments",
    rank=150,
    commands=(
        CommandPlace(
            "payments", "command.operating:app", "Payments that stand: capture, void, refund them."
        ),
        CommandPlace(
            "gateway",
            "command.in_doubt:app",
            "Payments whose end at the gateway was not known; they are reversed.",
        ),
    ),
    use_cases=("use_cases.operating",),
    pages=("pages:PAGES",),
)
