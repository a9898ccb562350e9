"""What an account has used: its requests by day and operation, and what they were charged."""

from typing import Final

from gatehouse.access.roles import Permission
from gatehouse.admin.money.types import PeriodQuery, UsageEntry, UsageResponse
from gatehouse.core.api_values import money
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts, usage
from gatehouse.store.admin.admin_session import Reading
from gatehouse.store.admin.use_case import use_case

_USAGE_DAYS: Final = Phrase(
    "refused.usage_days", "usage is shown for {most} days at most; choose a shorter period"
)

_MOST_DAYS: Final = 92
"""Every request of the period is looked at."""


@use_case(
    "GET /usage",
    scope="manage:billing",
    permission=Permission.SEE_MONEY,
    operation="getUsage",
    answers="usageResponse",
)
def get_usage(reading: Reading, account_id: str, wanted: PeriodQuery) -> UsageResponse:
    """Usage.

    Decided requests by day and operation, and what they were charged, of a month (by default this)
    or of up to 92 days.
    """
    period = wanted.period(reading.now_ms)
    if (period.end - period.first).days > _MOST_DAYS:
        raise InvalidInput(_USAGE_DAYS(most=_MOST_DAYS))
    currency = accounts.currency_of(reading.connection, account_id)
    entries = [
        UsageEntry(each.day, each.operation, each.requests, money(currency, each.charged))
        for each in usage.usage(reading.connection, account_id, period)
    ]
    return UsageResponse(first=period.first, end=period.end, usage=entries)
