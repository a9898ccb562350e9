"""The embedded identity source: answers requests from the stored records.

A thread with a connection of its own answers all lookups of a turn of the event loop with one
statement (see `store.requests.batches`). What a lookup costs depends on the card's holders alone.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
import psycopg

from gatehouse.core.errors import ConnectorFailed, KeyMissing, SealBroken
from gatehouse.core.secrets.keyring import IDENTITIES, KeyRing
from gatehouse.core.secrets.sealing import Sealer
from gatehouse.idverify.people import IdentifierType, Person
from gatehouse.idverify.source import Holders, IdentityEnquiry
from gatehouse.store.database import Database
from gatehouse.store.identities.identity_sealer import EVERYONE, label_of, read_person
from gatehouse.store.requests.batches import UNREACHABLE, BatchThread, DriverSession, Ordered

_log: Final = logging.getLogger("gatehouse.store")

_MOST_AT_ONCE: Final = 256
# How long until a new type of identifier counts, and between two readings of the key ring.
_TYPES_TRUSTED_S: Final = 0.25
_RING_TRUSTED_S: Final = 1.0

_to_json: Final = msgspec.json.Encoder().encode
_TYPES: Final = {kind.value: kind for kind in IdentifierType}

HolderQuery = tuple[str, str]
"""The fingerprint of a card, and the account that asks."""
HolderRow = tuple[int, str, str, int, bytes]
"""Number of the lookup, scope, person, version of the key, sealed record."""


# One row is returned for all lookups: each further step of a statement would give up the
# interpreter's lock, and a busy event loop hands it back late.
SQLITE_ROWS: Final = """
SELECT json_group_array(json_array(q.key, i.scope, i.person, i.key_version, hex(i.sealed)))
FROM json_each(?) q CROSS JOIN identities i
ON i.card = json_extract(q.value, '$[0]') AND i.scope IN ('*', json_extract(q.value, '$[1]'))
"""
_SQLITE_TYPES: Final = """
SELECT json_group_array(json_array(scope, type)) FROM identity_types
WHERE scope IN (SELECT value FROM json_each(?)) AND people > 0
"""
_read_rows: Final = msgspec.json.Decoder(list[tuple[int, str, str, int, str]]).decode
_read_types: Final = msgspec.json.Decoder(list[tuple[str, str]]).decode


class SqliteHolders(DriverSession):
    """The embedded database; every statement is a moment of its own."""

    def rows(self, wanted: list[HolderQuery]) -> list[HolderRow]:
        """The rows of all lookups, read at one moment."""
        return [
            (number, scope, person, version, bytes.fromhex(sealed))
            for number, scope, person, version, sealed in _read_rows(self._ask(SQLITE_ROWS, wanted))
        ]

    def types(self, scopes: list[str]) -> list[tuple[str, str]]:
        """Which types of identifiers the scopes hold."""
        return _read_types(self._ask(_SQLITE_TYPES, scopes))

    def _ask(self, statement: str, keys: list[Any]) -> str:
        [(answer,)] = self._connection.execute(statement, (_to_json(keys).decode(),)).fetchall()
        return str(answer)


_PG_ROWS: Final = """
SELECT q.number - 1, i.scope, i.person, i.key_version, i.sealed
FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY q (card, scope, number)
JOIN identities i ON i.card = q.card AND i.scope IN ('*', q.scope)
"""
_PG_TYPES: Final = "SELECT scope, type FROM identity_types WHERE scope = ANY(%s) AND people > 0"


class PostgresHolders(DriverSession):
    """A database server; no transaction stays open between two batches."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        super().__init__(connection)
        connection.autocommit = True
        self._cursor = connection.cursor(binary=True)

    def rows(self, wanted: list[HolderQuery]) -> list[HolderRow]:
        """The rows of all lookups, read at one moment."""
        cards, accounts = [card for card, _ in wanted], [account for _, account in wanted]
        return self._cursor.execute(_PG_ROWS, (cards, accounts), prepare=True).fetchall()

    def types(self, scopes: list[str]) -> list[tuple[str, str]]:
        """Which types of identifiers the scopes hold."""
        return self._cursor.execute(_PG_TYPES, (scopes,), prepare=True).fetchall()


def _open_holders(database: Database) -> SqliteHolders | PostgresHolders:
    connection = database.driver_connection()
    return SqliteHolders(connection) if database.is_sqlite else PostgresHolders(connection)


