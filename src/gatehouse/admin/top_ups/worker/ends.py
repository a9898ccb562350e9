"""How a top-up ends: once, in one transaction with all that follows from it.

What ends it happens under the lock of its row, so that two answers, or a server that is killed,
never add anything twice.
"""

import logging
from typing import Any, Final

import msgspec

from gatehouse.admin.top_ups.queries import auto_top_ups
from gatehouse.admin.top_ups.queries import top_ups as queries
from gatehouse.admin.top_ups.queries.auto_top_ups import AutoTopUpState
from gatehouse.admin.top_ups.queries.top_ups import KeptTopUp
from gatehouse.admin.top_ups.types import MOST_REFUSALS, AutoTopUpReason, TopUpKind, TopUpState
from gatehouse.admin.top_ups.use_cases.limits import minor_micros
from gatehouse.core.clock import time_or_none
from gatehouse.core.errors import AccountClosed, InvalidInput, NotFound
from gatehouse.core.events import EventName
from gatehouse.gateway.hosted_pages import StoredCardId
from gatehouse.store.accounts import ledger
from gatehouse.store.admin.admin_session import AdminSession, Change

_log: Final = logging.getLogger("gatehouse.money")

NOT_ADDED: Final = "not_added"
OTHER_AMOUNT: Final = "other_amount"
_REFUSED_PAUSE_MS: Final = 24 * 3_600_000


class _Over(Exception):
    """Another answer has ended the top-up already; nothing is changed."""


def add(session: AdminSession, kept: KeptTopUp, card: StoredCardId | None = None) -> None:
    """Add what was paid, note that, and keep the card that was stored."""
    try:
        with session.change() as change:
            if queries.locked(change.connection, kept.account_id, kept.id) is None:
                raise _Over
            micros = kept.amount_minor * minor_micros(kept.currency)
            how = "by stored card" if kept.kind is TopUpKind.AUTOMATIC else "by card"
            ledger.top_up(
                change, kept.account_id, micros, f"{how}, through {kept.connector}", kept.id
            )
            queries.write(change.connection, kept, _over(kept, TopUpState.PAID, change))
            _follow(change, kept, TopUpState.PAID)
            if kept.kind is TopUpKind.STORING and card is not None:
                auto_top_ups.store_card(change, kept.account_id, kept.connector, card)
                change.audit("auto-top-up.store-card", kept.account_id, topUpId=kept.id)
    except _Over:
        return
    except (AccountClosed, NotFound, InvalidInput, ledger.ReferenceTaken) as refused:
        _log.error("a paid top-up could not be added: %s", refused, extra=about(kept))
        end(session, kept, TopUpState.IN_DOUBT, NOT_ADDED)


def end(session: AdminSession, kept: KeptTopUp, state: TopUpState, reason: str | None) -> None:
    """End a top-up of which nothing is added, and tell the account."""
    try:
        with session.change(unseen=True) as change:
            ended = _over(kept, state, change, reason)
            if not queries.write(change.connection, kept, ended):
                raise _Over
            said = {"state": state.value, "reason": reason}
            change.audit("top-up.end", kept.account_id, topUpId=kept.id, **said)
            told = {"topUpId": kept.id, "amountMinor": kept.amount_minor}
            told |= {"currency": kept.currency, **said}
            change.event(EventName.BALANCE_TOP_UP_ENDED, kept.account_id, kept.id, told)
            _follow(change, kept, state)
    except _Over:
        return
    if state is TopUpState.IN_DOUBT:
        _log.error("a top-up is in doubt; look after it", extra=about(ended))


def _follow(change: Change, kept: KeptTopUp, state: TopUpState) -> None:
    """Let the account's automatic top-ups go on after one of them, pause, or end."""
    if kept.kind is not TopUpKind.AUTOMATIC:
        return
    auto = auto_top_ups.find(change.connection, kept.account_id, lock=True)
    if auto is None or auto.top_up_id != kept.id:
        return
    now_ms = change.now_ms
    if state is TopUpState.PAID or not auto.is_on:
        values: dict[str, Any] = {"next_at_ms": now_ms if auto.is_on else None, "refusals": 0}
        auto_top_ups.write(change, kept.account_id, top_up_id=None, **values)
        return
    is_refused = state is TopUpState.REFUSED
    refusals = auto.refusals + is_refused
    goes_on = is_refused and refusals < MOST_REFUSALS
    until_ms = now_ms + _REFUSED_PAUSE_MS if goes_on else None
    reason = AutoTopUpReason.REFUSED if is_refused else AutoTopUpReason.IN_DOUBT
    values = {"top_up_id": None, "refusals": refusals}
    values |= {} if goes_on else {"state": AutoTopUpState.OFF}
    auto_top_ups.write(change, kept.account_id, **values)
    pause(change, kept.account_id, reason, until_ms, kept.id)


def pause(
    change: Change,
    account_id: str,
    reason: AutoTopUpReason,
    until_ms: int | None,
    top_up_id: str | None = None,
) -> None:
    """Let automatic top-ups pause until a moment, or None until they are turned on again."""
    values = {"reason": reason, "paused_until_ms": until_ms, "next_at_ms": until_ms}
    auto_top_ups.write(change, account_id, **values)
    said = {"reason": reason.value, "until": time_or_none(until_ms), "topUpId": top_up_id}
    change.audit("auto-top-up.pause", account_id, **said)
    about_it = top_up_id or account_id
    change.event(EventName.BALANCE_AUTO_TOP_UP_PAUSED, account_id, about_it, said)


def about(kept: KeptTopUp) -> dict[str, object]:
    """What a line of the log says of a top-up."""
    return {
        "topUpId": kept.id,
        "accountId": kept.account_id,
        "state": kept.state.value,
        "reason": kept.reason,
    }


def _over(
    kept: KeptTopUp, state: TopUpState, change: Change, reason: str | None = None
) -> KeptTopUp:
    return msgspec.structs.replace(
        kept, state=state, changed_at_ms=change.now_ms, next_at_ms=None, reason=reason
    )
