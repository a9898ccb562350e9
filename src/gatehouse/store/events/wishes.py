"""What an account wants to be told: which decisions, and below which balance.

Readers of events and webhooks each have filters of their own; a decision that either wants is told.
The columns are not signed: they decide what is told, not what is decided or charged.
"""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec
import sqlalchemy as sa

from gatehouse.billing.ledger import AccountState
from gatehouse.core.errors import NotFound
from gatehouse.core.events import DecisionFilter
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.tables import ACCOUNTS

Listener = Literal["readers", "webhooks"]
"""For whom filters are kept: those who poll for events, and the account's webhooks."""


class EventWishes(msgspec.Struct, frozen=True):
    """What the readers of an account's events want to be told."""

    decisions: tuple[DecisionFilter, ...] = ()
    low_balance: int | None = None
    """Millionths; below this balance the account is told so."""


_Filters = dict[str, tuple[DecisionFilter, ...]]
_read: Final = msgspec.json.Decoder(_Filters).decode
_encode: Final = msgspec.json.Encoder().encode
_A: Final = ACCOUNTS.c


def decision_filters(
    text: str | None, listener: Listener | None = None
) -> tuple[DecisionFilter, ...]:
    """The filters of a kept text, each once; of one listener or of both."""
    if text is None:
        return ()
    kept = _read(text)
    if listener is not None:
        return kept.get(listener, ())
    return tuple(dict.fromkeys(each for filters in kept.values() for each in filters))


def set_decision_filters(
    change: Change, account_id: str, listener: Listener, filters: Sequence[DecisionFilter]
) -> None:
    """Replace the filters of one listener; servers use them within a second."""
    query = sa.select(_A.event_filters).where(_A.id == account_id)
    row = change.connection.execute(query.with_for_update()).first()
    if row is None:
        raise NotFound(f"no account {account_id}")
    kept: _Filters = {} if row.event_filters is None else _read(row.event_filters)
    kept[listener] = tuple(filters)
    left = {name: some for name, some in kept.items() if some}
    text = _encode(left).decode() if left else None
    this = ACCOUNTS.update().where(_A.id == account_id)
    change.connection.execute(this.values(event_filters=text))


def set_low_balance(change: Change, account_id: str, state: AccountState) -> None:
    """Keep the threshold of an account, and what it was told of its balance."""
    values = {"low_balance": state.low_below, "balance_told": state.told.value}
    change.connection.execute(ACCOUNTS.update().where(_A.id == account_id).values(values))


def get_wishes(connection: sa.Connection, account_id: str) -> EventWishes:
    """What an account wants to be told as events."""
    query = sa.select(_A.event_filters, _A.low_balance).where(_A.id == account_id)
    row = connection.execute(query).one()
    return EventWishes(decision_filters(row.event_filters, "readers"), row.low_balance)
