"""What adding to a list comes to: which rows begin, which end, and what stays as it is."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.redaction import recordable
from gatehouse.store.tables import LIST_ENTRIES

MOST_ENTRIES: Final = 200_000
"""Entries in force on one list; those that are gone do not count."""

LONGEST_REASON: Final = 200

_CHUNK: Final = 1000
_FEW: Final = 5000
_rows: Final = LIST_ENTRIES.c


class PlannedEntry(msgspec.Struct, frozen=True, gc=False):
    """An entry that is to be on a list, and for how long."""

    value: str
    shown: str
    reason: str | None = None
    """Without one, the reason that the entry had is kept."""
    expires_at_ms: int | None = None


class Added(msgspec.Struct, frozen=True):
    """What became of the entries that were to be added."""

    added: int
    changed: int
    unchanged: int

    def plus(self, other: "Added") -> "Added":
        """Both together."""
        return Added(
            self.added + other.added,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
        )


class NewRow(msgspec.Struct, frozen=True, gc=False):
    """A row that is to be written, but for what all rows of a change share."""

    value: str
    shown: str
    reason: str | None
    expires_at_ms: int | None
    added_at_ms: int


class ListChangePlan(msgspec.Struct, frozen=True):
    """What adding means: the rows to write, which entries end when, and how many of each."""

    rows: dict[str, NewRow]
    ends: dict[int, list[str]]
    tally: Added


def plan_adding(
    connection: sa.Connection, key: tuple[str, str], listings: Sequence[PlannedEntry], now_ms: int
) -> ListChangePlan:
    """What it takes to have all of these on a list; refused when it would grow too large."""
    plan = plan_turn(connection, key, listings, now_ms)
    counting = sa.select(sa.func.count()).where(entries_of(*key), counts_at(now_ms))
    size = (connection.scalar(counting) or 0) + plan.tally.added
    if size > MOST_ENTRIES:
        raise Conflict(
            f"list {key[1]} would have {size} entries, and at most {MOST_ENTRIES} are possible; "
            "nothing was added"
        )
    return plan


def plan_turn(
    connection: sa.Connection, key: tuple[str, str], listings: Sequence[PlannedEntry], now_ms: int
) -> ListChangePlan:
    """What it takes, without counting the list, for one turn of many that were counted before."""
    wanted = {listing.value: listing for listing in listings}
    latest = _latest(connection, key, list(wanted), now_ms)
    rows: dict[str, NewRow] = {}
    ends: dict[int, list[str]] = {}
    changed = 0
    for value, listing in wanted.items():
        old = latest.get(value)
        reason = reason_text(listing.reason)
        added_at_ms = now_ms
        if old is not None:
            # Two changes of one entry never share a moment: it is part of the row's key.
            added_at_ms = max(now_ms, old.added_at_ms + 1)
            if _is_in_force(old, now_ms):
                reason = old.reason if reason is None else reason
                if (reason, listing.expires_at_ms) == (old.reason, old.expires_at_ms):
                    continue
                changed += 1
            if old.removed_at_ms is None:
                ends.setdefault(added_at_ms, []).append(value)
        rows[value] = NewRow(value, listing.shown, reason, listing.expires_at_ms, added_at_ms)
    added = len(rows) - changed
    return ListChangePlan(rows, ends, Added(added, changed, len(wanted) - len(rows)))


def _latest(
    connection: sa.Connection, key: tuple[str, str], values: Sequence[str], now_ms: int
) -> dict[str, Any]:
    """The newest row of each value that is in force, or of this very moment."""
    columns = (_rows.added_at_ms, _rows.reason, _rows.expires_at_ms, _rows.removed_at_ms)
    matters = _rows.removed_at_ms.is_(None) | (_rows.added_at_ms >= now_ms)
    query = sa.select(_rows.value, *columns).where(entries_of(*key), matters)
    found: dict[str, Any] = {}
    # Few are asked for by name; for many it is quicker to go through the whole list.
    for some in chunks(values) if len(values) <= _FEW else [None]:
        chosen = query if some is None else query.where(_rows.value.in_(some))
        for row in streamed(connection, chosen):
            old = found.get(row.value)
            if old is None or old.added_at_ms < row.added_at_ms:
                found[row.value] = row
    return found


def in_force(
    connection: sa.Connection, key: tuple[str, str], values: Sequence[str], now_ms: int
) -> dict[str, Any]:
    """The rows of those of the values that are on a list now."""
    latest = _latest(connection, key, values, now_ms)
    named = set(values)
    return {
        value: row for value, row in latest.items() if value in named and _is_in_force(row, now_ms)
    }


def _is_in_force(row: Any, now_ms: int) -> bool:
    expires: int | None = row.expires_at_ms
    return row.removed_at_ms is None and (expires is None or expires > now_ms)


def entries_of(account_id: str, name: str) -> sa.ColumnElement[bool]:
    """Which rows are of a list."""
    return (_rows.account_id == account_id) & (_rows.list == name)


def counts_at(at_ms: int) -> sa.ColumnElement[bool]:
    """Which rows are in force at a moment."""
    expires = _rows.expires_at_ms
    return _rows.removed_at_ms.is_(None) & (expires.is_(None) | (expires > at_ms))


def reason_text(text: str | None) -> str | None:
    """A reason or a description as it may be kept; None when nothing was said."""
    shown = recordable((text or "").strip())
    if len(shown) > LONGEST_REASON:
        raise InvalidInput(f"a reason has at most {LONGEST_REASON} characters; make it shorter")
    return shown or None


def chunks(values: Sequence[str], size: int = _CHUNK) -> Iterator[list[str]]:
    """Values in portions that a statement can take."""
    following = iter(values)
    while some := list(islice(following, size)):
        yield some


def streamed(connection: sa.Connection, query: sa.Select[Any]) -> Iterator[Any]:
    """Rows in portions, so that neither memory nor the interpreter is taken by one fetch."""
    yield from connection.execute(query, execution_options={"yield_per": 5000})
