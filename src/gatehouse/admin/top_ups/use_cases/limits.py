"""The most that an account's cards are charged in a day, by top-ups of every kind.

Each top-up is begun under the lock on changes, so the limit holds exactly for all servers together.
What can still be paid counts on every day until it has ended.
"""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from gatehouse.access.accounts import Account
from gatehouse.access.actors import ActorKind
from gatehouse.access.rights import Right
from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.top_ups.queries import auto_top_ups, top_ups
from gatehouse.admin.top_ups.types import AutoTopUpReason, TopUpLimit, TopUpLimitShown
from gatehouse.core.clock import Moment, iso_time
from gatehouse.core.errors import Conflict
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import minor_digits, shown_amount
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import Change, Reading
from gatehouse.store.admin.use_case import use_case

LOOKING: Final[dict[str, Any]] = {"scope": "manage:billing", "permission": Permission.SEE_MONEY}
MOVING: Final[dict[str, Any]] = {"scope": "manage:payments", "permission": Permission.PAYMENTS}
"""What moves money answers how it stands, so both are needed for it."""
_ANSWERS: Final = "topUpLimitResponse"
_POLICY: Final = "topUps"
_DAY_LIMIT: Final = "dayLimitMinor"
_REACHED: Final = Phrase(
    "refused.top_up_day_limit",
    "cards of this account are charged at most {most} {currency} in a day, tax included; of that "
    "{left} {currency} is left until {until}",
)
_PERSON_RAISES: Final = Phrase(
    "refused.top_up_limit_key", "a key can lower this limit; a person raises it"
)


class DayLimitReached(Conflict):
    """A top-up is larger than what is left of the day's limit."""

    until_ms: int


@use_case("GET /top-up-limit", answers=_ANSWERS, **LOOKING)
def get_top_up_limit(reading: Reading, account_id: str) -> TopUpLimitShown:
    """Show the limit of a day.

    The most that cards are charged in a day by top-ups, and what is left of it.
    """
    return _shown(reading, accounts.get(reading.connection, account_id))


@use_case("PUT /top-up-limit", answers=_ANSWERS, **MOVING)
def set_top_up_limit(change: Change, account_id: str, given: TopUpLimit) -> TopUpLimitShown:
    """Set the limit of a day.

    It holds for top-ups of every kind together. It needs the scope `manage:billing`, too; a key
    can lower it, and a person raises it.
    """
    change.actor.check(Right.MOVE_MONEY)
    kept = _limit(accounts.get(change.connection, account_id))
    if kept is not None and given.day_limit_minor > kept:
        if change.actor.kind is ActorKind.KEY:
            raise Conflict(_PERSON_RAISES())
        check_approved(change, account_id, ApprovalKind.TOP_UPS)
    limit = {_DAY_LIMIT: given.day_limit_minor}
    accounts.keep_policy(change, account_id, _POLICY, limit)
    change.audit("top-up.limit", account_id, **limit, previous=kept)
    auto = auto_top_ups.find(change.connection, account_id, lock=True)
    if auto is not None and auto.reason is AutoTopUpReason.DAILY_LIMIT:
        auto_top_ups.write(
            change, account_id, reason=None, paused_until_ms=None, next_at_ms=change.now_ms
        )
    change.actor.check(Right.SEE_MONEY)
    return _shown(change, accounts.get(change.connection, account_id))


def check_day_limit(change: Change, account: Account, minor: int) -> None:
    """Refuse what is beyond the limit of a day, and under one whoever may move no money."""
    shown, unit = _shown(change, account), minor_micros(account.currency)
    if shown.day_limit_minor is None or shown.left_minor is None:
        return
    change.actor.check(Right.MOVE_MONEY)
    if minor <= shown.left_minor:
        return
    most, left = (
        shown_amount(each * unit, account.currency)
        for each in (shown.day_limit_minor, shown.left_minor)
    )
    until = iso_time(shown.until)
    said = {"most": most, "left": left, "until": until, "currency": account.currency}
    refused = DayLimitReached(_REACHED(**said))
    refused.until_ms = shown.until
    raise refused


def minor_micros(currency: str) -> int:
    """The smallest unit of a currency in millionths."""
    return int(MICROS_PER_UNIT // 10 ** (minor_digits(currency) or 0))


def _limit(account: Account) -> int | None:
    limit: int | None = account.policies.get(_POLICY, {}).get(_DAY_LIMIT)
    return limit


def _shown(at: Change | Reading, account: Account) -> TopUpLimitShown:
    day = datetime.fromtimestamp(at.now_ms / 1000, UTC)
    day = day.replace(hour=0, minute=0, second=0, microsecond=0)
    start_ms, until_ms = (int(each.timestamp() * 1000) for each in (day, day + timedelta(days=1)))
    limit = _limit(account)
    charged = top_ups.charged_since(at.connection, account.account_id, start_ms)
    left = None if limit is None else max(0, limit - charged)
    return TopUpLimitShown(limit, charged, left, account.currency, Moment(until_ms))
