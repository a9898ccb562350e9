"""How the writer loads and saves a batch on each of the two databases.

The statements run through the driver itself, many rows at a time: going through SQLAlchemy row by
row halves the rate (see docs/decisions/0003-group-commit.md).
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

import msgspec
import psycopg

from gatehouse.billing.ledger import AccountState, Hold
from gatehouse.store.database import Database
from gatehouse.store.settlement import Changes, KeptClaim, Loaded, Wanted

_to_json: Final = msgspec.json.Encoder().encode


class Door(Protocol):
    """One batch on one connection: load, then save or abandon."""

    def load(self, wanted: Wanted) -> Loaded:
        """Begin a transaction, lock the accounts and read what the batch needs."""

    def save(self, changes: Changes) -> None:
        """Write the changes and commit durably."""

    def abandon(self) -> None:
        """Roll back whatever was begun."""

    def close(self) -> None:
        """Give the connection up."""


def open_door(database: Database) -> Door:
    """A door with a connection of its own."""
    connection = database.driver_connection()
    return SqliteDoor(connection) if database.is_sqlite else PostgresDoor(connection)


# The columns of Hold and of KeptClaim, in the order of their fields.
_HOLD: Final = "request_id, account_id, amount, expires_at_ms, owner, card, claim"
_CLAIM: Final = "claim_id, request_id, body, answer, expires_at_ms"


class SqliteDoor:
    """The embedded database: one lock for all writers, taken at the beginning."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def load(self, wanted: Wanted) -> Loaded:
        """Begin a transaction, lock the accounts and read what the batch needs."""
        self._connection.execute("BEGIN IMMEDIATE")
        return Loaded(
            _accounts(
                self._select(
                    "SELECT id, balance, held FROM accounts WHERE id IN ({})", wanted.accounts
                )
            ),
            _holds(
                self._select(f"SELECT {_HOLD} FROM holds WHERE request_id IN ({{}})", wanted.holds)
            ),
            _claims(
                self._select(
                    f"SELECT {_CLAIM} FROM idempotency WHERE claim_id IN ({{}})", wanted.claims
                )
            ),
            self._guesses(wanted),
        )

    def save(self, changes: Changes) -> None:
        """Write the changes and commit durably."""
        many = self._connection.executemany
        if changes.entries:
            many("INSERT INTO ledger_entries VALUES (?,?,?,?,?,?,?,?)", _rows(changes.entries))
            many(
                "UPDATE accounts SET balance = ?, held = ? WHERE id = ?",
                [(state.balance, state.held, key) for key, state in changes.accounts.items()],
            )
        if changes.holds_added:
            many("INSERT INTO holds VALUES (?,?,?,?,?,?,?)", _rows(changes.holds_added))
        if changes.holds_ended:
            ended = [(request_id,) for request_id in changes.holds_ended]
            many("DELETE FROM holds WHERE request_id = ?", ended)
        if changes.decisions:
            many("INSERT INTO decisions VALUES (?,?,?,?,?,?,?)", _rows(changes.decisions))
        self._save_rare(changes)
        self._connection.execute("COMMIT")

    def _save_rare(self, changes: Changes) -> None:
        many = self._connection.executemany
        if changes.claims_freed:
            freed = [(claim,) for claim in changes.claims_freed]
            many("DELETE FROM idempotency WHERE claim_id = ?", freed)
        if changes.claims_kept:
            many(
                f"INSERT OR REPLACE INTO idempotency ({_CLAIM}) VALUES (?,?,?,?,?)",
                _rows(changes.claims_kept.values()),
            )
        if changes.mismatches:
            many("INSERT INTO card_mismatches VALUES (?,?,?)", changes.mismatches)

    def abandon(self) -> None:
        """Roll back whatever was begun."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Give the connection up."""
        self._connection.close()

    def _select(self, statement: str, keys: Iterable[str]) -> Iterable[Any]:
        listed = list(keys)
        if not listed:
            return ()
        marks = ",".join("?" * len(listed))
        return self._connection.execute(statement.format(marks), listed)

    def _guesses(self, wanted: Wanted) -> dict[str, int]:
        guesses: dict[str, int] = {}
        for card in wanted.cards:
            row = self._connection.execute(
                "SELECT (SELECT count(*) FROM card_mismatches WHERE card = ? AND at_ms > ?)"
                " + (SELECT count(*) FROM holds WHERE card = ?)",
                (card, wanted.guesses_since_ms, card),
            ).fetchone()
            guesses[card] = row[0]
        return guesses


