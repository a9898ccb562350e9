"""Reads an account's lists: for people, for servers, and as they were at a moment in the past."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.rules.list_entries import KIND_WORDS, ListKind, is_hash
from gatehouse.rules.lists import (
    MARKED,
    AccountLists,
    Mark,
    covering_entries,
    membership,
    past_membership,
)
from gatehouse.store.configured.account_signature import refused
from gatehouse.store.configured.configurations import StaleVersion
from gatehouse.store.configured.list_plans import ListKey, counts_at, entries_of, streamed
from gatehouse.store.configured.signing import ListTotal, Signer
from gatehouse.store.database import struct_from
from gatehouse.store.tables import LIST_ENTRIES, LISTS

_LIST_HOLDS: Final = Phrase(
    "refused.list_holds",
    "list {name} holds {kind}, not {expected}; use another list for {expected}",
)
_LIST_VERSION: Final = Phrase("refused.list_version", "version {version} is in force")
_LIST_NONE: Final = Phrase("refused.list_none", "there is no such list")
_LIST_ENTRY_CHANGED: Final = Phrase(
    "refused.list_entry_changed", "an entry of list {list} was changed: {shown}"
)
_LIST_ENTRY_STRAY: Final = Phrase(
    "refused.list_entry_stray", "an entry is on list {name}, which does not exist"
)
_LIST_ENTRIES_CHANGED: Final = Phrase(
    "refused.list_entries_changed", "entries of list {name} were added, changed or removed"
)

_NO_LIST: Final = Phrase("refused.no_list", "there is no list {name}")

DROPPED: Final = "-"
"""Begins the kind of a dropped list. Its row stays, so that the history knows what its entries
were, and the number of changes of an account only ever grows."""
_FOREVER: Final = 2**63 - 1
_MOST_HOLDING: Final = 100

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


class ListPast(msgspec.Struct, frozen=True):
    """The past of a list."""

    kind: ListKind
    spans: dict[str, list[int]]
    """By entry, when it was added and when it ended, in turn."""
    mark: Mark | None = None
    """Finds names that were erased, if there are any."""


class EntryPage(msgspec.Struct, frozen=True):
    """Which entries of a list are read."""

    at_ms: int
    """The moment at which they are looked at."""
    limit: int = 1000
    after: tuple[str, int] | None = None
    """Value and `added_at_ms` of the last entry of the page before."""
    include_gone: bool = False
    """Whether removed, replaced and expired entries are read, too."""
    value: str | None = None
    """Only entries with this value, as it is kept."""


def kinds(connection: sa.Connection, account_id: str) -> dict[str, ListKind]:
    """The lists of an account, by name, and what each holds."""
    query = sa.select(LISTS.c.name, LISTS.c.kind).where(LISTS.c.account_id == account_id)
    rows = connection.execute(query.order_by(LISTS.c.name))
    return {name: ListKind(kind) for name, kind in rows if not kind.startswith(DROPPED)}


def kinds_ever(connection: sa.Connection, account_id: str) -> dict[str, ListKind]:
    """The same with dropped lists, whose entries are kept as history."""
    query = sa.select(LISTS.c.name, LISTS.c.kind).where(LISTS.c.account_id == account_id)
    rows = connection.execute(query.order_by(LISTS.c.name))
    return {name: ListKind(kind.removeprefix(DROPPED)) for name, kind in rows}


def kind_of(connection: sa.Connection, account_id: str, name: str) -> ListKind:
    """What a list holds; refused when there is none."""
    kind = kinds(connection, account_id).get(name)
    if kind is None:
        raise NotFound(_NO_LIST(name=recordable(name)))
    return kind


def kind_as(
    connection: sa.Connection, account_id: str, name: str, expected: ListKind | None
) -> ListKind:
    """The same, refused when something else was expected."""
    kind = kind_of(connection, account_id, name)
    if expected not in (None, kind):
        held, other = KIND_WORDS[kind](), KIND_WORDS[expected]()
        raise Conflict(_LIST_HOLDS(name=name, kind=held, expected=other))
    return kind


def check_version(connection: sa.Connection, key: ListKey, expected: int | None) -> None:
    """Refuse a change of a list that was changed since its author saw it; 0 is for a new one."""
    if expected is None:
        return
    query = sa.select(LISTS.c.kind, LISTS.c.changes).where(
        LISTS.c.account_id == key.account_id, LISTS.c.name == key.name
    )
    row = connection.execute(query).first()
    now = 0 if row is None or row.kind.startswith(DROPPED) else row.changes
    if now != expected:
        raise StaleVersion(_LIST_VERSION(version=now) if now else _LIST_NONE())


def overview(connection: sa.Connection, account_id: str, at_ms: int) -> list[ListInfo]:
    """All lists of an account, by name."""
    counting = (
        sa.select(_rows.list, sa.func.count())
        .where(_rows.account_id == account_id, counts_at(at_ms))
        .group_by(_rows.list)
    )
    sizes: dict[str, int] = {row[0]: row[1] for row in connection.execute(counting)}
    query = sa.select(LISTS).where(LISTS.c.account_id == account_id).order_by(LISTS.c.name)
    return [
        struct_from(row, ListInfo, entries=sizes.get(row.name, 0))
        for row in connection.execute(query)
        if not row.kind.startswith(DROPPED)
    ]


def entries(
    connection: sa.Connection, account_id: str, name: str, page: EntryPage, signer: Signer
) -> list[ListedEntry]:
    """The entries of a list, by value."""
    kind_of(connection, account_id, name)
    query = sa.select(LIST_ENTRIES).where(entries_of(ListKey(account_id, name)))
    if not page.include_gone:
        query = query.where(counts_at(page.at_ms))
    if page.value is not None:
        query = query.where(_rows.value.in_((page.value, signer.mark(page.value))))
    if page.after is not None:
        query = query.where(sa.tuple_(_rows.value, _rows.added_at_ms) > sa.tuple_(*page.after))
    chosen = query.order_by(_rows.value, _rows.added_at_ms).limit(page.limit)
    found = []
    for row in streamed(connection, chosen):
        _check_entry(signer, row)
        found.append(struct_from(row, ListedEntry))
    return found


def holding(
    connection: sa.Connection,
    account_id: str,
    values: Mapping[ListKind, Sequence[str]],
    signer: Signer,
) -> list[tuple[str, ListedEntry]]:
    """The lists that hold or held one of some values, by name, each with its entry.

    The values of each kind are as the entries of such lists are kept.
    """
    wanted = [
        sa.and_(
            _rows.list == name,
            _rows.value.in_([*values[kind], *map(signer.mark, values[kind])]),
        )
        for name, kind in kinds(connection, account_id).items()
        if values.get(kind)
    ]
    if not wanted:
        return []
    query = sa.select(LIST_ENTRIES).where(_rows.account_id == account_id, sa.or_(*wanted))
    ordered = query.order_by(_rows.list, _rows.added_at_ms.desc()).limit(_MOST_HOLDING)
    found = []
    for row in connection.execute(ordered):
        _check_entry(signer, row)
        found.append((row.list, struct_from(row, ListedEntry)))
    return found


def _check_entry(signer: Signer, row: Any) -> None:
    if not signer.is_genuine(LIST_ENTRIES, row._mapping):
        raise refused(row.account_id, _LIST_ENTRY_CHANGED(list=row.list, shown=row.shown))


def load(connection: sa.Connection, account_id: str, signer: Signer) -> AccountLists:
    """All lists of an account, ready for look-ups in a server; or `ConfigurationRefused`.

    The rows of the lists themselves must have been checked before.
    """
    found = kinds(connection, account_id)
    listed: dict[str, dict[str, int | None]] = {name: {} for name in found}
    sums = dict.fromkeys(found, 0)
    weight = signer.weight
    query = sa.select(_rows.list, _rows.value, _rows.added_at_ms, _rows.expires_at_ms).where(
        _rows.account_id == account_id, _rows.removed_at_ms.is_(None)
    )
    for name, value, added_at_ms, expires_at_ms in streamed(connection, query):
        if name not in listed:
            raise refused(account_id, _LIST_ENTRY_STRAY(name=name))
        listed[name][value] = expires_at_ms
        sums[name] += weight(account_id, name, value, added_at_ms, expires_at_ms)
    _check_totals(connection, account_id, signer, {n: (len(listed[n]), sums[n]) for n in found})
    return AccountLists(
        {
            name: membership(kind, listed[name], mark_of(kind, listed[name], signer))
            for name, kind in found.items()
        }
    )


def anonymous(kind: ListKind, value: str, signer: Signer) -> str:
    """What stands on a list for a value without naming anybody: a hash, or a fingerprint."""
    return signer.mark(value) if kind in MARKED and not is_hash(value) else value


def mark_of(kind: ListKind, values: Iterable[str], signer: Signer) -> Mark | None:
    """How names that were erased are found on a list; None where there are none."""
    return signer.mark if kind in MARKED and any(map(is_hash, values)) else None


def _check_totals(
    connection: sa.Connection,
    account_id: str,
    signer: Signer,
    found: Mapping[str, tuple[int, int]],
) -> None:
    """Compare the entries in force with what the rows of their lists say."""
    query = sa.select(LISTS.c.name, LISTS.c.total).where(LISTS.c.account_id == account_id)
    for name, total in connection.execute(query):
        if name in found and signer.read_total(account_id, name, total) != ListTotal().plus(
            *found[name]
        ):
            raise refused(account_id, _LIST_ENTRIES_CHANGED(name=name))


def history_of(
    connection: sa.Connection,
    account_id: str,
    names: Sequence[str],
    signer: Signer,
    asked: Mapping[str, Sequence[str]] | None = None,
) -> AccountLists:
    """When each value was on the named lists; an unknown list is empty.

    With `asked`, the values that are going to be asked for by list, only these are read, so that
    the size of a list does not matter.
    """
    past = past_of(connection, account_id, names, signer, asked)
    return AccountLists(
        {name: past_membership(one.kind, one.spans, one.mark) for name, one in past.items()}
    )


def past_of(
    connection: sa.Connection,
    account_id: str,
    names: Sequence[str],
    signer: Signer,
    asked: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, ListPast]:
    """The same list by list, as it was kept."""
    known = kinds(connection, account_id)
    found = {name: known[name] for name in names if name in known}
    spans: dict[str, dict[str, list[int]]] = {name: {} for name in found}
    wanted: sa.ColumnElement[bool] = _rows.list.in_(list(found))
    if asked is not None:
        wanted = sa.or_(sa.false(), *(_covering(*each, asked, signer) for each in found.items()))
    query = sa.select(LIST_ENTRIES).where(_rows.account_id == account_id, wanted)
    for row in streamed(connection, query):
        _check_entry(signer, row)
        ends = (row.expires_at_ms, row.removed_at_ms, _FOREVER)
        end = min(each for each in ends if each is not None)
        spans[row.list].setdefault(row.value, []).extend((row.added_at_ms, end))
    return {
        name: ListPast(kind, spans[name], mark_of(kind, spans[name], signer))
        for name, kind in found.items()
    }


def _covering(
    name: str, kind: ListKind, asked: Mapping[str, Sequence[str]], signer: Signer
) -> sa.ColumnElement[bool]:
    """The entries of a list that could cover one of the values that are asked for."""
    entries = {each for value in asked.get(name, ()) for each in covering_entries(kind, value)}
    marks = map(signer.mark, entries) if kind in MARKED else ()
    return sa.and_(_rows.list == name, _rows.value.in_(sorted({*entries, *marks})))
