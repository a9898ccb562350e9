"""Changes of an account's lists and their entries.

A row never changes, except that it gets its end. An entry that is added again gets a row of its
own, so that a backtest knows what was listed when.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.conditions.catalogue import LIST_NAME
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.rules.list_entries import ListEntry, ListKind
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.configured.account_signature import check_account, signed_change
from gatehouse.store.configured.list_plans import (
    Added,
    ListChangePlan,
    ListKey,
    NewRow,
    PlannedEntry,
    chunks,
    entries_of,
    in_force,
    plan_adding,
    plan_turn,
    reason_text,
)
from gatehouse.store.configured.list_reading import DROPPED, anonymous, kind_as, kinds
from gatehouse.store.configured.open_list import OpenList, insert_list
from gatehouse.store.tables import LIST_ENTRIES, LISTS

_NOT_ON_LIST: Final = Phrase("refused.not_on_list", "not on list {name}: {named}")
_NOT_ON_LIST_KEPT: Final = Phrase(
    "refused.not_on_list_kept", "not on list {name}: {named}; nothing was removed"
)
_AND_OTHERS: Final = Phrase("refused.and_others", "{named} and {count} others")

_LIST_REMOVE_MOST: Final = Phrase(
    "refused.list_remove_most", "at most {most} entries can be removed at once; or drop the list"
)
_LIST_NAME: Final = Phrase(
    "refused.list_name",
    "a list's name is 1 to 64 small letters, digits, hyphens and underscores, and "
    "begins with a letter or a digit",
)

_LIST_EXISTS: Final = Phrase("refused.list_exists", "list {name} exists already; it holds {before}")
_LISTS_FULL: Final = Phrase(
    "refused.lists_full", "an account has at most {most} lists; drop one first"
)

MOST_LISTS: Final = 100
MOST_REMOVED: Final = 5000
"""Entries that are removed in one transaction, for which servers wait."""

_SHOWN_MISSING: Final = 10
_TURN: Final = 5000


def create(
    change: Change, account_id: str, name: str, kind: ListKind, description: str | None = None
) -> None:
    """Create an empty list."""
    accounts.get(change.connection, account_id)
    _create(change, account_id, name, kind, description)
    change.audit("list.create", account_id, list=name, kind=kind.value)


def drop(change: Change, account_id: str, name: str) -> int:
    """Remove a list with all its entries; how many were in force."""
    opened = _open(change, ListKey(account_id, name))
    removed = opened.end_all()
    kind = opened.kind.value
    opened.close(kind=DROPPED + kind)
    change.audit("list.drop", account_id, list=name, kind=kind, removed=removed)
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
    opened = _open(change, key, kind)
    plan = plan_adding(change.connection, key, entries, change.now_ms)
    _write(change, opened, plan)
    opened.close(counted=bool(plan.rows))
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
            opened = _open(change, key, kind if number == 1 else None)
            some = [wanted[value] for value in values]
            plan = plan_turn(change.connection, key, some, change.now_ms)
            _write(change, opened, plan)
            opened.close(counted=number == len(turns))
        tallies.append(plan.tally)
    return Added(*map(sum, zip(*map(msgspec.structs.astuple, tallies), strict=True)))


def remove(change: Change, account_id: str, name: str, entries: Sequence[ListEntry]) -> int:
    """Take entries off a list; all of them, or none when one of them is not on it."""
    key = ListKey(account_id, name)
    opened = _open(change, key)
    wanted = {entry.value: entry.shown for entry in entries}
    if len(wanted) > MOST_REMOVED:
        raise InvalidInput(_LIST_REMOVE_MOST(most=MOST_REMOVED))
    marks = {value: change.signer.mark(value) for value in wanted}
    named = [*wanted, *marks.values()]
    there = in_force(change.connection, key, named, change.now_ms)
    missing = [each for value, each in wanted.items() if not {value, marks[value]} & there.keys()]
    if missing:
        raise NotFound(_not_on_the_list(name, missing, len(wanted)))
    ends: dict[int, list[str]] = {}
    for value, row in there.items():
        ends.setdefault(max(change.now_ms, row.added_at_ms), []).append(value)
    for at_ms, values in ends.items():
        opened.end(values, at_ms)
    opened.close(counted=bool(wanted))
    removed = {"kind": opened.kind.value, "removed": len(wanted)}
    change.audit("list.remove", account_id, list=name, **removed)
    return len(wanted)


def erase(change: Change, account_id: str, name: str, values: Sequence[str]) -> int:
    """Delete all that is known of values, also of a dropped list; how many rows there were.

    What was in force stays so without naming anybody: what decides is changed elsewhere. The caller
    writes the audit line.
    """
    key = ListKey(account_id, name)
    these = entries_of(key) & LIST_ENTRIES.c.value.in_(values)
    kind = kinds(change.connection, account_id).get(name)
    if kind is None:
        return change.connection.execute(LIST_ENTRIES.delete().where(these)).rowcount
    opened = _open(change, key)
    left: dict[str, NewRow] = {}
    for value, row in in_force(change.connection, key, values, change.now_ms).items():
        shown = anonymous(kind, value, change.signer)
        ends = row.expires_at_ms
        if shown in left:
            until = (ends, left[shown].expires_at_ms)
            ends = None if None in until else max(until)
        left[shown] = NewRow(shown, shown, None, ends, added_at_ms=row.added_at_ms)
    opened.end(values, change.now_ms)
    erased = change.connection.execute(LIST_ENTRIES.delete().where(these)).rowcount
    if left:
        opened.add(list(left.values()))
    opened.close()
    return erased


def _create(
    change: Change, account_id: str, name: str, kind: ListKind, description: str | None
) -> None:
    if LIST_NAME.fullmatch(name) is None or recordable(name) != name:
        raise InvalidInput(_LIST_NAME())
    query = sa.select(LISTS).where(LISTS.c.account_id == account_id)
    there = {row.name: row.kind for row in change.connection.execute(query)}
    before = there.get(name)
    if before is not None and not before.startswith(DROPPED):
        raise Conflict(_LIST_EXISTS(name=name, before=before))
    if sum(not held.startswith(DROPPED) for held in there.values()) >= MOST_LISTS:
        raise Conflict(_LISTS_FULL(most=MOST_LISTS))
    about = reason_text(description)
    key = ListKey(account_id, name)
    if before is None:
        with signed_change(change, account_id):
            insert_list(change, key, kind.value, about)
        return
    if before != DROPPED + kind.value:
        # Earlier entries were of another kind and mean nothing on the new list.
        change.connection.execute(LIST_ENTRIES.delete().where(entries_of(key)))
    check_account(change.connection, change.signer, account_id)
    opened = OpenList(change, key, kind)
    opened.close(kind=kind.value, description=about, created_at_ms=change.now_ms)


def _open(change: Change, key: ListKey, kind: ListKind | None = None) -> OpenList:
    """A list to change; with a kind, the list is created if it does not exist.

    Expired entries get their end, so that no server loads them any more.
    """
    accounts.get(change.connection, key.account_id)
    if kind is not None and key.name not in kinds(change.connection, key.account_id):
        _create(change, *key, kind, None)
    check_account(change.connection, change.signer, key.account_id)
    opened = OpenList(change, key, kind_as(change.connection, *key, kind))
    opened.end_expired()
    return opened


def _write(change: Change, opened: OpenList, plan: ListChangePlan) -> None:
    for at_ms, values in plan.ends.items():
        opened.end(values, at_ms)
    for some in chunks(sorted(plan.rows)):
        opened.add([plan.rows[value] for value in some])
    counts = msgspec.structs.asdict(plan.tally)
    account_id, name = opened.key
    change.audit("list.add", account_id, list=name, kind=opened.kind.value, **counts)


def _not_on_the_list(name: str, missing: Sequence[str], asked: int) -> str:
    named = ", ".join(missing[:_SHOWN_MISSING])
    if len(missing) > _SHOWN_MISSING:
        named = _AND_OTHERS(named=named, count=len(missing) - _SHOWN_MISSING)
    phrase = _NOT_ON_LIST if asked == 1 else _NOT_ON_LIST_KEPT
    return phrase(name=name, named=named)
