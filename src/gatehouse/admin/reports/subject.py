"""Where the faces of this subject are: reports."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "reports",
    rank=216,
    commands=(CommandPlace("reports", "command:app", "What became of the orders of a month."),),
    use_cases=("use_cases.reports", "use_cases.settings"),
    pages=("pages.reports:PAGES",),
)
