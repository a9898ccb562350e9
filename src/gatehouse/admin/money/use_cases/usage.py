"""What an account has used: its requests by day and operation, and what they were charged."""

from typing import Final

from gatehouse.access.accounts import Account
from gatehouse.billing.statement import Period
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts, usage
from gatehouse.store.accounts.usage import UsageLine
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.scopes import account_reading

__all__ = ["UsageLine"]

_USAGE_DAYS: Final = Phrase(
    "refused.usage_days", "usage is shown for {most} days at most; choose a shorter period"
)

MOST_DAYS = 92
"""Every request of the period is looked at."""


def account_usage(
    session: AdminSession, account_id: str, period: Period
) -> tuple[Account, list[UsageLine]]:
    """The account, and its requests of a period by day and operation."""
    if (period.end - period.first).days > MOST_DAYS:
        raise InvalidInput(_USAGE_DAYS(most=MOST_DAYS))
    with account_reading(session, account_id) as connection:
        account = accounts.get(connection, account_id)
        return account, usage.usage(connection, account_id, period)
