"""Where the faces of this subject are: money."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "money",
    rank=50,
    commands=(
        CommandPlace(
            "statement",
            "command.statement:statement",
            "Print what moved a balance, by month or dates.",
        ),
        CommandPlace("balance", "command.money:balance", "Prepaid balances."),
        CommandPlace("prices", "command.money:prices", "The fee schedule of an account."),
        CommandPlace("ledger", "command.money:ledger", "The ledger: every movement of money."),
    ),
    use_cases=("use_cases.money", "use_cases.statements"),
    operations=("routes:OPERATIONS",),
    pages=("pages.money:PAGES",),
)
