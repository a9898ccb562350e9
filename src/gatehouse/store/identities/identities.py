"""Authoritative identity records: people stored by card and scope, found, and deleted.

Every function takes the scope first: an account's id, or `EVERYONE` for the operator's records. A
record of another scope is not found.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import KeyMissing, SealBroken
from gatehouse.idverify.people import IdentifierType
from gatehouse.store import tables
from gatehouse.store.identities.identity_counts import RECOUNT, count_types, types_of
from gatehouse.store.identities.identity_sealer import (
    HolderRecord,
    IdentitySealer,
    StoredHolder,
    UnreadableHolder,
)
from gatehouse.store.state import set_mark
from gatehouse.store.tables import IDENTITY_TYPES

MOST_HOLDERS: Final = 16
"""People of one card in one scope; what a lookup costs is bounded by it."""

_ROWS: Final = tables.IDENTITIES
ROW_KEY: Final = (_ROWS.c.card, _ROWS.c.scope, _ROWS.c.person)
THIS_ROW: Final = sa.and_(
    _ROWS.c.card == sa.bindparam("this_card"),
    _ROWS.c.scope == sa.bindparam("this_scope"),
    _ROWS.c.person == sa.bindparam("this_person"),
)

HolderKey = tuple[str, str, str]
"""The key of a row: card, scope, person."""


class RecordChange(StrEnum):
    """What became of a record that was to be stored."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


class Selector(msgspec.Struct, frozen=True):
    """Selects records of a scope; all given conditions must hold."""

    cards: Sequence[str] | None = None
    person_id: str | None = None
    references: Sequence[str] | None = None
    """Marks, as `IdentitySealer` makes them."""
    not_card_prefix: str | None = None
    """Only cards whose fingerprints begin differently."""


class _Old(msgspec.Struct, frozen=True):
    """A person on record who may be replaced; both marks are None when the row cannot be opened."""

    content: str | None
    types: frozenset[IdentifierType] | None
    in_database: bool = False
    """Else it was added by the same batch or dry run."""


class DryRun:
    """Remembers what a dry run of an import would have stored so far, all as keyed hashes.

    It is a temporary file that SQLite removes: memory does not grow with the import.
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(
            "CREATE TABLE stored (card TEXT, person TEXT, content TEXT, PRIMARY KEY (card, person))"
            " WITHOUT ROWID"
        )

    def of(self, cards: Iterable[str]) -> list[tuple[str, str, str]]:
        """Card, person and content of the people that would have been stored for the cards."""
        query = "SELECT card, person, content FROM stored WHERE card = ?"
        ask = self._database.execute
        return [row for card in cards for row in ask(query, (card,)).fetchall()]

    def note(self, rows: Sequence[dict[str, Any]]) -> None:
        """Remember rows that would have been written."""
        values = [(row["card"], row["person"], row["content"]) for row in rows]
        self._database.execute("BEGIN")
        self._database.executemany("INSERT OR REPLACE INTO stored VALUES (?, ?, ?)", values)
        self._database.execute("COMMIT")

    def close(self) -> None:
        """Forget everything."""
        self._database.close()


def put(
    scope: str,
    entries: Sequence[HolderRecord],
    connection: sa.Connection,
    sealer: IdentitySealer,
    now_ms: int,
    *,
    dry_run: DryRun | None = None,
) -> list[RecordChange]:
    """Store people: new ones are added, known ones replaced if anything about them is different.

    A row that cannot be opened is replaced too. In a dry run nothing is written, but remembered.
    """
    cards = sorted({entry.card for entry in entries})
    known = _known(scope, cards, connection, sealer)
    if dry_run is not None:
        for card, person, content in dry_run.of(cards):
            known[card][person] = _Old(content, frozenset())
    fresh: dict[HolderKey, dict[str, Any]] = {}
    replaced: set[HolderKey] = set()
    change: Counter[IdentifierType] = Counter()
    uncounted = False
    outcomes = []
    for entry in entries:
        holders = known[entry.card]
        person_id = sealer.person_id(scope, entry)
        old = holders.get(person_id)
        if old is None and len(holders) >= MOST_HOLDERS:
            outcomes.append(RecordChange.REFUSED)
            continue
        content = sealer.content(scope, entry)
        if old is not None and old.content == content:
            outcomes.append(RecordChange.UNCHANGED)
            continue
        key = (entry.card, scope, person_id)
        types = types_of(entry.person)
        change.update(types)
        if old is not None:
            uncounted |= old.types is None
            change.subtract(old.types or ())
            if old.in_database:
                replaced.add(key)
        fresh[key] = sealer.row(scope, person_id, entry, now_ms)
        holders[person_id] = _Old(content, types)
        outcomes.append(RecordChange.ADDED if old is None else RecordChange.CHANGED)
    if dry_run is not None:
        dry_run.note(list(fresh.values()))
    else:
        _write(connection, fresh, replaced)
        count_types(scope, change, connection)
        if uncounted:
            set_mark(connection, RECOUNT, str(now_ms))
    return outcomes


def find(
    scope: str, selector: Selector, connection: sa.Connection, sealer: IdentitySealer
) -> list[StoredHolder]:
    """The selected people, by card."""
    rows = connection.execute(_chosen(scope, selector).order_by(*ROW_KEY))
    return [_opened(row, sealer) for row in rows]


def any_of(scope: str, selector: Selector, connection: sa.Connection) -> bool:
    """Whether there is any selected record."""
    query = _chosen(scope, selector).with_only_columns(_ROWS.c.person).limit(1)
    return connection.execute(query).first() is not None


def how_many(scope: str, selector: Selector, connection: sa.Connection) -> int:
    """How many records are selected."""
    query = _chosen(scope, selector).with_only_columns(sa.func.count())
    return connection.scalar(query) or 0


def scopes(connection: sa.Connection) -> list[str]:
    """Every scope that has records."""
    return list(connection.scalars(sa.select(_ROWS.c.scope).distinct().order_by(_ROWS.c.scope)))


def everyone(
    scope: str | None, connection: sa.Connection, sealer: IdentitySealer
) -> Iterator[StoredHolder | UnreadableHolder]:
    """All people of a scope, or of all scopes, without holding them all in memory."""
    query = sa.select(_ROWS).order_by(_ROWS.c.scope, _ROWS.c.card, _ROWS.c.person)
    if scope is not None:
        query = query.where(_ROWS.c.scope == scope)
    streaming = {"stream_results": True, "max_row_buffer": 1000}
    for row in connection.execute(query, execution_options=streaming):
        yield open_or_explain(row, sealer)


def delete(
    scope: str,
    selector: Selector,
    connection: sa.Connection,
    sealer: IdentitySealer,
    *,
    at_most: int,
) -> list[str]:
    """Delete at most so many people, readable or not, and return their ids."""
    rows = connection.execute(_chosen(scope, selector).order_by(*ROW_KEY).limit(at_most)).all()
    change: Counter[IdentifierType] = Counter()
    uncounted = False
    for row in rows:
        types = _types_of_row(row, sealer)
        uncounted |= types is None
        change.subtract(types or ())
    if rows:
        overwrite_deleted(connection)
        connection.execute(_ROWS.delete().where(THIS_ROW), [row_parameters(row) for row in rows])
        count_types(scope, change, connection)
        if not any_of(scope, Selector(), connection):
            connection.execute(IDENTITY_TYPES.delete().where(IDENTITY_TYPES.c.scope == scope))
        elif uncounted:
            set_mark(connection, RECOUNT, rows[0].person)
    return [row.person for row in rows]


def overwrite_deleted(connection: sa.Connection) -> None:
    """Have SQLite write zeros over what this connection deletes, instead of only forgetting it."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")


