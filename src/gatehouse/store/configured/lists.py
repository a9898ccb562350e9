"""An account's lists: keeping their entries with a history, and reading them for a server.

An entry never changes. What is added anew gets a row of its own, and the one before it gets its
end, so that a backtest knows what was listed when.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.conditions.catalogue import LIST_NAME
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.redaction import recordable
from gatehouse.rules.list_entries import ListEntry, ListKind
from gatehouse.rules.list_index import ListIndex
from gatehouse.rules.lists import AccountLists, Membership
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.configured.list_plans import (
    Added,
    ListChangePlan,
    PlannedEntry,
    chunks,
    counts_at,
    entries_of,
    in_force,
    plan_adding,
    plan_turn,
    reason_text,
    streamed,
)
from gatehouse.store.tables import LIST_ENTRIES, LISTS

MOST_LISTS: Final = 100
MOST_REMOVED: Final = 5000
"""Entries that are removed in one transaction, for which servers wait."""


# A list that was dropped keeps its row, so that the history knows what its entries were, and the
# changes of an account only ever grow.
_DROPPED: Final = "-"
_SHOWN_MISSING: Final = 10
_FOREVER: Final = 2**63 - 1
_TURN: Final = 5000

_rows: Final = LIST_ENTRIES.c


class ListInfo(msgspec.Struct, frozen=True):
    """A list, and how many entries are in force."""

    name: str
    kind: ListKind
    description: str | None
    created_at_ms: int
    changes: int
    entries: int


class ListedEntry(msgspec.Struct, frozen=True):
    """An entry as it is or was on a list."""

    value: str
    shown: str
    reason: str | None
    actor: str
    added_at_ms: int
    expires_at_ms: int | None
    removed_at_ms: int | None

    def status(self, at_ms: int) -> str:
        """Whether it counts at a moment, and if not, why."""
        expires, removed = self.expires_at_ms, self.removed_at_ms
        if expires is not None and expires <= (at_ms if removed is None else removed):
            return "expired"
        return "listed" if removed is None else "removed"


class ListHistory:
    """What was on an account's lists at any moment."""

    def __init__(self, lists: Mapping[str, ListIndex[Sequence[int]]]) -> None:
        self._lists = lists

    def has_at(self, name: str, value: str, at_ms: int) -> bool:
        """Whether a value was on a list at a moment; on a list that there is not, nothing was."""
        shelf = self._lists.get(name)
        if shelf is None:
            return False
        for spans in shelf.find(value):
            for place in range(0, len(spans), 2):
                if spans[place] <= at_ms < spans[place + 1]:
                    return True
        return False


def create(
    change: Change, account_id: str, name: str, kind: ListKind, description: str | None = None
) -> None:
    """Make an empty list."""
    accounts.get(change.connection, account_id)
    _create(change, account_id, name, kind, description)
    change.audit("list.create", account_id, list=name, kind=kind.value)


def drop(change: Change, account_id: str, name: str) -> int:
    """Remove a list with all its entries; how many were in force."""
    kind = kind_of(change.connection, account_id, name)
    _close_expired(change, account_id, name)
    here = entries_of(account_id, name) & _rows.removed_at_ms.is_(None)
    # An entry whose beginning lies ahead, because a clock was set back, ends where it began.
    end = sa.case((_rows.added_at_ms > change.now_ms, _rows.added_at_ms), else_=change.now_ms)
    statement = LIST_ENTRIES.update().where(here).values(removed_at_ms=end)
    removed = change.connection.execute(statement).rowcount
    _touch(change, account_id, name, kind=_DROPPED + kind.value)
    change.audit("list.drop", account_id, list=name, kind=kind.value, removed=removed)
    return removed


