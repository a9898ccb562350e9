"""How the writer loads and saves a batch on each of the two databases.

The statements run through the driver itself, all rows of a table at a time: going through
SQLAlchemy row by row halves the rate (see docs/decisions/0003-group-commit.md).
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Final

import msgspec
import psycopg
from msgspec.structs import astuple

from gatehouse.billing.ledger import AccountState, BalanceTold, Hold
from gatehouse.store.database import DURABLE_MARK, Database
from gatehouse.store.requests.batch_statements import (
    PARTS,
    POSTGRES_INDEX,
    SQLITE_INDEX,
    SQLITE_INDEXED,
    columns_of,
    postgres_save,
    sqlite_insert,
    sqlite_save,
)
from gatehouse.store.requests.batches import DriverSession
from gatehouse.store.requests.settlement import BatchKeys, BatchRows, Changes, StoredClaim

_ACCOUNT_COLUMNS: Final = "id, balance, held, closed_at_ms, low_balance, balance_told"
_TOLD: Final = tuple(BalanceTold)

_to_json: Final = msgspec.json.Encoder().encode


class BatchSession(DriverSession, ABC):
    """One batch at a time on one connection: load, then save or abandon.

    A commit that is not durable is lost when the machine, or PostgreSQL, crashes at once, and then
    everything that was committed after it is lost as well.
    """

    flushes = False
    """Whether `flush` makes commits durable, so that nothing is locked meanwhile; without it each
    one is durable or not by itself."""

    @abstractmethod
    def load(self, wanted: BatchKeys, *, durable: bool = True) -> BatchRows:
        """Begin a transaction, lock the accounts and read what the batch needs.

        Unless it is to be durable, or the session flushes, its commit does not wait for the disk.
        """

    @abstractmethod
    def save(self, changes: Changes, *, flush: bool = True) -> None:
        """Write the changes and commit, and flush."""

    def flush(self) -> None:
        """Return when everything that was committed before is durable."""

    @abstractmethod
    def index(self, at_most: int) -> int:
        """Index the oldest decisions that wait to be, and commit; how many there were."""

    def abandon(self) -> None:
        """Roll back the transaction."""
        self._connection.rollback()


def open_batch_session(database: Database) -> BatchSession:
    """A session with a connection of its own."""
    connection = database.driver_connection()
    if database.is_sqlite:
        return SqliteBatchSession(connection)
    return PostgresBatchSession(connection)


# Each step of a statement releases the interpreter's lock, and getting it back from a busy event
# loop takes longer than the step. So one statement that returns one row loads a batch, and one
# statement per table saves it.
_SQLITE_LOAD: Final = f"""
SELECT json_array(
  (SELECT json_group_array(json_array({_ACCOUNT_COLUMNS})) FROM accounts
    WHERE id IN (SELECT value FROM json_each(?))),
  (SELECT json_group_array(json_array({columns_of(Hold)})) FROM holds
    WHERE request_id IN (SELECT value FROM json_each(?))),
  (SELECT json_group_array(json_array({columns_of(StoredClaim)})) FROM idempotency
    WHERE claim_id IN (SELECT value FROM json_each(?))),
  (SELECT json_group_object(c.value, json_array(
      (SELECT count(*) FROM card_mismatches m WHERE m.card = c.value AND m.at_ms > ?),
      (SELECT count(*) FROM holds h WHERE c.value IN (h.card, h.card_account))))
    FROM json_each(?) c),
  (SELECT json_group_array(json_array(card_group, number, at_ms)) FROM card_numbers
    WHERE at_ms > ? AND card_group IN (SELECT value FROM json_each(?))))
"""
_Rows = list[list[Any]]
_read_loaded: Final = msgspec.json.Decoder(
    tuple[_Rows, _Rows, _Rows, dict[str, tuple[int, int]], _Rows]
).decode

_FULL: Final = 2
"""SQLite's name for a database whose commits wait for the disk."""
_ROWS_AT_ONCE: Final = 64
"""The most rows of one statement; SQLite prepares one statement for each number of rows."""


class SqliteBatchSession(BatchSession):
    """SQLite: one lock for all writers, taken at the beginning."""

    _connection: sqlite3.Connection

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        [level] = connection.execute("PRAGMA synchronous").fetchone()
        # Where nothing waits for the disk, nothing is changed.
        self._waits = True if level == _FULL else None

    def load(self, wanted: BatchKeys, *, durable: bool = True) -> BatchRows:
        """Begin a transaction, lock the accounts and read what the batch needs."""
        self._begin(durable=durable)
        keys = (wanted.accounts, wanted.holds, wanted.claims, wanted.cards, wanted.groups)
        accounts, holds, claims, cards, groups = (_to_json(sorted(each)).decode() for each in keys)
        guesses, numbers = (wanted.guesses_since_ms, cards), (wanted.numbers_since_ms, groups)
        values = (accounts, holds, claims, *guesses, *numbers)
        row = self._connection.execute(_SQLITE_LOAD, values).fetchone()
        return _batch_rows(*_read_loaded(row[0]))

    def save(self, changes: Changes, *, flush: bool = True) -> None:
        """Write the changes and commit."""
        for name, rows in changes.rows().items():
            if PARTS[name].inserts:
                self._insert(name, rows)
            else:
                self._connection.execute(sqlite_save(name), (_to_json(rows).decode(),))
        self._connection.execute("COMMIT")

    def index(self, at_most: int) -> int:
        """Index the oldest decisions that wait to be, and commit; how many there were."""
        self._begin(durable=False)
        self._connection.execute(SQLITE_INDEX, (at_most,))
        indexed = self._connection.execute(SQLITE_INDEXED, (at_most,)).rowcount
        self._connection.execute("COMMIT")
        return indexed

    def _begin(self, *, durable: bool) -> None:
        if self._waits is not None and self._waits is not durable:
            # A commit that waits for the disk makes all before it durable, too: they are in the
            # same file.
            level = "FULL" if durable else "NORMAL"
            self._connection.execute(f"PRAGMA synchronous = {level}")
            self._waits = durable
        self._connection.execute("BEGIN IMMEDIATE")

    def _insert(self, name: str, rows: list[Any]) -> None:
        # Values are bound one by one: extracting a long record from JSON costs SQLite seven times
        # as much as storing it.
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[start : start + _ROWS_AT_ONCE]
            values = [value for row in some for value in astuple(row)]
            self._connection.execute(sqlite_insert(name, len(some)), values)


