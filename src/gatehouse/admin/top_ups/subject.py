"""Where the faces of this subject are: top-ups by card."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "top_ups",
    rank=52,
    commands=(CommandPlace("top-ups", "command:app", "Top-ups by card, on the provider's page."),),
    use_cases=("use_cases",),
    pages=("pages:PAGES",),
)
