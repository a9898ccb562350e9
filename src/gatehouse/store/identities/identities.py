"""Authoritative identity records: keeping people by card and scope, finding, counting, resealing.

Every function takes the scope first: an account's id, or `EVERYONE` for the operator's records. A
record of another scope is not found.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import Conflict, KeyMissing, SealBroken
from gatehouse.core.ids import Randomness
from gatehouse.core.keyring import CARD_FINGERPRINTS, IDENTITIES
from gatehouse.idverify.people import IdentifierType, Person
from gatehouse.store import tables
from gatehouse.store.identities.dry_run import DryRun
from gatehouse.store.identities.identity_sealer import (
    HolderRecord,
    IdentitySealer,
    StoredHolder,
    UnreadableHolder,
)
from gatehouse.store.state import clear_mark, read_mark, set_mark
from gatehouse.store.tables import IDENTITY_TYPES, KEY_RING

MOST_HOLDERS: Final = 16
"""People of one card in one scope; what a lookup costs is bounded by it."""

RECOUNT: Final = "identity-types-recount"
"""The mark that the numbers of people by type are to be counted anew."""

_ROWS: Final = tables.IDENTITIES
_KEY: Final = (_ROWS.c.card, _ROWS.c.scope, _ROWS.c.person)
_THIS: Final = sa.and_(
    _ROWS.c.card == sa.bindparam("this_card"),
    _ROWS.c.scope == sa.bindparam("this_scope"),
    _ROWS.c.person == sa.bindparam("this_person"),
)

HolderKey = tuple[str, str, str]
"""Where a row is: card, scope, person."""


class RecordChange(StrEnum):
    """What became of a record that was to be kept."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


class Selector(msgspec.Struct, frozen=True):
    """Which records of a scope are meant; all conditions that are given must hold."""

    cards: Sequence[str] | None = None
    person_id: str | None = None
    references: Sequence[str] | None = None
    """Marks, as the safe makes them."""
    not_card_prefix: str | None = None
    """Only cards whose fingerprints begin otherwise."""


class Census(msgspec.Struct, frozen=True, rename="camel"):
    """How many people are kept in a scope."""

    scope: str
    people: int
    outdated: int
    """Of them, kept under a card fingerprint of an earlier key: never found again."""
    key_versions: dict[int, int]
    types: dict[str, int]


class Resealed(msgspec.Struct, frozen=True):
    """What became of the next rows: how many were seen and sealed anew, and what was left out."""

    until: HolderKey | None
    """Where it got to; None at the end."""
    seen: int
    done: int
    unreadable: Sequence[UnreadableHolder]


class _Old(msgspec.Struct):
    """What is known of a row that may be replaced."""

    version: int
    content: str
    types: frozenset[IdentifierType] | None
    """None as long as the row has not been opened."""
    row: Any = None


def check_keys(connection: sa.Connection, safe: IdentitySealer) -> None:
    """Refuse to write with keys that were replaced meanwhile: nobody could read it any more."""
    newest = sa.func.max(KEY_RING.c.version)
    query = sa.select(KEY_RING.c.purpose, newest).group_by(KEY_RING.c.purpose)
    found = {row[0]: row[1] for row in connection.execute(query)}
    known = {IDENTITIES: safe.version, CARD_FINGERPRINTS: safe.card_version}
    if {purpose: found.get(purpose) for purpose in known} != known:
        raise Conflict("a key was renewed meanwhile; run the command again")


def put(
    scope: str,
    entries: Sequence[HolderRecord],
    connection: sa.Connection,
    safe: IdentitySealer,
    chance: tuple[int, Randomness],
    *,
    rehearsal: DryRun | None = None,
) -> list[RecordChange]:
    """Keep people: new ones are added, known ones replaced if anything about them is different.

    One who cannot be read any more is replaced too. With a rehearsal nothing is written: it
    remembers what would have been.
    """
    known = _known(scope, entries, connection)
    if rehearsal is not None:
        for card, person, content in rehearsal.of(sorted({entry.card for entry in entries})):
            known.setdefault(card, {})[person] = _Old(safe.version, content, frozenset())
    fresh: dict[HolderKey, dict[str, Any]] = {}
    replaced: set[HolderKey] = set()
    change: Counter[IdentifierType] = Counter()
    uncounted = False
    outcomes = []
    for entry in entries:
        holders = known.setdefault(entry.card, {})
        person_id = safe.person_id(scope, entry)
        old = holders.get(person_id)
        if old is None and len(holders) >= MOST_HOLDERS:
            outcomes.append(RecordChange.REFUSED)
            continue
        if old is not None and _same(old, scope, entry, safe):
            outcomes.append(RecordChange.UNCHANGED)
            continue
        row = safe.row(scope, person_id, entry, chance)
        place = (entry.card, scope, person_id)
        types = types_of(entry.person)
        change.update(types)
        if old is not None:
            before = _types_of_row(old.row, safe) if old.types is None else old.types
            uncounted |= before is None
            change.subtract(before or ())
            if old.row is not None:
                replaced.add(place)
        fresh[place] = row
        holders[person_id] = _Old(row["key_version"], row["content"], types)
        outcomes.append(RecordChange.ADDED if old is None else RecordChange.CHANGED)
    if rehearsal is not None:
        rehearsal.note(list(fresh.values()))
    else:
        _write(connection, fresh, replaced)
        count_types(scope, change, connection)
        if uncounted:
            set_mark(connection, RECOUNT, str(chance[0]))
    return outcomes


