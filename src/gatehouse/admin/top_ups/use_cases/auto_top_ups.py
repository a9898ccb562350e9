"""Automatic top-ups: when the stored card is charged, how far, and that it is deleted."""

import operator
from datetime import UTC, datetime
from typing import Any, Final

from gatehouse.access.rights import Right
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.top_ups.queries import auto_top_ups as queries
from gatehouse.admin.top_ups.queries.auto_top_ups import AutoTopUpState, KeptAutoTopUp
from gatehouse.admin.top_ups.types import AutoTopUpReason, AutoTopUpShown, AutoTopUpWanted
from gatehouse.admin.top_ups.use_cases.limits import LOOKING, MOVING, minor_micros
from gatehouse.admin.top_ups.use_cases.top_ups import check_amount, offered_by
from gatehouse.billing.statement import Period, month_period
from gatehouse.core.clock import moment
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import Change, Reading
from gatehouse.store.admin.use_case import use_case

_ANSWERS: Final = "autoTopUpResponse"
_NO_CARD: Final = Phrase(
    "refused.no_stored_card", "no card is stored; pay a top-up with storeCard first"
)
_NOT_CHARGED: Final = Phrase(
    "refused.stored_card_connector",
    "the card is stored at {connector}, which takes no top-ups now; store a card again",
)


@use_case("GET /auto-top-up", answers=_ANSWERS, **LOOKING)
def get_auto_top_up(reading: Reading, account_id: str) -> AutoTopUpShown:
    """Show automatic top-ups.

    How they are set, whether a card is stored, and whether they pause.
    """
    return _shown(reading, account_id)


@use_case("PUT /auto-top-up", answers=_ANSWERS, unseen=True, **MOVING)
def set_auto_top_up(change: Change, account_id: str, given: AutoTopUpWanted) -> AutoTopUpShown:
    """Set automatic top-ups.

    When the balance is under the floor, the stored card is charged and the amount added, one top-up
    at a time, up to the limit of a calendar month. They need a card, which a person stores by
    paying a top-up with `storeCard`. Turned on after they were off, they begin afresh, but for the
    day after a refusal. It needs the scope `manage:billing`, too.
    """
    change.actor.check(Right.MOVE_MONEY)
    account = accounts.get_open(change.connection, account_id)
    kept = queries.find(change.connection, account_id, lock=True)
    kept = kept or KeptAutoTopUp(account_id=account_id)
    unit = minor_micros(account.currency)
    check_amount(max(given.amount_minor, given.floor_minor) * unit, account.currency)
    wanted = (given.floor_minor * unit, given.amount_minor, given.monthly_limit_minor)
    before = (kept.floor or 0, kept.amount_minor or 0, kept.monthly_limit_minor or 0)
    if given.enabled:
        check_card(change, kept)
        if not kept.is_on or any(map(operator.gt, wanted, before)):
            check_approved(change, account_id, ApprovalKind.TOP_UPS)
    values: dict[str, Any] = {
        "state": AutoTopUpState.ON if given.enabled else AutoTopUpState.OFF,
        **dict(zip(("floor", "amount_minor", "monthly_limit_minor"), wanted, strict=True)),
    }
    # A day's pause after a refusal lasts; a month that was full may have room now.
    next_at_ms = kept.paused_until_ms if kept.reason is AutoTopUpReason.REFUSED else None
    if next_at_ms is None:
        values |= {"paused_until_ms": None, "reason": None, "refusals": 0}
        next_at_ms = change.now_ms
    is_under_way = given.enabled or kept.top_up_id is not None
    values |= {"next_at_ms": next_at_ms if is_under_way else None}
    queries.write(change, account_id, **values)
    said = {"floorMinor": given.floor_minor, "amountMinor": given.amount_minor}
    said |= {"monthlyLimitMinor": given.monthly_limit_minor}
    change.audit("auto-top-up.set", account_id, enabled=given.enabled, **said)
    return _shown(change, account_id)


@use_case(
    "DELETE /auto-top-up/card",
    answers=_ANSWERS,
    unseen=True,
    **MOVING,
)
def delete_stored_card(change: Change, account_id: str) -> AutoTopUpShown:
    """Delete the stored card.

    It is charged no more, and automatic top-ups are off. A charge that the provider was asked for
    already is finished; where nobody learns how it ended, its top-up is left in doubt. It needs the
    scope `manage:billing`, too.
    """
    change.actor.check(Right.MOVE_MONEY)
    kept = queries.find(change.connection, account_id, lock=True)
    if kept is None or kept.sealed_card is None:
        raise Conflict(_NO_CARD())
    queries.write(
        change,
        account_id,
        state=AutoTopUpState.OFF,
        **dict.fromkeys(("connector", "card_end", "key_version", "sealed_card", "card_at_ms")),
        paused_until_ms=None,
        reason=None,
        refusals=0,
        next_at_ms=kept.next_at_ms if kept.top_up_id is not None else None,
    )
    change.audit("auto-top-up.delete-card", account_id)
    return _shown(change, account_id)


def check_card(change: Change, kept: KeptAutoTopUp) -> None:
    """Refuse to charge what is not stored, or not where top-ups are paid now."""
    if kept.sealed_card is None:
        raise Conflict(_NO_CARD())
    offered = offered_by(change.connection, change.session.settings)
    if offered is None or not offered.charges_cards or offered.connector != kept.connector:
        raise Conflict(_NOT_CHARGED(connector=kept.connector))


def month_of(now_ms: int) -> Period:
    """The calendar month of a moment, in UTC."""
    return month_period(f"{datetime.fromtimestamp(now_ms / 1000, UTC):%Y-%m}")


def _shown(at: Change | Reading, account_id: str) -> AutoTopUpShown:
    at.session.actor.check(Right.SEE_MONEY)
    connection, now_ms = at.connection, at.now_ms
    kept = queries.find(connection, account_id) or KeptAutoTopUp(account_id=account_id)
    currency = accounts.get(connection, account_id).currency
    floor, until_ms = kept.floor, kept.paused_until_ms
    pauses = until_ms is not None and until_ms > now_ms
    return AutoTopUpShown(
        enabled=kept.is_on,
        floor_minor=None if floor is None else floor // minor_micros(currency),
        amount_minor=kept.amount_minor,
        monthly_limit_minor=kept.monthly_limit_minor,
        currency=currency,
        this_month_minor=queries.added_since(connection, account_id, month_of(now_ms).start_ms),
        card_stored_at=moment(kept.card_at_ms),
        card_end=kept.card_end,
        top_up_id=kept.top_up_id,
        refusals=kept.refusals,
        paused_until=moment(until_ms) if pauses else None,
        reason=kept.reason if pauses or not kept.is_on else None,
    )
