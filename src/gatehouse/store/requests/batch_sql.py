"""How the writer loads and saves a batch on each of the two databases.

The statements run through the driver itself, all rows of a table at a time: going through
SQLAlchemy row by row halves the rate (see docs/decisions/0003-group-commit.md).
"""

import sqlite3
import time
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
    columns_of,
    postgres_save,
    sqlite_insert,
    sqlite_save,
)
from gatehouse.store.requests.batches import LOCKED, DriverSession
from gatehouse.store.requests.settlement import BatchKeys, BatchRows, Changes, StoredClaim
from gatehouse.store.search.position import REACHED

_FOLLOWED: Final = f"(SELECT value FROM state WHERE name = '{REACHED}')"
_ACCOUNT_COLUMNS: Final = "id, balance, held, closed_at_ms, low_balance, balance_told, credit_limit"
_TOLD: Final = tuple(BalanceTold)

_to_json: Final = msgspec.json.Encoder().encode

NO_RECORDS: Final = Changes()


class BatchSession(DriverSession, ABC):
    """One batch at a time on one connection: load, then save or abandon.

    A commit that is not durable is lost when the machine, or PostgreSQL, crashes at once, and then
    everything that was committed after it is lost as well.
    """

    flushes = False
    """Whether `flush` makes commits durable, so that nothing is locked meanwhile; without it each
    one is durable or not by itself."""

    @abstractmethod
    def load(
        self, wanted: BatchKeys, records: Changes = NO_RECORDS, *, durable: bool = True
    ) -> BatchRows:
        """Begin a transaction, lock the accounts and read what the batch needs.

        The records may be written before the accounts are locked: `save` must be told of the same
        ones. Unless it is to be durable, or the session flushes, its commit does not wait for the
        disk.
        """

    @abstractmethod
    def save(self, changes: Changes, *, flush: bool = True) -> None:
        """Write the changes and commit, and flush."""

    def flush(self) -> None:
        """Return when everything that was committed before is durable."""

    def locked_of(self, accounts: list[str]) -> set[str]:
        """Those whose rows another transaction keeps locked for longer than a commit takes."""
        return set()

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
      (SELECT count(*) FROM holds h WHERE h.card = c.value OR h.card_account = c.value)))
    FROM json_each(?) c),
  (SELECT json_group_object(g.value, json((
      SELECT json_group_object(number, at_ms) FROM card_numbers
      WHERE card_group = g.value AND +at_ms > ?)))
    FROM json_each(?) g),
  {_FOLLOWED})
"""
_Rows = list[list[Any]]
_Guesses = dict[str, tuple[int, int]]
_Numbers = dict[str, dict[str, int]]
_read_loaded: Final = msgspec.json.Decoder(
    tuple[_Rows, _Rows, _Rows, _Guesses, _Numbers, str | None]
).decode

_FULL: Final = 2
"""SQLite's name for a database whose commits wait for the disk."""
_LOOK_S: Final = 0.0003
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
        [self._patience_ms] = connection.execute("PRAGMA busy_timeout").fetchone()
        connection.execute("PRAGMA busy_timeout = 0")

    def load(
        self, wanted: BatchKeys, records: Changes = NO_RECORDS, *, durable: bool = True
    ) -> BatchRows:
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

    def _begin(self, *, durable: bool) -> None:
        if self._waits is not None and self._waits is not durable:
            # A commit that waits for the disk makes all before it durable, too: they are in the
            # same file.
            level = "FULL" if durable else "NORMAL"
            self._connection.execute(f"PRAGMA synchronous = {level}")
            self._waits = durable
        self._lock()

    def _lock(self) -> None:
        """Take the lock as soon as it is free.

        All requests wait for it. SQLite would look again after 1, 2, 5, 10 and 15 ms, although the
        process beside the server mostly keeps the lock for one or two.
        """
        until = time.monotonic() + self._patience_ms / 1000
        while True:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > until:
                    raise
            else:
                return
            time.sleep(_LOOK_S)

    def _insert(self, name: str, rows: list[Any]) -> None:
        # Values are bound one by one: extracting a long record from JSON costs SQLite seven times
        # as much as storing it.
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[start : start + _ROWS_AT_ONCE]
            values = [value for row in some for value in astuple(row)]
            self._connection.execute(sqlite_insert(name, len(some)), values)


