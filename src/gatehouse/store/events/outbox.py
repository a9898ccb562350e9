"""The outbox: events are added by the transactions they speak of, and read in one fixed order.

Transactions of PostgreSQL commit in another order than they began, so a number alone would let a
reader pass by an event that is committed late. Readers see only events whose transaction is older
than every one that still runs, in the order of these transactions: nothing can come in between.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from msgspec.structs import asdict

from gatehouse.core.events import EventName, NewEvent
from gatehouse.core.ids import first_id
from gatehouse.store.counting import count_rows
from gatehouse.store.database import is_any_of, let_last
from gatehouse.store.tables import EVENTS, WEBHOOK_DELIVERIES

_E: Final = EVENTS.c
_PLACE: Final = (_E.xid, _E.seq)
INSTALLATION: Final = ""
"""Stands for an account in events of the installation."""
START: Final = first_id("evt", 0)
"""The cursor before the first event."""
_SCANNED_AT_ONCE: Final = 1000
"""Rows that one reading looks at, however few of them are of the wanted types."""
_OLDEST_RUNNING: Final = sa.select(
    sa.literal_column("pg_snapshot_xmin(pg_current_snapshot())::text::bigint", sa.BigInteger)
).scalar_subquery()
"""The oldest transaction that may still commit, or the next one to begin."""
_NOT_ENDED: Final = sa.literal_column(
    "pg_snapshot_xmax(pg_current_snapshot())::text::bigint", sa.BigInteger
)
"""The transaction after the newest that has ended."""
_PLACE_OF: Final = sa.select(*_PLACE).where(
    _E.id == sa.bindparam("cursor", type_=sa.Text),
    (_E.account_id == sa.bindparam("account_id", type_=sa.Text)) | (_E.account_id == INSTALLATION),
)
_NEWEST: Final = sa.select(sa.func.max(_E.seq))
_WRITTEN: Final = sa.select(_NEWEST.scalar_subquery(), _OLDEST_RUNNING, _NOT_ENDED)


class EventPlace(NamedTuple):
    """Where an event stands in the order of all events."""

    xid: int
    seq: int


BEGINNING: Final = EventPlace(-(2**63), 0)


class StoredEvent(NamedTuple):
    """An event with its place."""

    place: EventPlace
    event: NewEvent


class ReadEvents(NamedTuple):
    """Some events, and how to go on."""

    events: list[StoredEvent]
    cursor: str
    more: bool
    """Whether there may be more by now."""
    place: EventPlace
    """Where the cursor stands."""


class WrittenEvents(NamedTuple):
    """How far events are written, and how far they can be read."""

    newest: int
    """The largest number that is committed; smaller ones may still come."""
    oldest_running: int
    """Readers see only events of transactions before this one."""
    not_ended: int
    """No transaction from this one on has ended."""


def add(connection: sa.Connection, events: Sequence[NewEvent]) -> None:
    """Write events in the transaction of what they speak of."""
    if events:
        connection.execute(EVENTS.insert(), [asdict(each) for each in events])


def read_after(
    connection: sa.Connection,
    account_id: str,
    cursor: str | None,
    limit: int,
    types: Sequence[EventName] = (),
) -> ReadEvents:
    """The next events of an account and of the installation, and the cursor after them.

    A cursor is the id of the last event that was looked at. One whose event is gone, because it
    was too old or the data was restored, stands for the beginning: an event may come twice, and
    none is passed by.
    """
    place = place_of(connection, account_id, cursor)
    most = _SCANNED_AT_ONCE if types else limit
    found = _after(connection, account_id, place, most)
    wanted = [each for each in found if not types or each.event.type in types]
    if len(wanted) > limit:
        last = wanted[limit - 1]
        return ReadEvents(wanted[:limit], last.event.id, True, last.place)
    if not found:
        return ReadEvents([], cursor or START, False, place)
    return ReadEvents(wanted, found[-1].event.id, len(found) == most, found[-1].place)


def newest_cursor(connection: sa.Connection, account_id: str) -> str:
    """The cursor after all events that there are by now."""
    found = newest(connection, account_id, 1)
    return found[0].id if found else START


def newest(
    connection: sa.Connection, account_id: str, limit: int, types: Sequence[EventName] = ()
) -> list[NewEvent]:
    """The newest events of an account and of the installation, in their order."""
    wanted = _settled(connection)
    if types:
        wanted.append(_E.type.in_(types))
    ranges = [
        sa.select(EVENTS)
        .where(_E.account_id == each, *wanted)
        .order_by(_E.xid.desc(), _E.seq.desc())
        .limit(limit)
        .subquery()
        for each in _whose(account_id)
    ]
    both = sa.union_all(*(sa.select(each) for each in ranges)).subquery()
    query = sa.select(both).order_by(both.c.xid.desc(), both.c.seq.desc()).limit(limit)
    rows = connection.execute(query).all()
    if rows:
        let_last(connection)
    return [_stored(row).event for row in rows][::-1]


def find(connection: sa.Connection, account_id: str, event_id: str) -> StoredEvent | None:
    """One event of an account or of the installation."""
    query = sa.select(EVENTS).where(_E.id == event_id, _E.account_id.in_(_whose(account_id)))
    row = connection.execute(query.where(*_settled(connection))).first()
    return None if row is None else _stored(row)


def find_all(
    connection: sa.Connection, account_id: str, event_ids: Sequence[str]
) -> dict[str, StoredEvent]:
    """Those of the events that are still kept, by their ids, whether readers see them or not."""
    if not event_ids:
        return {}
    query = sa.select(EVENTS).where(
        is_any_of(connection, _E.id, event_ids), _E.account_id.in_(_whose(account_id))
    )
    return {row.id: _stored(row) for row in connection.execute(query)}


def between(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int, limit: int
) -> list[StoredEvent]:
    """The events of a span of time, in their order."""
    query = sa.select(EVENTS).where(
        _E.account_id.in_(_whose(account_id)), _E.at_ms >= since_ms, _E.at_ms < until_ms
    )
    return [_stored(row) for row in connection.execute(query.order_by(*_PLACE).limit(limit))]


def place_of(connection: sa.Connection, account_id: str, cursor: str | None) -> EventPlace:
    """Where a cursor stands."""
    if cursor is None or cursor == START:
        return BEGINNING
    row = connection.execute(_PLACE_OF, {"cursor": cursor, "account_id": account_id}).first()
    return BEGINNING if row is None else EventPlace(*row)


def count_written(connection: sa.Connection) -> int:
    """How many events were ever written, deleted ones included; numbers are never used again."""
    return connection.scalar(_NEWEST) or 0


def read_written(connection: sa.Connection) -> WrittenEvents:
    """How far events are written by now. It reads one entry of an index, however many there are."""
    if connection.dialect.name == "sqlite":
        return WrittenEvents(count_written(connection), 0, 0)
    newest, oldest_running, not_ended = connection.execute(_WRITTEN).one()
    return WrittenEvents(newest or 0, oldest_running, not_ended)


def count_held_back(connection: sa.Connection) -> int:
    """How many of the newest events readers do not see yet, because of transactions that run."""
    if connection.dialect.name == "sqlite":
        return 0
    last = sa.select(_E.xid).order_by(_E.seq.desc()).limit(_SCANNED_AT_ONCE).subquery()
    return count_rows(connection, last, last.c.xid >= _OLDEST_RUNNING)


def rebase(connection: sa.Connection) -> None:
    """Put all events before those of this database's transactions, in the order they have.

    Rows that were copied or restored carry numbers of another server's transactions. Messages that
    wait to be sent again carry the same numbers, and go with them.
    """
    newest = sa.select(sa.func.max(EVENTS.alias().c.xid)).scalar_subquery()
    connection.execute(EVENTS.update().where(newest > 0).values(xid=_E.xid - newest - 1))
    waiting = WEBHOOK_DELIVERIES.c
    moved = sa.select(_E.xid).where(_E.id == waiting.event_id).scalar_subquery()
    # A message whose event is gone is dropped when its turn comes.
    xid = sa.func.coalesce(moved, BEGINNING.xid)
    connection.execute(WEBHOOK_DELIVERIES.update().values(xid=xid))


def rebase_if_foreign(connection: sa.Connection) -> bool:
    """The same, if somebody restored the data with tools of their own; whether it was needed."""
    if connection.dialect.name == "sqlite":
        return False
    last = sa.select(_E.xid).order_by(_E.seq.desc()).limit(_SCANNED_AT_ONCE).subquery()
    newest, following = connection.execute(sa.select(sa.func.max(last.c.xid), _NOT_ENDED)).one()
    if newest is None or newest < following:
        return False
    rebase(connection)
    return True


def _after(
    connection: sa.Connection, account_id: str, place: EventPlace, limit: int
) -> list[StoredEvent]:
    given = {"account_id": account_id, "xid": place.xid, "seq": place.seq, "limit": limit}
    rows = connection.execute(_AFTER[connection.dialect.name], given).all()
    if rows:
        let_last(connection)
    return [_stored(row) for row in rows]


def _after_query(*settled: "sa.ColumnElement[bool]") -> "sa.Select[Any]":
    """The next events of an account and of the installation; an empty account is none."""
    account_id = sa.bindparam("account_id", type_=sa.Text)
    limit = sa.bindparam("limit", type_=sa.Integer)
    place = sa.bindparam("xid", type_=sa.BigInteger), sa.bindparam("seq", type_=sa.BigInteger)
    # One range of the index for each: for both together, all of them would be sorted first.
    ranges = [
        sa.select(EVENTS)
        .where(_E.account_id == whose, *only, sa.tuple_(*_PLACE) > sa.tuple_(*place), *settled)
        .order_by(*_PLACE)
        .limit(limit)
        .subquery()
        for whose, only in ((account_id, (account_id != INSTALLATION,)), (INSTALLATION, ()))
    ]
    both = sa.union_all(*(sa.select(each) for each in ranges)).subquery()
    return sa.select(both).order_by(both.c.xid, both.c.seq).limit(limit)


# To make this statement takes longer than to run it, and those who deliver run it all the time.
_AFTER: Final = {"sqlite": _after_query(), "postgresql": _after_query(_E.xid < _OLDEST_RUNNING)}


def _whose(account_id: str) -> tuple[str, ...]:
    return (account_id,) if account_id == INSTALLATION else (account_id, INSTALLATION)


def _settled(connection: sa.Connection) -> "list[sa.ColumnElement[bool]]":
    """What leaves out events that others, of transactions that still run, may come before."""
    if connection.dialect.name == "sqlite":
        return []
    return [_E.xid < _OLDEST_RUNNING]


def _stored(row: Any) -> StoredEvent:
    event = NewEvent(row.id, row.account_id, row.at_ms, row.type, row.actor, row.about, row.data)
    return StoredEvent(EventPlace(row.xid, row.seq), event)
