"""Where the faces of this subject are: invoices."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "invoices",
    rank=55,
    commands=(
        CommandPlace("invoices", "command:app", "Invoices and credit notes of closed months."),
    ),
    use_cases=("use_cases.invoices", "use_cases.parties"),
    pages=("pages.invoices:PAGES", "pages.all_accounts:PAGES"),
)
