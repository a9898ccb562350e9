"""Changes of an account's lists and their entries.

A row never changes, except that it gets its end. An entry that is added again gets a row of its
own, so that a backtest knows what was listed when.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.conditions.catalogue import LIST_NAME
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.redaction import recordable
from gatehouse.rules.list_entries import ListEntry, ListKind
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.configured.list_plans import (
    Added,
    ListChangePlan,
    ListKey,
    PlannedEntry,
    chunks,
    entries_of,
    in_force,
    plan_adding,
    plan_turn,
    reason_text,
)
from gatehouse.store.configured.list_reading import DROPPED, kind_of, kinds
from gatehouse.store.tables import LIST_ENTRIES, LISTS

MOST_LISTS: Final = 100
MOST_REMOVED: Final = 5000
"""Entries that are removed in one transaction, for which servers wait."""

_SHOWN_MISSING: Final = 10
_TURN: Final = 5000

_rows: Final = LIST_ENTRIES.c


def create(
    change: Change, account_id: str, name: str, kind: ListKind, description: str | None = None
) -> None:
    """Create an empty list."""
    accounts.get(change.connection, account_id)
    _create(change, account_id, name, kind, description)
    change.audit("list.create", account_id, list=name, kind=kind.value)


def drop(change: Change, account_id: str, name: str) -> int:
    """Remove a list with all its entries; how many were in force."""
    key = ListKey(account_id, name)
    kind = _open(change, key)
    here = entries_of(key) & _rows.removed_at_ms.is_(None)
    # After a clock was set back, an entry can begin in the future; it then ends where it began.
    end = sa.case((_rows.added_at_ms > change.now_ms, _rows.added_at_ms), else_=change.now_ms)
    statement = LIST_ENTRIES.update().where(here).values(removed_at_ms=end)
    removed = change.connection.execute(statement).rowcount
    _touch(change, key, kind=DROPPED + kind.value)
    change.audit("list.drop", account_id, list=name, kind=kind.value, removed=removed)
    return removed


def add(
    change: Change,
    account_id: str,
    name: str,
    kind: ListKind | None,
    entries: Sequence[PlannedEntry],
) -> Added:
    """Put entries on a list; with a kind, the list is created if it does not exist.

    An entry in force gets the new expiry, and the new reason if one is given.
    """
    key = ListKey(account_id, name)
    found = _open(change, key, kind)
    plan = plan_adding(change.connection, key, entries, change.now_ms)
    _write(change, key, found, plan)
    if plan.rows:
        _touch(change, key)
    return plan.tally


def add_many(
    session: AdminSession,
    account_id: str,
    name: str,
    kind: ListKind | None,
    entries: Sequence[PlannedEntry],
) -> Added:
    """The same for any number of entries, in turns, so that servers can write in between.

    Servers load the entries together, after the last turn. After an interruption, adding them again
    does the rest.
    """
    key = ListKey(account_id, name)
    with session.reading() as connection:
        accounts.get(connection, account_id)
        whole = plan_adding(connection, key, entries, session.clock())
    wanted = {entry.value: entry for entry in entries}
    # Even with nothing to write there is one turn: it creates the list, and tells servers to load
    # it in case an earlier attempt was interrupted before that.
    turns = list(chunks(sorted(whole.rows), _TURN)) or [[]]
    tallies = [Added(0, 0, whole.tally.unchanged)]
    pace = Pace(session.database)
    for number, values in enumerate(turns, 1):
        with pace.turn(), session.change() as change:
            found = _open(change, key, kind if number == 1 else None)
            some = [wanted[value] for value in values]
            plan = plan_turn(change.connection, key, some, change.now_ms)
            _write(change, key, found, plan)
            if number == len(turns):
                _touch(change, key)
        tallies.append(plan.tally)
    return Added(*map(sum, zip(*map(msgspec.structs.astuple, tallies), strict=True)))


def remove(change: Change, account_id: str, name: str, entries: Sequence[ListEntry]) -> int:
    """Take entries off a list; all of them, or none when one of them is not on it."""
    key = ListKey(account_id, name)
    kind = _open(change, key)
    wanted = {entry.value: entry.shown for entry in entries}
    if len(wanted) > MOST_REMOVED:
        raise InvalidInput(
            f"at most {MOST_REMOVED} entries can be removed at once; or drop the list"
        )
    there = in_force(change.connection, key, list(wanted), change.now_ms)
    missing = [shown for value, shown in wanted.items() if value not in there]
    if missing:
        raise NotFound(_not_on_the_list(name, missing, len(wanted)))
    ends: dict[int, list[str]] = {}
    for value, row in there.items():
        ends.setdefault(max(change.now_ms, row.added_at_ms), []).append(value)
    for at_ms, values in ends.items():
        _end(change, key, values, at_ms)
    if wanted:
        _touch(change, key)
    change.audit("list.remove", account_id, list=name, kind=kind.value, removed=len(wanted))
    return len(wanted)


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
    if before is not None and not before.startswith(DROPPED):
        raise Conflict(f"list {name} exists already; it holds {before}")
    if sum(not held.startswith(DROPPED) for held in there.values()) >= MOST_LISTS:
        raise Conflict(f"an account has at most {MOST_LISTS} lists; drop one first")
    about = reason_text(description)
    values = {"kind": kind.value, "description": about, "created_at_ms": change.now_ms}
    if before is None:
        row = {"account_id": account_id, "name": name, "changes": 1, **values}
        change.connection.execute(LISTS.insert(), row)
        return
    key = ListKey(account_id, name)
    if before != DROPPED + kind.value:
        # Earlier entries were of another kind and mean nothing on the new list.
        change.connection.execute(LIST_ENTRIES.delete().where(entries_of(key)))
    _touch(change, key, **values)


def _end(change: Change, key: ListKey, values: Sequence[str], at_ms: int) -> None:
    here = entries_of(key) & _rows.removed_at_ms.is_(None)
    for some in chunks(values):
        statement = LIST_ENTRIES.update().where(here, _rows.value.in_(some))
        change.connection.execute(statement.values(removed_at_ms=at_ms))


def _open(change: Change, key: ListKey, kind: ListKind | None = None) -> ListKind:
    """What a list holds; with a kind, the list is created if it does not exist.

    Expired entries get their end, so that no server loads them any more.
    """
    accounts.get(change.connection, key.account_id)
    if kind is not None and key.name not in kinds(change.connection, key.account_id):
        _create(change, *key, kind, None)
    found = kind_of(change.connection, *key, kind)
    over = entries_of(key) & _rows.removed_at_ms.is_(None) & (_rows.expires_at_ms <= change.now_ms)
    statement = LIST_ENTRIES.update().where(over).values(removed_at_ms=_rows.expires_at_ms)
    change.connection.execute(statement)
    return found


def _write(change: Change, key: ListKey, kind: ListKind, plan: ListChangePlan) -> None:
    for at_ms, values in plan.ends.items():
        _end(change, key, values, at_ms)
    head = {"account_id": key.account_id, "list": key.name, "actor": str(change.actor)}
    for some in chunks(sorted(plan.rows)):
        rows = [{**head, **msgspec.structs.asdict(plan.rows[value])} for value in some]
        change.connection.execute(LIST_ENTRIES.insert(), rows)
    counts = msgspec.structs.asdict(plan.tally)
    change.audit("list.add", key.account_id, list=key.name, kind=kind.value, **counts)


def _touch(change: Change, key: ListKey, **more: Any) -> None:
    """Count a change of the list, by which servers see that they must load it again."""
    this = (LISTS.c.account_id == key.account_id) & (LISTS.c.name == key.name)
    more["changes"] = LISTS.c.changes + 1
    change.connection.execute(LISTS.update().where(this).values(more))


def _not_on_the_list(name: str, missing: Sequence[str], asked: int) -> str:
    named = ", ".join(missing[:_SHOWN_MISSING])
    if len(missing) > _SHOWN_MISSING:
        named += f" and {len(missing) - _SHOWN_MISSING} others"
    kept = "" if asked == 1 else "; nothing was removed"
    return f"not on list {name}: {named}{kept}"