def add(
    change: Change,
    account_id: str,
    name: str,
    kind: ListKind | None,
    listings: Sequence[PlannedEntry],
) -> Added:
    """Have entries on a list. With a kind, a list that there is not yet is made.

    An entry in force gets a new expiry, and a new reason if one is given.
    """
    found = _opened(change, account_id, name, kind)
    _close_expired(change, account_id, name)
    plan = plan_adding(change.connection, (account_id, name), listings, change.now_ms)
    _write(change, account_id, name, plan)
    if plan.rows:
        _touch(change, account_id, name)
    counts = msgspec.structs.asdict(plan.tally)
    change.audit("list.add", account_id, list=name, kind=found.value, **counts)
    return plan.tally


def add_many(
    place: AdminSession,
    account_id: str,
    name: str,
    kind: ListKind | None,
    listings: Sequence[PlannedEntry],
) -> Added:
    """What `add` does, for any number of entries: in turns, so that servers can write meanwhile.

    Servers take the entries over together, after the last turn. When it is interrupted, doing it
    again does the rest.
    """
    with place.reading() as connection:
        accounts.get(connection, account_id)
        whole = plan_adding(connection, (account_id, name), listings, place.clock())
    wanted = {listing.value: listing for listing in listings}
    # Without anything to write there is still one turn: it makes the list, and has servers look
    # again in case that an earlier attempt never came to that.
    turns = list(chunks(sorted(whole.rows), _TURN)) or [[]]
    tally = Added(0, 0, whole.tally.unchanged)
    pace = Pace(place.database)
    for turn, values in enumerate(turns):
        with pace.turn(), place.change() as change:
            found = _opened(change, account_id, name, kind if turn == 0 else None)
            if turn == 0:
                _close_expired(change, account_id, name)
            some = [wanted[value] for value in values]
            plan = plan_turn(change.connection, (account_id, name), some, change.now_ms)
            _write(change, account_id, name, plan)
            if turn == len(turns) - 1:
                _touch(change, account_id, name)
            counts = msgspec.structs.asdict(plan.tally)
            change.audit("list.add", account_id, list=name, kind=found.value, **counts)
        tally = tally.plus(plan.tally)
    return tally


def rehearse_add(
    connection: sa.Connection,
    account_id: str,
    name: str,
    listings: Sequence[PlannedEntry],
    now_ms: int,
) -> Added:
    """What `add` would do, or refuse to; a list that there is not yet is taken to be empty."""
    return plan_adding(connection, (account_id, name), listings, now_ms).tally


def remove(change: Change, account_id: str, name: str, entries: Sequence[ListEntry]) -> int:
    """Take entries off a list; all of them, or none when one of them is not on it."""
    kind = kind_of(change.connection, account_id, name)
    _close_expired(change, account_id, name)
    wanted = {entry.value: entry.shown for entry in entries}
    if len(wanted) > MOST_REMOVED:
        raise InvalidInput(
            f"at most {MOST_REMOVED} entries can be removed at once; or drop the list"
        )
    there = in_force(change.connection, (account_id, name), list(wanted), change.now_ms)
    missing = [shown for value, shown in wanted.items() if value not in there]
    if missing:
        raise NotFound(_not_on_the_list(name, missing, len(wanted)))
    ends: dict[int, list[str]] = {}
    for value, row in there.items():
        ends.setdefault(max(change.now_ms, row.added_at_ms), []).append(value)
    for at_ms, values in ends.items():
        _end(change, account_id, name, values, at_ms)
    if wanted:
        _touch(change, account_id, name)
    change.audit("list.remove", account_id, list=name, kind=kind.value, removed=len(wanted))
    return len(wanted)


def kinds(connection: sa.Connection, account_id: str) -> dict[str, ListKind]:
    """The lists of an account, by name, and what each holds."""
    query = sa.select(LISTS.c.name, LISTS.c.kind).where(LISTS.c.account_id == account_id)
    rows = connection.execute(query.order_by(LISTS.c.name))
    return {name: ListKind(kind) for name, kind in rows if not kind.startswith(_DROPPED)}


