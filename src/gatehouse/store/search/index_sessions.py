"""How the follower of decisions reads them and writes the index, on each of the two databases.

The statements run on a connection of the driver itself: the terms of a decision become rows within
the database, without being objects here.
"""

import sqlite3
from abc import ABC, abstractmethod
from typing import Any, Final, NamedTuple

import psycopg

from gatehouse.decisions.search_terms import AMOUNT, FIELD_BITS
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.database import Database
from gatehouse.store.requests.batches import DriverSession
from gatehouse.store.search.position import FORGOTTEN, INDEXED, REACHED

AT_ONCE: Final = 4000
"""Decisions. The more are sorted together, the more rows go to each page of the index."""
ROWS_AT_ONCE: Final = 2000
"""Rows that are written in one transaction where requests wait for its end."""
MOVED_AT_ONCE: Final = 500
"""Decisions that waited."""

# Accounts first: nothing finds decisions by their id alone.
_AFTER: Final = (
    "FROM accounts a CROSS JOIN decisions d WHERE d.account_id = a.id AND d.request_id > {after}"
)
_MARKS: Final = (
    "SELECT "
    + ", ".join(
        f"max(CASE name WHEN '{name}' THEN value END) AS {column}"
        for name, column in ((INDEXED, "indexed"), (FORGOTTEN, "forgotten"))
    )
    + f" FROM state WHERE name IN ('{INDEXED}', '{FORGOTTEN}')"
)
_LOOK: Final = (
    "SELECT marks.*, EXISTS (SELECT 1 FROM search_waiting),"
    f" EXISTS (SELECT 1 {_AFTER.format(after='marks.indexed')}) FROM ({_MARKS}) AS marks"
)
_FOLLOWING: Final = _AFTER.format(after="{p}") + " AND d.request_id <= {p}"
_END: Final = (
    f"SELECT max(request_id), count(*) FROM (SELECT d.request_id {_FOLLOWING}"
    " ORDER BY d.request_id LIMIT {p}) AS first_ones"
)
_BEGIN_TO_FOLLOW: Final = "INSERT INTO state (name, value) VALUES ({p}, {p}) ON CONFLICT DO NOTHING"
_REACH: Final = "UPDATE state SET value = {p} WHERE name = '" + REACHED + "' AND value < {p}"
_INDEXED: Final = "UPDATE state SET value = {p} WHERE name = '" + INDEXED + "'"
_IS_AMOUNT: Final = f"{{term}} & {FIELD_BITS} = {AMOUNT}"
# A decision of an earlier version does not tell its amount, and waits with it as well.
_ENTRIES: Final = (
    f"SELECT {{term}}, request_id, CASE WHEN {_IS_AMOUNT} THEN amount END FROM {{rows}}"
    f" WHERE (amount IS NOT NULL OR NOT ({_IS_AMOUNT}))"
    # In the order of the index, neighbours go to pages that are at hand.
    " ORDER BY 1, 2"
)
_ADD: Final = (
    "INSERT INTO search_entries (term, request_id, amount) {entries} ON CONFLICT DO NOTHING"
)
_OLDEST: Final = "SELECT request_id FROM search_waiting ORDER BY request_id LIMIT {p}"


class IndexProgress(NamedTuple):
    """How far decisions are followed, and whether there is something to do."""

    indexed: str | None
    forgotten: str | None
    waiting: bool
    more: bool
    """Whether there are decisions after those that are indexed."""


class IndexSession(DriverSession, ABC):
    """Writes the index on one connection."""

    _place: str
    """How the driver marks a parameter."""

    def look(self) -> IndexProgress:
        """How far decisions are followed by now."""
        indexed, forgotten, waiting, more = self._one(_LOOK)
        return IndexProgress(indexed, forgotten, bool(waiting), bool(more))

    def begin(self, request_id: str) -> None:
        """Let decisions be followed from here on, unless they are."""
        for name, value in ((FORGOTTEN, "0"), (INDEXED, request_id), (REACHED, request_id)):
            self._run(_BEGIN_TO_FOLLOW, name, value)

    def reach(self, request_id: str) -> None:
        """Let decisions up to this one, which are not committed yet, wait to be indexed."""
        self._run(_REACH, request_id, request_id)

    @abstractmethod
    def committing(self) -> set[str]:
        """The transactions that have written decisions and have not ended yet."""

    @abstractmethod
    def index_some(self, progress: IndexProgress, until: str, pace: Pace) -> bool:
        """Index the next decisions up to a request; whether there are more of them."""

    @abstractmethod
    def move_waiting(self) -> int:
        """Index the oldest decisions that wait to be; how many there were."""

    def _end_of_next(self, progress: IndexProgress, until: str) -> tuple[str, bool]:
        """The last of the next decisions, and whether there are others after them."""
        end, found = self._one(_END, progress.indexed, until, AT_ONCE)
        return (end, True) if found == AT_ONCE else (until, False)

    def _one(self, statement: str, *values: object) -> Any:
        return self._run(statement, *values).fetchone()

    def _run(self, statement: str, *values: object) -> Any:
        return self._connection.execute(statement.format(p=self._place), values)


def open_index_session(database: Database) -> IndexSession:
    """A session with a connection of its own."""
    connection = database.driver_connection()
    if database.is_sqlite:
        return SqliteIndexSession(connection)
    return PostgresIndexSession(connection)