class RecordedIdentities(BatchThread[HolderQuery, SqliteHolders | PostgresHolders]):
    """Implements `IdentitySource` on the stored records: the account's own and the operator's."""

    def __init__(
        self,
        database: Database,
        ring: KeyRing,
        reload_ring: Callable[[], KeyRing] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`reload_ring` reads the ring again, for a key that was renewed after the start."""
        super().__init__(
            "gatehouse-identities", lambda: _open_holders(database), at_most=_MOST_AT_ONCE
        )
        self._reload_ring = reload_ring or (lambda: ring)
        self._monotonic = monotonic
        self._sealer = Sealer(ring, IDENTITIES)
        self._ring_read_at = float("-inf")
        self._types: dict[str, frozenset[IdentifierType]] = {}
        self._types_read_at = float("-inf")

    async def find(self, enquiry: IdentityEnquiry) -> Holders:
        """The holders of a card: those the account has on record, then the operator's."""
        found: Holders = await self.submit((enquiry.fingerprint, enquiry.account_id))
        return found

    def _answer_all(self, batch: Ordered[HolderQuery]) -> None:
        self._deliver(batch, self._answer([query for query, _ in batch]))

    def _answer(self, wanted: list[HolderQuery]) -> list[Holders | ConnectorFailed]:
        try:
            session = self._session()
            rows = session.rows(wanted)
            self._refresh_types(session.types, wanted)
        except Exception as error:
            self._drop_session()
            if isinstance(error, UNREACHABLE):
                _log.error("the identity records cannot be read", extra={"reason": str(error)})
            else:
                _log.exception("a lookup of identities failed")
            return [ConnectorFailed("the identity records cannot be read") for _ in wanted]
        by_lookup: list[list[HolderRow]] = [[] for _ in wanted]
        for row in rows:
            by_lookup[row[0]].append(row)
        return [self._holders(one, found) for one, found in zip(wanted, by_lookup, strict=True)]

    def _holders(self, wanted: HolderQuery, rows: list[HolderRow]) -> Holders | ConnectorFailed:
        card, account = wanted
        own: list[Person] = []
        shared: list[Person] = []
        for _, scope, person_id, version, sealed in rows:
            label = label_of(scope, card, person_id)
            try:
                person = read_person(self._open(version, sealed, label))
            except KeyMissing:
                return ConnectorFailed("an identity record was sealed with an unknown key")
            except (SealBroken, msgspec.MsgspecError):
                _log.error(
                    "an identity record cannot be opened; import it again, or delete it by --id "
                    "(gatehouse identities delete)",
                    extra={"person": person_id},
                )
                return ConnectorFailed("an identity record cannot be opened")
            (shared if scope == EVERYONE else own).append(person)
        types = self._types.get(account, frozenset()) | self._types.get(EVERYONE, frozenset())
        people = (*own, *shared)
        # A type that was just imported counts at once for the people who have it.
        present = [one.type for person in people for one in person.identifiers]
        return Holders(people, types.union(present) if present else types)

    def _open(self, version: int, sealed: bytes, label: bytes) -> bytes:
        try:
            return self._sealer.open(version, sealed, label)
        except KeyMissing:
            if self._monotonic() - self._ring_read_at < _RING_TRUSTED_S:
                raise
        # The key may have been renewed while this process was running.
        self._ring_read_at = self._monotonic()
        try:
            self._sealer = Sealer(self._reload_ring(), IDENTITIES)
            return self._sealer.open(version, sealed, label)
        except KeyMissing as missing:
            _log.error(
                "an identity record was sealed with a key that is gone; restore the key ring from "
                "a backup, or delete the records and import them again",
                extra={"reason": str(missing)},
            )
            raise
        except SealBroken:
            raise
        except Exception as error:
            _log.error(
                "the key ring cannot be read again; restart the server with the root secret that "
                "wraps it now",
                extra={"reason": type(error).__name__},
            )
            raise KeyMissing("the key ring cannot be read again") from None

    def _refresh_types(
        self, read: Callable[[list[str]], list[tuple[str, str]]], wanted: list[HolderQuery]
    ) -> None:
        now = self._monotonic()
        if now - self._types_read_at >= _TYPES_TRUSTED_S:
            self._types.clear()
            self._types_read_at = now
        scopes = {EVERYONE, *[account for _, account in wanted]}
        unknown = [scope for scope in scopes if scope not in self._types]
        if not unknown:
            return
        held: dict[str, list[IdentifierType]] = {scope: [] for scope in unknown}
        for scope, kind in read(unknown):
            if kind in _TYPES:
                held[scope].append(_TYPES[kind])
        self._types.update({scope: frozenset(kinds) for scope, kinds in held.items()})