def kind_of(
    connection: sa.Connection, account_id: str, name: str, expected: ListKind | None = None
) -> ListKind:
    """What a list holds; refused when there is none, or when something else was expected."""
    kind = _kind(connection, account_id, name)
    if kind is None:
        raise NotFound(
            f"there is no list {recordable(name)}; see: gatehouse lists show, or make it with: "
            "gatehouse lists create NAME --kind KIND"
        )
    if expected not in (None, kind):
        raise Conflict(f"list {name} holds {kind}, not {expected}; use another list for {expected}")
    return kind


def overview(connection: sa.Connection, account_id: str, at_ms: int) -> list[ListInfo]:
    """All lists of an account, by name."""
    accounts.get(connection, account_id)
    counting = (
        sa.select(_rows.list, sa.func.count())
        .where(_rows.account_id == account_id, counts_at(at_ms))
        .group_by(_rows.list)
    )
    sizes: dict[str, int] = {row[0]: row[1] for row in connection.execute(counting)}
    query = sa.select(LISTS).where(LISTS.c.account_id == account_id).order_by(LISTS.c.name)
    return [
        ListInfo(
            row.name,
            ListKind(row.kind),
            row.description,
            row.created_at_ms,
            row.changes,
            sizes.get(row.name, 0),
        )
        for row in connection.execute(query)
        if not row.kind.startswith(_DROPPED)
    ]


def entries(
    connection: sa.Connection,
    account_id: str,
    name: str,
    at_ms: int,
    *,
    include_gone: bool = False,
    limit: int = 1000,
    after: tuple[str, int] | None = None,
) -> list[ListedEntry]:
    """The entries of a list by value, and those that are gone too if wanted.

    `after` is the value of the last entry seen and when it was added.
    """
    kind_of(connection, account_id, name)
    columns = [_rows[field] for field in ListedEntry.__struct_fields__]
    query = sa.select(*columns).where(entries_of(account_id, name))
    if not include_gone:
        query = query.where(counts_at(at_ms))
    if after is not None:
        query = query.where(sa.tuple_(_rows.value, _rows.added_at_ms) > sa.tuple_(*after))
    rows = connection.execute(query.order_by(_rows.value, _rows.added_at_ms).limit(limit))
    return [ListedEntry(*row) for row in rows]


def load(connection: sa.Connection, account_id: str) -> AccountLists:
    """All lists of an account, as a server looks things up on them."""
    found = kinds(connection, account_id)
    listed: dict[str, dict[str, int | None]] = {name: {} for name in found}
    query = sa.select(_rows.list, _rows.value, _rows.expires_at_ms).where(
        _rows.account_id == account_id, _rows.removed_at_ms.is_(None)
    )
    for name, value, expires_at_ms in streamed(connection, query):
        listed[name][value] = expires_at_ms
    return AccountLists({name: Membership(kind, listed[name]) for name, kind in found.items()})


def history_of(connection: sa.Connection, account_id: str, names: Sequence[str]) -> ListHistory:
    """When what was on the named lists; a list that there is not is taken to be empty."""
    known = kinds(connection, account_id)
    found = {name: known[name] for name in names if name in known}
    spans: dict[str, dict[str, list[int]]] = {name: {} for name in found}
    columns = (_rows.added_at_ms, _rows.expires_at_ms, _rows.removed_at_ms)
    query = sa.select(_rows.list, _rows.value, *columns).where(
        _rows.account_id == account_id, _rows.list.in_(list(found))
    )
    for name, value, added, expires, removed in streamed(connection, query):
        end = min(
            _FOREVER if expires is None else expires, _FOREVER if removed is None else removed
        )
        spans[name].setdefault(value, []).extend((added, end))
    return ListHistory({name: ListIndex(kind, spans[name]) for name, kind in found.items()})