_SQLITE_SORT: Final = "INSERT INTO temp.sorted (term, request_id, amount) " + _ENTRIES.format(
    term="j.value",
    rows="(SELECT d.request_id AS request_id, substr(d.terms, 1, instr(d.terms, ']')) AS terms,"
    " CAST(nullif(substr(d.terms, instr(d.terms, ']') + 1), '') AS INTEGER) AS amount"
    f" {_FOLLOWING}) AS followed, json_each(followed.terms) AS j",
)
_SQLITE_ADD: Final = _ADD.format(
    entries="SELECT term, request_id, amount FROM temp.sorted"
    " WHERE place > {p} AND place <= {p} ORDER BY place"
)
_SQLITE_MOVE: Final = _ADD.format(
    entries=_ENTRIES.format(
        term="j.value",
        rows="(SELECT * FROM search_waiting ORDER BY request_id LIMIT {p}) AS waited,"
        " json_each('[' || trim(waited.terms, ',') || ']') AS j",
    )
)


class SqliteIndexSession(IndexSession):
    """SQLite: rows are sorted in a table of this connection, and written in short transactions.

    Nothing is lost that is not derived again: no commit waits for the disk.
    """

    _place = "?"
    _connection: sqlite3.Connection

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(
            "CREATE TEMP TABLE sorted"
            " (place INTEGER PRIMARY KEY, term INTEGER, request_id TEXT, amount INTEGER)"
        )

    def committing(self) -> set[str]:
        """None: there is one transaction at a time that writes, and this is it."""
        return set()

    def index_some(self, progress: IndexProgress, until: str, pace: Pace) -> bool:
        """Index the next decisions up to a request; whether there are more of them."""
        end, more = self._end_of_next(progress, until)
        self._run("DELETE FROM temp.sorted")
        self._run(_SQLITE_SORT, progress.indexed, end)
        [count] = self._one("SELECT count(*) FROM temp.sorted")
        for start in range(0, max(count, 1), ROWS_AT_ONCE):
            is_last = start + ROWS_AT_ONCE >= count
            with pace.turn():
                if not self._add(progress, start, end if is_last else None):
                    return False
        return more

    def _add(self, progress: IndexProgress, start: int, end: str | None) -> bool:
        """Write some rows, with the last ones also how far they go; False if they are not valid."""
        self._run("BEGIN IMMEDIATE")
        try:
            if tuple(self._one(_MARKS)) != (progress.indexed, progress.forgotten):
                # What was erased after it was read must not come back.
                return False
            self._run(_SQLITE_ADD, start, start + ROWS_AT_ONCE)
            if end is not None:
                self._run(_INDEXED, end)
            self._run("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.rollback()
        return True

    def move_waiting(self) -> int:
        """Index the oldest decisions that wait to be; how many there were."""
        with self._connection:
            self._run("BEGIN IMMEDIATE")
            self._run(_SQLITE_MOVE, MOVED_AT_ONCE)
            moved = f"DELETE FROM search_waiting WHERE request_id IN ({_OLDEST})"
            return int(self._run(moved, MOVED_AT_ONCE).rowcount)


_POSTGRES_ADD: Final = _ADD.format(
    entries=_ENTRIES.format(
        term="t::bigint",
        rows="(SELECT d.request_id, ltrim(split_part(d.terms, ']', 1), '[') AS terms,"
        " nullif(split_part(d.terms, ']', 2), '')::bigint AS amount"
        f" {_FOLLOWING}) AS followed, unnest(string_to_array(followed.terms, ',')) AS t",
    )
)
_POSTGRES_MOVE: Final = (
    "WITH moved AS (DELETE FROM search_waiting WHERE request_id IN"
    f" ({_OLDEST} FOR UPDATE SKIP LOCKED) RETURNING *), added AS ("
    + _ADD.format(
        entries=_ENTRIES.format(
            term="t::bigint",
            rows="moved, unnest(string_to_array(trim(both ',' from terms), ',')) AS t",
        )
    )
    + ") SELECT count(*) FROM moved"
)
# Who writes rows of a table locks it in this way until its rows are seen, and keeps nobody out.
_POSTGRES_COMMITTING: Final = (
    "SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND granted"
    " AND mode = 'RowExclusiveLock' AND relation = to_regclass('decisions')"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_POSTGRES_SETTINGS: Final = ("synchronous_commit", "jit", "enable_seqscan", "enable_hashjoin")


class PostgresIndexSession(IndexSession):
    """PostgreSQL: one transaction that keeps nobody waiting but those who erase."""

    _place = "%s"
    _connection: "psycopg.Connection[Any]"

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        super().__init__(connection)
        connection.autocommit = True
        for setting in (*_POSTGRES_SETTINGS, "enable_mergejoin"):
            connection.execute(f"SET {setting} = off".encode())

    def committing(self) -> set[str]:
        """The transactions that have written decisions and have not ended yet."""
        return {name for [name] in self._run(_POSTGRES_COMMITTING).fetchall()}

    def index_some(self, progress: IndexProgress, until: str, pace: Pace) -> bool:
        """Index the next decisions up to a request; whether there are more of them."""
        end, more = self._end_of_next(progress, until)
        with pace.turn(), self._connection.transaction():
            # Before decisions are read: who erases some waits here, or has done so.
            self._run(f"SELECT 1 FROM state WHERE name = '{FORGOTTEN}' FOR UPDATE")
            if self._one(_MARKS)[0] != progress.indexed:
                return False
            self._run(_POSTGRES_ADD, progress.indexed, end)
            self._run(_INDEXED, end)
        return more

    def move_waiting(self) -> int:
        """Index the oldest decisions that wait to be; how many there were."""
        [moved] = self._one(_POSTGRES_MOVE, MOVED_AT_ONCE)
        return int(moved)