_PG_SAVE: Final = """
WITH batch AS (SELECT %s::json AS j),
e AS (INSERT INTO ledger_entries
  SELECT x->>0, x->>1, (x->>2)::smallint, x->>3, (x->>4)::bigint, (x->>5)::bigint,
         (x->>6)::bigint, x->>7 FROM batch, json_array_elements(j->'entries') x),
h AS (INSERT INTO holds
  SELECT x->>0, x->>1, (x->>2)::bigint, (x->>3)::bigint, x->>4, x->>5, x->>6
  FROM batch, json_array_elements(j->'holds_added') x),
g AS (DELETE FROM holds WHERE request_id IN
  (SELECT json_array_elements_text(j->'holds_ended') FROM batch)),
d AS (INSERT INTO decisions
  SELECT x->>0, x->>1, (x->>2)::bigint, x->>3, x->>4, x->>5, x->>6
  FROM batch, json_array_elements(j->'decisions') x),
f AS (DELETE FROM idempotency WHERE claim_id IN
  (SELECT json_array_elements_text(j->'claims_freed') FROM batch)),
k AS (INSERT INTO idempotency (claim_id, request_id, body, answer, expires_at_ms)
  SELECT x->>0, x->>1, x->>2, x->>3, (x->>4)::bigint
  FROM batch, json_array_elements(j->'claims_kept') x
  ON CONFLICT (claim_id) DO UPDATE SET request_id = excluded.request_id, body = excluded.body,
    answer = excluded.answer, expires_at_ms = excluded.expires_at_ms),
m AS (INSERT INTO card_mismatches
  SELECT x->>0, x->>1, (x->>2)::bigint FROM batch, json_array_elements(j->'mismatches') x)
UPDATE accounts SET balance = (x->>1)::bigint, held = (x->>2)::bigint
FROM batch, json_array_elements(j->'accounts') x WHERE accounts.id = x->>0
"""


class PostgresDoor:
    """A database server: account rows are locked in order of id, other accounts stay free."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self._connection = connection

    def load(self, wanted: Wanted) -> Loaded:
        """Begin a transaction, lock the accounts and read what the batch needs."""
        with self._connection.pipeline():
            accounts = self._select(
                "SELECT id, balance, held FROM accounts WHERE id = ANY(%s) ORDER BY id FOR UPDATE",
                wanted.accounts,
            )
            holds = self._select(
                f"SELECT {_HOLD} FROM holds WHERE request_id = ANY(%s)", wanted.holds
            )
            claims = self._select(
                f"SELECT {_CLAIM} FROM idempotency WHERE claim_id = ANY(%s)", wanted.claims
            )
            guesses = self._guesses(wanted)
        return Loaded(
            _accounts(_fetched(accounts)),
            _holds(_fetched(holds)),
            _claims(_fetched(claims)),
            dict(_fetched(guesses)),
        )

    def save(self, changes: Changes) -> None:
        """Write the changes and commit durably."""
        batch = {
            "accounts": [[key, s.balance, s.held] for key, s in sorted(changes.accounts.items())],
            "entries": changes.entries,
            "holds_added": changes.holds_added,
            "holds_ended": changes.holds_ended,
            "decisions": changes.decisions,
            "claims_freed": changes.claims_freed,
            "claims_kept": _rows(changes.claims_kept.values()),
            "mismatches": changes.mismatches,
        }
        with self._connection.pipeline():
            self._connection.execute(_PG_SAVE, (_to_json(batch).decode(),), prepare=True)
            self._connection.commit()

    def abandon(self) -> None:
        """Roll back whatever was begun."""
        self._connection.rollback()

    def close(self) -> None:
        """Give the connection up."""
        self._connection.close()

    def _select(self, statement: str, keys: Iterable[str]) -> "psycopg.Cursor[Any] | None":
        listed = sorted(keys)
        if not listed:
            return None
        return self._connection.execute(statement.encode(), (listed,), prepare=True)

    def _guesses(self, wanted: Wanted) -> "psycopg.Cursor[Any] | None":
        if not wanted.cards:
            return None
        return self._connection.execute(
            "SELECT c, (SELECT count(*) FROM card_mismatches m WHERE m.card = c AND at_ms > %s)"
            " + (SELECT count(*) FROM holds h WHERE h.card = c) FROM unnest(%s::text[]) c",
            (wanted.guesses_since_ms, sorted(wanted.cards)),
        )


def _fetched(cursor: "psycopg.Cursor[Any] | None") -> Iterable[Any]:
    return cursor.fetchall() if cursor is not None else ()


def _rows(structs: Iterable[msgspec.Struct]) -> list[Sequence[Any]]:
    return [msgspec.structs.astuple(struct) for struct in structs]


def _accounts(rows: Iterable[Any]) -> dict[str, AccountState]:
    return {key: AccountState(balance, held) for key, balance, held in rows}


def _holds(rows: Iterable[Any]) -> dict[str, Hold]:
    return {row[0]: Hold(*row) for row in rows}


def _claims(rows: Iterable[Any]) -> dict[str, KeptClaim]:
    return {row[0]: KeptClaim(*row) for row in rows}