_POSTGRES_FLUSH: Final = (
    f"SELECT set_config('synchronous_commit', 'on', true), {DURABLE_MARK}".encode()
)


class PostgresBatchSession(BatchSession):
    """PostgreSQL: account rows are locked in order of id, other accounts stay free.

    A commit releases the locks as soon as it is in the memory of the database. The flush is on the
    same connection, which does not survive a crash: it can not vouch for a commit that was lost.
    """

    flushes = True
    _connection: "psycopg.Connection[Any]"

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        super().__init__(connection)
        # The driver's own BEGIN and COMMIT would wait for an answer each.
        connection.autocommit = True
        connection.execute("SET synchronous_commit = off")
        # Where this is not allowed, nothing may be committed that could not be made durable.
        self.flush()

    def load(self, wanted: BatchKeys, *, durable: bool = True) -> BatchRows:
        """Begin a transaction, lock the accounts and read what the batch needs."""
        with self._connection.pipeline():
            self._connection.execute(b"BEGIN")
            accounts = self._select(
                f"SELECT {_ACCOUNT_COLUMNS} FROM accounts WHERE id = ANY(%s)"
                " ORDER BY id FOR UPDATE",
                wanted.accounts,
            )
            holds = self._select(
                f"SELECT {columns_of(Hold)} FROM holds WHERE request_id = ANY(%s)", wanted.holds
            )
            claims = self._select(
                f"SELECT {columns_of(StoredClaim)} FROM idempotency WHERE claim_id = ANY(%s)",
                wanted.claims,
            )
            guesses = self._select(
                "SELECT c, (SELECT count(*) FROM card_mismatches m WHERE m.card = c"
                " AND at_ms > %s), (SELECT count(*) FROM holds h"
                " WHERE c IN (h.card, h.card_account))"
                " FROM unnest(%s::text[]) c",
                wanted.cards,
                wanted.guesses_since_ms,
            )
            numbers = self._select(
                "SELECT card_group, number, at_ms FROM card_numbers WHERE at_ms > %s"
                " AND card_group = ANY(%s)",
                wanted.groups,
                wanted.numbers_since_ms,
            )
        return _batch_rows(
            _fetched(accounts),
            _fetched(holds),
            _fetched(claims),
            {card: (wrong, open_now) for card, wrong, open_now in _fetched(guesses)},
            _fetched(numbers),
        )

    def save(self, changes: Changes, *, flush: bool = True) -> None:
        """Write the changes and commit, and flush in the same round trip."""
        rows = changes.rows()
        parts = [_to_json(some).decode() for some in rows.values()]
        with self._connection.pipeline():
            self._connection.execute(postgres_save(tuple(rows)), parts, prepare=True)
            self._connection.execute(b"COMMIT")
            if flush:
                self.flush()

    def flush(self) -> None:
        """Return when everything that was committed before is durable."""
        self._connection.execute(_POSTGRES_FLUSH, prepare=True)

    def index(self, at_most: int) -> int:
        """Index the oldest decisions that wait to be, and commit; how many there were."""
        counted = self._connection.execute(POSTGRES_INDEX, (at_most,)).fetchone()
        return int(counted[0]) if counted else 0

    def _select(self, statement: str, keys: set[str], *first: int) -> "psycopg.Cursor[Any] | None":
        """Run a query whose last parameter is the keys, unless there are none."""
        if not keys:
            return None
        return self._connection.execute(statement.encode(), (*first, sorted(keys)), prepare=True)


def _fetched(cursor: "psycopg.Cursor[Any] | None") -> Iterable[Any]:
    return cursor.fetchall() if cursor is not None else ()


def _batch_rows(
    accounts: Iterable[Any],
    holds: Iterable[Any],
    claims: Iterable[Any],
    guesses: dict[str, tuple[int, int]],
    numbers: Iterable[Any],
) -> BatchRows:
    sent: dict[str, dict[str, int]] = {}
    for group, number, at_ms in numbers:
        sent.setdefault(group, {})[number] = at_ms
    return BatchRows(
        {
            key: AccountState(balance, held, closed_at_ms is not None, low_below, _TOLD[told])
            for key, balance, held, closed_at_ms, low_below, told in accounts
        },
        {row[0]: Hold(*row) for row in holds},
        {row[0]: StoredClaim(*row) for row in claims},
        guesses,
        sent,
    )
