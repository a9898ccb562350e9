"""Plans what adding to a list changes: which rows begin, which end, and which stay."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.rules.list_entries import ListEntry
from gatehouse.store.counting import count_rows
from gatehouse.store.tables import LIST_ENTRIES

_LIST_SIZE: Final = Phrase(
    "refused.list_size",
    "list {name} would have {size} entries, and at most {most} are possible; nothing was added",
)
_LIST_REASON: Final = Phrase(
    "refused.list_reason", "a reason has at most {most} characters; make it shorter"
)

MOST_ENTRIES: Final = 200_000
"""Entries in force on one list; those that are gone do not count."""

LONGEST_REASON: Final = 200

_CHUNK: Final = 1000
_rows: Final = LIST_ENTRIES.c


class ListKey(NamedTuple):
    """One list of an account."""

    account_id: str
    name: str


class PlannedEntry(ListEntry, frozen=True, gc=False):
    """An entry to put on a list, and for how long."""

    reason: str | None = None
    """Without one, the reason that the entry had is kept."""
    expires_at_ms: int | None = None


class NewRow(PlannedEntry, frozen=True, gc=False, kw_only=True):
    """A row to write, without the columns that all rows of a change share."""

    added_at_ms: int


class Added(msgspec.Struct, frozen=True):
    """What became of the entries that were to be added."""

    added: int
    changed: int
    unchanged: int


class ListChangePlan(msgspec.Struct, frozen=True):
    """The rows to write, which entries end when, and how many of each."""

    rows: dict[str, NewRow]
    ends: dict[int, list[str]]
    tally: Added


def plan_adding(
    connection: sa.Connection, key: ListKey, entries: Sequence[PlannedEntry], now_ms: int
) -> ListChangePlan:
    """The changes that put all entries on a list; refused when it would grow too large.

    An unknown list is empty.
    """
    plan = plan_turn(connection, key, entries, now_ms)
    there = count_rows(connection, LIST_ENTRIES, entries_of(key), counts_at(now_ms))
    size = there + plan.tally.added
    if size > MOST_ENTRIES:
        raise Conflict(_LIST_SIZE(name=key.name, size=size, most=MOST_ENTRIES))
    return plan


def plan_turn(
    connection: sa.Connection, key: ListKey, entries: Sequence[PlannedEntry], now_ms: int
) -> ListChangePlan:
    """The same without counting the list, for one turn of many that were counted before."""
    wanted = {entry.value: entry for entry in entries}
    latest = _latest(connection, key, list(wanted), now_ms)
    rows: dict[str, NewRow] = {}
    ends: dict[int, list[str]] = {}
    changed = 0
    for value, entry in wanted.items():
        old = latest.get(value)
        reason = reason_text(entry.reason)
        added_at_ms = now_ms
        if old is not None:
            # Two changes of one entry never share a moment: it is part of the row's key.
            added_at_ms = max(now_ms, old.added_at_ms + 1)
            if _is_in_force(old, now_ms):
                reason = old.reason if reason is None else reason
                if (reason, entry.expires_at_ms) == (old.reason, old.expires_at_ms):
                    continue
                changed += 1
            if old.removed_at_ms is None:
                ends.setdefault(added_at_ms, []).append(value)
        rows[value] = NewRow(
            value, entry.shown, reason, entry.expires_at_ms, added_at_ms=added_at_ms
        )
    added = len(rows) - changed
    return ListChangePlan(rows, ends, Added(added, changed, len(wanted) - len(rows)))


def _latest(
    connection: sa.Connection, key: ListKey, values: Sequence[str], now_ms: int
) -> dict[str, Any]:
    """The newest row of each value that is in force, or of this very moment."""
    columns = (_rows.added_at_ms, _rows.reason, _rows.expires_at_ms, _rows.removed_at_ms)
    matters = _rows.removed_at_ms.is_(None) | (_rows.added_at_ms >= now_ms)
    query = sa.select(_rows.value, *columns).where(entries_of(key), matters)
    found: dict[str, Any] = {}
    for some in chunks(values):
        for row in streamed(connection, query.where(_rows.value.in_(some))):
            old = found.get(row.value)
            if old is None or old.added_at_ms < row.added_at_ms:
                found[row.value] = row
    return found


def in_force(
    connection: sa.Connection, key: ListKey, values: Sequence[str], now_ms: int
) -> dict[str, Any]:
    """The rows of the values that are on a list now."""
    latest = _latest(connection, key, values, now_ms)
    return {value: row for value, row in latest.items() if _is_in_force(row, now_ms)}


def _is_in_force(row: Any, now_ms: int) -> bool:
    expires: int | None = row.expires_at_ms
    return row.removed_at_ms is None and (expires is None or expires > now_ms)


def entries_of(key: ListKey) -> sa.ColumnElement[bool]:
    """Which rows are of a list."""
    return (_rows.account_id == key.account_id) & (_rows.list == key.name)


def counts_at(at_ms: int) -> sa.ColumnElement[bool]:
    """Which rows are in force at a moment."""
    expires = _rows.expires_at_ms
    return _rows.removed_at_ms.is_(None) & (expires.is_(None) | (expires > at_ms))


def reason_text(text: str | None) -> str | None:
    """A reason or a description as it may be kept; None for an empty one."""
    shown = recordable((text or "").strip())
    if len(shown) > LONGEST_REASON:
        raise InvalidInput(_LIST_REASON(most=LONGEST_REASON))
    return shown or None


def chunks(values: Sequence[str], size: int = _CHUNK) -> Iterator[list[str]]:
    """Values in portions that a statement can take."""
    following = iter(values)
    while some := list(islice(following, size)):
        yield some


def streamed(connection: sa.Connection, query: sa.Select[Any]) -> Iterator[Any]:
    """Rows in portions, so that neither memory nor the interpreter is taken by one fetch."""
    yield from connection.execute(query, execution_options={"yield_per": 5000})