def find(
    scope: str, selector: Selector, connection: sa.Connection, safe: IdentitySealer
) -> list[StoredHolder]:
    """The people that are meant, by card."""
    rows = connection.execute(_chosen(scope, selector).order_by(*_KEY))
    return [_opened(row, safe) for row in rows]


def any_of(scope: str, selector: Selector, connection: sa.Connection) -> bool:
    """Whether there is anybody of those who are meant."""
    query = _chosen(scope, selector).with_only_columns(_ROWS.c.person).limit(1)
    return connection.execute(query).first() is not None


def how_many(scope: str, selector: Selector, connection: sa.Connection) -> int:
    """How many people are meant."""
    query = _chosen(scope, selector).with_only_columns(sa.func.count())
    return connection.scalar(query) or 0


def scopes(connection: sa.Connection) -> list[str]:
    """Every scope in which people are kept."""
    return list(connection.scalars(sa.select(_ROWS.c.scope).distinct().order_by(_ROWS.c.scope)))


def everyone(
    scope: str | None, connection: sa.Connection, safe: IdentitySealer
) -> Iterator[StoredHolder | UnreadableHolder]:
    """All people of a scope, or of all scopes, without holding them all in memory."""
    query = sa.select(_ROWS).order_by(_ROWS.c.scope, _ROWS.c.card, _ROWS.c.person)
    if scope is not None:
        query = query.where(_ROWS.c.scope == scope)
    streaming = {"stream_results": True, "max_row_buffer": 1000}
    for row in connection.execute(query, execution_options=streaming):
        yield _tried(row, safe)


def delete(
    scope: str,
    selector: Selector,
    connection: sa.Connection,
    safe: IdentitySealer,
    *,
    at_most: int,
) -> list[str]:
    """Delete people, readable or not, no more than so many at once, and return their ids."""
    rows = connection.execute(_chosen(scope, selector).order_by(*_KEY).limit(at_most)).all()
    change: Counter[IdentifierType] = Counter()
    uncounted = False
    for row in rows:
        types = _types_of_row(row, safe)
        uncounted |= types is None
        change.subtract(types or ())
    if rows:
        overwrite_deleted(connection)
        connection.execute(_ROWS.delete().where(_THIS), [_named(row) for row in rows])
        count_types(scope, change, connection)
        if not any_of(scope, Selector(), connection):
            connection.execute(IDENTITY_TYPES.delete().where(IDENTITY_TYPES.c.scope == scope))
        elif uncounted:
            set_mark(connection, RECOUNT, rows[0].person)
    return [row.person for row in rows]


def census(connection: sa.Connection, safe: IdentitySealer) -> list[Census]:
    """How many people are kept, by scope."""
    current = _ROWS.c.card.startswith(safe.card_prefix, autoescape=True)
    old = sa.func.sum(sa.case((current, 0), else_=1))
    columns = (_ROWS.c.scope, _ROWS.c.key_version)
    query = sa.select(*columns, sa.func.count(), old).group_by(*columns).order_by(*columns)
    types: dict[str, dict[str, int]] = {}
    for row in connection.execute(sa.select(IDENTITY_TYPES).order_by(*IDENTITY_TYPES.primary_key)):
        types.setdefault(row.scope, {})[row.type] = row.people
    found: dict[str, Census] = {}
    for scope, version, people, outdated in connection.execute(query):
        before = found.get(scope) or Census(scope, 0, 0, {}, types.get(scope, {}))
        found[scope] = Census(
            scope,
            before.people + people,
            before.outdated + int(outdated),
            {**before.key_versions, version: people},
            before.types,
        )
    return list(found.values())


def reseal(
    after: HolderKey | None,
    connection: sa.Connection,
    safe: IdentitySealer,
    random_bytes: Randomness,
    limit: int,
) -> Resealed:
    """Seal the next rows with the newest key, and leave out those that cannot be opened."""
    query = sa.select(_ROWS).order_by(*_KEY).limit(limit)
    if after is not None:
        query = query.where(sa.tuple_(*_KEY) > sa.tuple_(*map(sa.literal, after)))
    rows = connection.execute(query).all()
    older = [(row, _tried(row, safe)) for row in rows if row.key_version < safe.version]
    values = [
        {**_named(row), **safe.reseal(kept, random_bytes)}
        for row, kept in older
        if isinstance(kept, StoredHolder)
    ]
    if values:
        overwrite_deleted(connection)
        columns = ("key_version", "sealed", "content")
        changed: dict[str, Any] = {column: sa.bindparam(column) for column in columns}
        connection.execute(_ROWS.update().where(_THIS).values(changed), values)
    last = (rows[-1].card, rows[-1].scope, rows[-1].person) if len(rows) == limit else None
    unreadable = [kept for _, kept in older if isinstance(kept, UnreadableHolder)]
    return Resealed(last, len(rows), len(values), unreadable)


