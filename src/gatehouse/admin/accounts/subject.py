"""Where the faces of this subject are: accounts."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "accounts",
    rank=30,
    commands=(
        CommandPlace("accounts", "command:app", "Accounts: merchants and payment providers."),
    ),
    use_cases=(
        *("use_cases.accounts", "use_cases.policies", "use_cases.found_inputs"),
        "use_cases.costs",
    ),
    pages=(
        "pages.home:PAGES",
        "pages.settings:PAGES",
        "pages.accounts:PAGES",
    ),
)
