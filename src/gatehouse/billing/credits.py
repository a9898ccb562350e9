"""Credits that expire: which of them is spent first, and what of one is taken back at its end.

What is spent comes from the credit that expires soonest, before all other money. Requests need
not say which: whenever a balance is moved in another way, what was charged since the last time is
the difference of the balances, and is taken from the credits then.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Final

import msgspec

from gatehouse.billing.ledger import AccountState
from gatehouse.billing.statement import DAY_MS
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase

_CREDIT_DAY: Final = Phrase(
    "refused.credit_day",
    "a credit can be used until a day from today on, written YYYY-MM-DD, at most ten years ahead",
)
_CREDIT_POSITIVE: Final = Phrase(
    "refused.credit_positive", "only an amount that is added can expire"
)
TOLD_BEFORE_MS: Final = 7 * DAY_MS
"""How long before its end an account is told of a credit."""
_LONGEST_DAYS: Final = 3660


class Credit(msgspec.Struct, frozen=True):
    """An amount that was added and expires."""

    entry: str
    """The adjustment that added it."""
    amount: int
    left: int
    """What of it is not spent."""
    expires_at_ms: int


def after_spending(credits: Iterable[Credit], spent: int) -> list[Credit]:
    """The credits after something was spent, the one that expires soonest first."""
    found = []
    for each in sorted(credits, key=lambda each: (each.expires_at_ms, each.entry)):
        used = min(each.left, max(spent, 0))
        spent -= used
        found.append(msgspec.structs.replace(each, left=each.left - used))
    return found


def unused(credit: Credit, state: AccountState) -> int:
    """What is taken back: never what is held for requests, nor more than the account has."""
    return max(0, min(credit.left, state.balance - state.held))


def check_expiry(amount: int, until: str, now_ms: int) -> int:
    """The first moment after the last day, in UTC, on which a credit can be used."""
    if amount <= 0:
        raise InvalidInput(_CREDIT_POSITIVE())
    today = datetime.fromtimestamp(now_ms / 1000, UTC).date()
    try:
        last = date.fromisoformat(until)
    except ValueError:
        raise InvalidInput(_CREDIT_DAY()) from None
    if len(until) != len("2026-01-31") or not 0 <= (last - today).days <= _LONGEST_DAYS:
        raise InvalidInput(_CREDIT_DAY())
    return (last + timedelta(days=1) - date(1970, 1, 1)).days * DAY_MS


def last_day(expires_at_ms: int) -> str:
    """The last day on which a credit can be used."""
    return datetime.fromtimestamp(expires_at_ms / 1000 - 1, UTC).date().isoformat()