def _known(
    scope: str, cards: Sequence[str], connection: sa.Connection, sealer: IdentitySealer
) -> defaultdict[str, dict[str, _Old]]:
    """The people of the cards that are on record, by card and id."""
    known: defaultdict[str, dict[str, _Old]] = defaultdict(dict)
    # The column of content marks is not enough: a damaged row must be replaced.
    for row in connection.execute(_chosen(scope, Selector(cards=cards))):
        stored, content, types = open_or_explain(row, sealer), None, None
        if isinstance(stored, StoredHolder):
            content, types = sealer.content(scope, stored.entry), types_of(stored.entry.person)
        known[row.card][row.person] = _Old(content, types, in_database=True)
    return known


def _types_of_row(row: Any, sealer: IdentitySealer) -> frozenset[IdentifierType] | None:
    # A row that cannot be opened can still be replaced or deleted.
    stored = open_or_explain(row, sealer)
    return types_of(stored.entry.person) if isinstance(stored, StoredHolder) else None


def open_or_explain(row: Any, sealer: IdentitySealer) -> StoredHolder | UnreadableHolder:
    """The person of a row, or why the row cannot be opened."""
    try:
        return sealer.open(row)
    except (KeyMissing, SealBroken) as error:
        return UnreadableHolder(row.scope, row.person, str(error))


def _opened(row: Any, sealer: IdentitySealer) -> StoredHolder:
    try:
        return sealer.open(row)
    except (KeyMissing, SealBroken) as error:
        raise type(error)(f"record {row.person} cannot be opened: {error}") from None


def _write(
    connection: sa.Connection, fresh: dict[HolderKey, dict[str, Any]], replaced: set[HolderKey]
) -> None:
    if replaced:
        overwrite_deleted(connection)
        names = ("this_card", "this_scope", "this_person")
        keys = [dict(zip(names, key, strict=True)) for key in sorted(replaced)]
        connection.execute(_ROWS.delete().where(THIS_ROW), keys)
    if fresh:
        connection.execute(_ROWS.insert(), [fresh[key] for key in sorted(fresh)])


def row_parameters(row: Any) -> dict[str, str]:
    """The parameters of `THIS_ROW`."""
    return {"this_card": row.card, "this_scope": row.scope, "this_person": row.person}


def _chosen(scope: str, selector: Selector) -> "sa.Select[Any]":
    query = sa.select(_ROWS).where(_ROWS.c.scope == scope)
    if selector.cards is not None:
        query = query.where(_ROWS.c.card.in_(selector.cards))
    if selector.person_id is not None:
        query = query.where(_ROWS.c.person == selector.person_id)
    if selector.references is not None:
        query = query.where(_ROWS.c.reference.in_(selector.references))
    if selector.not_card_prefix is not None:
        query = query.where(~_ROWS.c.card.startswith(selector.not_card_prefix, autoescape=True))
    return query