def _create(
    change: Change, account_id: str, name: str, kind: ListKind, description: str | None
) -> None:
    if LIST_NAME.fullmatch(name) is None or recordable(name) != name:
        raise InvalidInput(
            "a list's name is 1 to 64 small letters, digits, hyphens and underscores, and begins "
            "with a letter or a digit"
        )
    query = sa.select(LISTS).where(LISTS.c.account_id == account_id)
    there = {row.name: row.kind for row in change.connection.execute(query)}
    before = there.get(name)
    if before is not None and not before.startswith(_DROPPED):
        raise Conflict(f"list {name} exists already; it holds {before}")
    if sum(not held.startswith(_DROPPED) for held in there.values()) >= MOST_LISTS:
        raise Conflict(f"an account has at most {MOST_LISTS} lists; drop one first")
    about = reason_text(description)
    if before is None:
        row = {"account_id": account_id, "name": name, "kind": kind.value, "changes": 1,
               "description": about, "created_at_ms": change.now_ms}  # fmt: skip
        change.connection.execute(LISTS.insert(), row)
        return
    if before != _DROPPED + kind.value:
        # What was listed before was something else, and means nothing any more.
        change.connection.execute(LIST_ENTRIES.delete().where(entries_of(account_id, name)))
    made = {"kind": kind.value, "description": about, "created_at_ms": change.now_ms}
    _touch(change, account_id, name, **made)


def _kind(connection: sa.Connection, account_id: str, name: str) -> ListKind | None:
    # What cannot be a name may be text that a database refuses to compare with.
    if LIST_NAME.fullmatch(name) is None:
        return None
    this = (LISTS.c.account_id == account_id) & (LISTS.c.name == name)
    kind = connection.scalar(sa.select(LISTS.c.kind).where(this))
    return None if kind is None or kind.startswith(_DROPPED) else ListKind(kind)


def _close_expired(change: Change, account_id: str, name: str) -> None:
    """Give entries that have expired their end, so that no server loads them any more."""
    over = entries_of(account_id, name) & _rows.removed_at_ms.is_(None)
    over &= _rows.expires_at_ms <= change.now_ms
    statement = LIST_ENTRIES.update().where(over).values(removed_at_ms=_rows.expires_at_ms)
    change.connection.execute(statement)


def _end(change: Change, account_id: str, name: str, values: Sequence[str], at_ms: int) -> None:
    here = entries_of(account_id, name) & _rows.removed_at_ms.is_(None)
    for some in chunks(values):
        statement = LIST_ENTRIES.update().where(here, _rows.value.in_(some))
        change.connection.execute(statement.values(removed_at_ms=at_ms))


def _opened(change: Change, account_id: str, name: str, kind: ListKind | None) -> ListKind:
    """What the list holds that is to be added to; it is made if there is none and a kind is."""
    accounts.get(change.connection, account_id)
    if kind is not None and _kind(change.connection, account_id, name) is None:
        _create(change, account_id, name, kind, None)
    return kind_of(change.connection, account_id, name, kind)


def _write(change: Change, account_id: str, name: str, plan: ListChangePlan) -> None:
    for at_ms, values in plan.ends.items():
        _end(change, account_id, name, values, at_ms)
    head = {
        "account_id": account_id,
        "list": name,
        "actor": str(change.actor),
        "removed_at_ms": None,
    }
    for some in chunks(sorted(plan.rows)):
        rows = [{**head, **msgspec.structs.asdict(plan.rows[value])} for value in some]
        change.connection.execute(LIST_ENTRIES.insert(), rows)


def _touch(change: Change, account_id: str, name: str, **more: Any) -> None:
    this = (LISTS.c.account_id == account_id) & (LISTS.c.name == name)
    more["changes"] = LISTS.c.changes + 1
    change.connection.execute(LISTS.update().where(this).values(more))


def _not_on_the_list(name: str, missing: Sequence[str], asked: int) -> str:
    named = ", ".join(missing[:_SHOWN_MISSING])
    if len(missing) > _SHOWN_MISSING:
        named += f" and {len(missing) - _SHOWN_MISSING} others"
    kept = "" if asked == 1 else "; nothing was removed"
    return f"not on list {name}: {named}{kept}"