def drop_old_keys(connection: sa.Connection, safe: IdentitySealer) -> int:
    """Take the keys off the ring that seal nothing any more; returns how many."""
    check_keys(connection, safe)
    remaining = sa.select(_ROWS.c.person).where(_ROWS.c.key_version < safe.version).limit(1)
    if connection.execute(remaining).first() is not None:
        raise Conflict("records sealed with an older key have come in; run the command again")
    overwrite_deleted(connection)
    older = (KEY_RING.c.purpose == IDENTITIES) & (KEY_RING.c.version < safe.version)
    return connection.execute(KEY_RING.delete().where(older)).rowcount


def count_types(scope: str, change: "Counter[IdentifierType]", connection: sa.Connection) -> None:
    """Keep the numbers of people by type of identifier in step."""
    if not any(change.values()):
        return
    here = IDENTITY_TYPES.c.scope == scope
    before = {row.type: row.people for row in connection.execute(
        sa.select(IDENTITY_TYPES).where(here))}  # fmt: skip
    for kind, by in change.items():
        before[kind.value] = before.get(kind.value, 0) + by
    connection.execute(IDENTITY_TYPES.delete().where(here))
    rows = [{"scope": scope, "type": kind, "people": n} for kind, n in before.items() if n > 0]
    if rows:
        connection.execute(IDENTITY_TYPES.insert(), rows)


def recount_types(connection: sa.Connection, safe: IdentitySealer) -> None:
    """Count the people by type of identifier anew, if one went whose types nobody could read."""
    mark = read_mark(connection, RECOUNT)
    if mark is None:
        return
    found: Counter[tuple[str, str]] = Counter()
    for one in everyone(None, connection, safe):
        if isinstance(one, StoredHolder):
            found.update((one.scope, kind.value) for kind in types_of(one.entry.person))
    connection.execute(IDENTITY_TYPES.delete())
    rows = [{"scope": scope, "type": kind, "people": n} for (scope, kind), n in found.items()]
    if rows:
        connection.execute(IDENTITY_TYPES.insert(), rows)
    clear_mark(connection, RECOUNT, mark)


def types_of(person: Person) -> frozenset[IdentifierType]:
    """The types of identifiers that a person has."""
    return frozenset([identifier.type for identifier in person.identifiers])


def overwrite_deleted(connection: sa.Connection) -> None:
    """Have SQLite write zeros over what this connection deletes, instead of only forgetting it."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")


def _known(
    scope: str, entries: Sequence[HolderRecord], connection: sa.Connection
) -> dict[str, dict[str, _Old]]:
    cards = sorted({entry.card for entry in entries})
    query = sa.select(_ROWS).where(_ROWS.c.card.in_(cards), _ROWS.c.scope == scope)
    known: dict[str, dict[str, _Old]] = {}
    for row in connection.execute(query):
        old = _Old(row.key_version, row.content, None, row)
        known.setdefault(row.card, {})[row.person] = old
    return known


def _same(old: _Old, scope: str, entry: HolderRecord, safe: IdentitySealer) -> bool:
    if not safe.knows(old.version) or safe.content(old.version, scope, entry) != old.content:
        return False
    # The hash alone would vouch for a row that is damaged, which the import then could not heal.
    kept = None if old.row is None else _tried(old.row, safe)
    return kept is None or (isinstance(kept, StoredHolder) and kept.entry == entry)


def _types_of_row(row: Any, safe: IdentitySealer) -> frozenset[IdentifierType] | None:
    # It must be possible to replace or delete what nobody can read.
    kept = _tried(row, safe)
    return types_of(kept.entry.person) if isinstance(kept, StoredHolder) else None


def _tried(row: Any, safe: IdentitySealer) -> StoredHolder | UnreadableHolder:
    try:
        return safe.open(row)
    except (KeyMissing, SealBroken) as error:
        return UnreadableHolder(row.scope, row.person, str(error))


def _opened(row: Any, safe: IdentitySealer) -> StoredHolder:
    try:
        return safe.open(row)
    except (KeyMissing, SealBroken) as error:
        raise type(error)(f"record {row.person} cannot be opened: {error}") from None


def _write(
    connection: sa.Connection, fresh: dict[HolderKey, dict[str, Any]], replaced: set[HolderKey]
) -> None:
    if replaced:
        overwrite_deleted(connection)
        names = ("this_card", "this_scope", "this_person")
        keys = [dict(zip(names, place, strict=True)) for place in sorted(replaced)]
        connection.execute(_ROWS.delete().where(_THIS), keys)
    if fresh:
        connection.execute(_ROWS.insert(), [fresh[place] for place in sorted(fresh)])


def _named(row: Any) -> dict[str, str]:
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
