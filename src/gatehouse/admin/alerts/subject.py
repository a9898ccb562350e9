"""Where the faces of this subject are: alerts."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "alerts",
    rank=205,
    commands=(CommandPlace("alerts", "command:app", "Attacks, feasts and outages."),),
    use_cases=("use_cases",),
    pages=("pages:PAGES",),
)
