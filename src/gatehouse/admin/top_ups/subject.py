"""Where the faces of this subject are: top-ups by card."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "top_ups",
    rank=52,
    commands=(
        CommandPlace("top-ups", "command:app", "Top-ups by card, on the provider's page."),
        CommandPlace("top-up-limit", "command:limit", "The most that cards are charged in a day."),
        CommandPlace(
            "auto-top-up", "command:automatic", "Automatic top-ups with a stored card, at a floor."
        ),
    ),
    use_cases=("use_cases.top_ups", "use_cases.auto_top_ups", "use_cases.limits"),
    pages=("pages:PAGES",),
)
