"""Where the faces of this subject are: accounts."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "accounts",
    rank=30,
    commands=(
        CommandPlace("accounts", "command:app", "Accounts: merchants and payment providers."),
    ),
    endpoints=("routes:ACCOUNT_ENDPOINTS",),
    pages=(
        "pages.home:PAGES",
        "pages.settings:PAGES",
        "pages.accounts:PAGES",
    ),
)
