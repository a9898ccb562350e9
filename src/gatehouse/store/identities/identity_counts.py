"""How many people are stored: by scope, by version of the sealing key, by type of identifier."""

from collections import Counter
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.idverify.people import IdentifierType, Person
from gatehouse.store import tables
from gatehouse.store.identities.identity_sealer import IdentitySealer
from gatehouse.store.tables import IDENTITY_TYPES

RECOUNT: Final = "identity-types-recount"
"""The mark that people by type must be counted anew."""

_ROWS: Final = tables.IDENTITIES


class Census(msgspec.Struct, rename="camel"):
    """How many people are stored in a scope."""

    scope: str
    people: int
    outdated: int
    """Of them, stored under a card fingerprint of an earlier key: never found again."""
    key_versions: dict[int, int]
    types: dict[str, int]


def census(connection: sa.Connection, sealer: IdentitySealer) -> list[Census]:
    """How many people are stored, by scope."""
    current = _ROWS.c.card.startswith(sealer.card_prefix, autoescape=True)
    old = sa.func.sum(sa.case((current, 0), else_=1))
    columns = (_ROWS.c.scope, _ROWS.c.key_version)
    query = sa.select(*columns, sa.func.count(), old).group_by(*columns).order_by(*columns)
    types: dict[str, dict[str, int]] = {}
    for row in connection.execute(sa.select(IDENTITY_TYPES).order_by(*IDENTITY_TYPES.primary_key)):
        types.setdefault(row.scope, {})[row.type] = row.people
    found: dict[str, Census] = {}
    for scope, version, people, outdated in connection.execute(query):
        one = found.setdefault(scope, Census(scope, 0, 0, {}, types.get(scope, {})))
        one.people += people
        one.outdated += int(outdated)
        one.key_versions[version] = people
    return list(found.values())


def count_types(scope: str, change: "Counter[IdentifierType]", connection: sa.Connection) -> None:
    """Add changes to the numbers of people by type of identifier."""
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


def types_of(person: Person) -> frozenset[IdentifierType]:
    """The types of identifiers that a person has."""
    return frozenset([identifier.type for identifier in person.identifiers])
