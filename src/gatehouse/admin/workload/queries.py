"""What waits in the queue, how much a person resolves, and changes of many decisions at once."""

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from gatehouse.admin.workload.tables import BULK_CHANGES, BULK_ITEMS
from gatehouse.admin.workload.types import BulkAction, BulkState, BulkTerms, ItemState
from gatehouse.core.ids import first_id
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import struct_from
from gatehouse.store.decisions.review_events import ReviewState
from gatehouse.store.tables import REVIEWS

_C = REVIEWS.c
_B = BULK_CHANGES.c
_I = BULK_ITEMS.c
_KEPT_MS = 86_400_000
_MOST_READ = 20_000


class WaitingGroup(msgspec.Struct, frozen=True):
    """Open reviews of one person in one currency."""

    assignee: str | None
    currency: str | None
    reviews: int
    overdue: int
    at_risk: int


def waiting(connection: sa.Connection, account_id: str, due_ms: int) -> list[WaitingGroup]:
    """The open reviews of an account by person and currency; overdue before a moment."""
    late = sa.func.sum(sa.case((_C.at_ms < due_ms, 1), else_=0))
    query = sa.select(
        _C.assignee, _C.currency, sa.func.count(), late, sa.func.sum(_C.at_risk)
    ).where(_C.account_id == account_id, _C.state == ReviewState.OPEN.value)
    rows = connection.execute(query.group_by(_C.assignee, _C.currency))
    return [
        WaitingGroup(assignee, currency, count, int(overdue), int(at_risk))
        for assignee, currency, count, overdue, at_risk in rows
    ]


def resolved_at(
    connection: sa.Connection, account_id: str, actor: str, since_ms: int, opened_since_ms: int
) -> Sequence[int]:
    """When an actor resolved the reviews that were opened since a moment."""
    query = sa.select(_C.resolved_at_ms).where(
        _C.account_id == account_id,
        _C.request_id >= first_id("req", opened_since_ms),
        _C.resolved_at_ms >= since_ms,
        _C.actor == actor,
    )
    return list(connection.scalars(query.limit(_MOST_READ)))


def most_at_risk(
    connection: sa.Connection, account_id: str, person: str, most: int
) -> list[tuple[str | None, int]]:
    """Currency and money at risk of the reviews that a person can take, the largest first."""
    query = sa.select(_C.currency, _C.at_risk).where(
        _C.account_id == account_id,
        _C.state == ReviewState.OPEN.value,
        _C.assignee.is_(None) | (_C.assignee == person),
    )
    rows = connection.execute(query.order_by(_C.at_risk.desc(), _C.request_id).limit(most))
    return [(row.currency, row.at_risk) for row in rows]


class StoredBulk(msgspec.Struct, frozen=True):
    """A change of many decisions as it is stored."""

    id: str
    at_ms: int
    actor: str
    action: BulkAction
    terms: BulkTerms
    state: BulkState
    ended_at_ms: int | None = None


class BulkItem(msgspec.Struct, frozen=True):
    """One decision of a change."""

    request_id: str
    state: ItemState
    at_ms: int | None = None
    before: str | None = None
    why: str | None = None


def add_bulk(change: Change, account_id: str, new: StoredBulk, request_ids: Sequence[str]) -> None:
    """Store a change that is to be carried out; forget those that cannot be undone any more."""
    old = sa.select(_B.id).where(_B.account_id == account_id, _B.at_ms < new.at_ms - _KEPT_MS)
    gone = (_I.account_id == account_id) & _I.bulk_id.in_(old.scalar_subquery())
    change.connection.execute(BULK_ITEMS.delete().where(gone))
    row = msgspec.to_builtins(new) | {
        "account_id": account_id,
        "terms": msgspec.json.encode(new.terms).decode(),
    }
    change.connection.execute(BULK_CHANGES.insert(), row)
    about = {"account_id": account_id, "bulk_id": new.id, "state": ItemState.PENDING.value}
    items = [{**about, "request_id": each} for each in request_ids]
    change.connection.execute(BULK_ITEMS.insert(), items)


def get_bulk(connection: sa.Connection, account_id: str, bulk_id: str) -> StoredBulk | None:
    """A change of an account."""
    query = sa.select(BULK_CHANGES).where(_bulk(account_id, bulk_id))
    row = connection.execute(query).first()
    if row is None:
        return None
    terms = msgspec.json.decode(row.terms, type=BulkTerms)
    return struct_from(
        row, StoredBulk, action=BulkAction(row.action), terms=terms, state=BulkState(row.state)
    )


def set_state(
    connection: sa.Connection, account_id: str, bulk_id: str, state: BulkState, **columns: Any
) -> None:
    """Note how far a change is."""
    update = BULK_CHANGES.update().where(_bulk(account_id, bulk_id))
    connection.execute(update.values(state=state.value, **columns))


def items_in(
    connection: sa.Connection, account_id: str, bulk_id: str, states: Sequence[ItemState], most: int
) -> list[BulkItem]:
    """Some decisions of a change, by id."""
    query = sa.select(BULK_ITEMS).where(_items(account_id, bulk_id), _I.state.in_(states))
    rows = connection.execute(query.order_by(_I.request_id).limit(most))
    return [struct_from(row, BulkItem, state=ItemState(row.state)) for row in rows]


def set_item(connection: sa.Connection, account_id: str, bulk_id: str, item: BulkItem) -> None:
    """Note what became of one decision."""
    this = _items(account_id, bulk_id) & (_I.request_id == item.request_id)
    connection.execute(BULK_ITEMS.update().where(this).values(msgspec.to_builtins(item)))


def count_items(connection: sa.Connection, account_id: str, bulk_id: str) -> dict[str, int]:
    """How many decisions of a change are in each state."""
    query = sa.select(_I.state, sa.func.count().label("number")).where(_items(account_id, bulk_id))
    rows = connection.execute(query.group_by(_I.state))
    return {row.state: row.number for row in rows}


def _bulk(account_id: str, bulk_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(_B.account_id == account_id, _B.id == bulk_id)


def _items(account_id: str, bulk_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(_I.account_id == account_id, _I.bulk_id == bulk_id)