_POSTGRES_LOCK: Final = (
    f"SELECT {_ACCOUNT_COLUMNS} FROM accounts WHERE id = ANY(%s) ORDER BY id FOR UPDATE".encode()
)
# Without waiting: an account that is there, and whose row could not be locked.
_POSTGRES_BUSY: Final = (
    b"WITH free AS MATERIALIZED"
    b" (SELECT id FROM accounts WHERE id = ANY(%s) FOR UPDATE SKIP LOCKED)"
    b" SELECT id FROM accounts WHERE id = ANY(%s) AND id NOT IN (SELECT id FROM free) ORDER BY id"
)
_MOMENT_MS: Final = 100
"""How long an account's row may be waited for; a commit of another server takes less."""
_MOMENTS: Final = 3
"""How many accounts may be waited for in one look: all requests wait meanwhile."""
# A statement sees what was committed before it began, so what the lock protects is not read by the
# statement that may wait for the lock, and all of it by one, because the accounts are locked now.
# Numbers are found by their group alone: by their time, all of a day would be read.
# How far decisions are followed is read here, after the records have given the transaction its
# number: `store.search.follower` counts on that order.
_POSTGRES_LOAD: Final = f"""
SELECT json_build_array(
  (SELECT coalesce(json_agg(json_build_array({columns_of(Hold)})), '[]') FROM holds
    WHERE request_id = ANY(%s)),
  (SELECT coalesce(json_agg(json_build_array({columns_of(StoredClaim)})), '[]') FROM idempotency
    WHERE claim_id = ANY(%s)),
  (SELECT coalesce(json_object_agg(c, json_build_array(
      (SELECT count(*) FROM card_mismatches m WHERE m.card = c AND m.at_ms > %s),
      (SELECT count(*) FROM holds h WHERE h.card = c OR h.card_account = c))), '{{}}')
    FROM unnest(%s::text[]) c),
  (SELECT coalesce(json_object_agg(g, (
      SELECT coalesce(json_object_agg(number, at_ms), '{{}}') FROM card_numbers
      WHERE card_group = g AND at_ms + 0 > %s)), '{{}}')
    FROM unnest(%s::text[]) g),
  {_FOLLOWED})::text
""".encode()
_read_rest: Final = msgspec.json.Decoder(tuple[_Rows, _Rows, _Guesses, _Numbers, str | None]).decode
# Every row of a batch is found by its key, so an index is always right. PostgreSQL prefers to read
# a small table as a whole. `holds` stays small, but is full of rows that were deleted a moment ago,
# and reading it as a whole visits all of those.
_POSTGRES_SETTINGS: Final = (
    *("synchronous_commit", "jit"),
    *("enable_seqscan", "enable_hashjoin", "enable_mergejoin"),
)
# So a plan for any values is always right, too. PostgreSQL expects ten values in a list it does not
# know. It would plan a smaller batch for its own values each time, which takes three times as long
# as to load it (0.3 ms against 0.1).
_POSTGRES_PLANS: Final = b"SET plan_cache_mode = force_generic_plan"
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
        for setting in _POSTGRES_SETTINGS:
            connection.execute(f"SET {setting} = off".encode())
        connection.execute(_POSTGRES_PLANS)
        self._written: dict[str, list[Any]] = {}
        # Where this is not allowed, nothing may be committed that could not be made durable.
        self.flush()

    def load(
        self, wanted: BatchKeys, records: Changes = NO_RECORDS, *, durable: bool = True
    ) -> BatchRows:
        """Begin a transaction, write the records, lock the accounts and read what is needed.

        Records are most of what there is to write. They do not depend on the balance, so that
        another server need not wait for them.
        """
        self._written = records.rows()
        keys = wanted.holds, wanted.claims, wanted.cards, wanted.groups
        holds, claims, cards, groups = map(sorted, keys)
        guesses, numbers = (wanted.guesses_since_ms, cards), (wanted.numbers_since_ms, groups)
        with self._connection.pipeline():
            self._connection.execute(b"BEGIN")
            # A request that was closed before has its record; the second close is refused.
            self._save(self._written, unless_known=True)
            accounts = self._connection.execute(
                _POSTGRES_LOCK, (sorted(wanted.accounts),), prepare=True
            )
            rest = self._connection.execute(
                _POSTGRES_LOAD, (holds, claims, *guesses, *numbers), prepare=True
            )
        [[loaded]] = rest.fetchall()
        return _batch_rows(accounts.fetchall(), *_read_rest(loaded))

    def save(self, changes: Changes, *, flush: bool = True) -> None:
        """Write the changes and commit, and flush in the same round trip."""
        rows = changes.rows()
        with self._connection.pipeline():
            self._save({name: rows[name] for name in rows if name not in self._written})
            self._connection.execute(b"COMMIT")
            if flush:
                self.flush()

    def _save(self, rows: dict[str, list[Any]], *, unless_known: bool = False) -> None:
        if rows:
            statement = postgres_save(tuple(rows), unless_known=unless_known)
            parts = [_to_json(some).decode() for some in rows.values()]
            self._connection.execute(statement, parts, prepare=True)

    def flush(self) -> None:
        """Return when everything that was committed before is durable."""
        self._connection.execute(_POSTGRES_FLUSH, prepare=True)

    def locked_of(self, accounts: list[str]) -> set[str]:
        """Those whose rows another transaction keeps locked for longer than a commit takes."""
        busy = [row[0] for row in self._connection.execute(_POSTGRES_BUSY, (accounts, accounts))]
        locked: set[str] = set()
        for account in busy:
            # With so many locked, the others are taken for locked until the next look.
            if len(locked) >= _MOMENTS or not self._can_lock(account):
                locked.add(account)
        return locked

    def _can_lock(self, account: str) -> bool:
        try:
            with self._connection.pipeline():
                self._connection.execute(b"BEGIN")
                self._connection.execute(f"SET LOCAL lock_timeout = {_MOMENT_MS}".encode())
                self._connection.execute(_POSTGRES_LOCK, ([account],))
        except LOCKED:
            return False
        finally:
            self.abandon()
        return True


def _batch_rows(
    accounts: Iterable[Any],
    holds: Iterable[Any],
    claims: Iterable[Any],
    guesses: _Guesses,
    numbers: _Numbers,
    followed: str | None,
) -> BatchRows:
    return BatchRows(
        {
            key: AccountState(
                balance, held, closed_at_ms is not None, low_below, _TOLD[told], credit
            )
            for key, balance, held, closed_at_ms, low_below, told, credit in accounts
        },
        {row[0]: Hold(*row) for row in holds},
        {row[0]: StoredClaim(*row) for row in claims},
        guesses,
        numbers,
        followed,
    )
