"""How the writer loads and saves a batch on each of the two databases.

The statements run through the driver itself, all rows of a table at a time: going through
SQLAlchemy row by row halves the rate (see docs/decisions/0003-group-commit.md).
"""

import sqlite3
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, Protocol

import msgspec
import psycopg
from msgspec.structs import astuple

from gatehouse.billing.ledger import AccountState, Hold
from gatehouse.store.database import Database
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.requests.settlement import BatchKeys, BatchRows, Changes, KeptClaim

_to_json: Final = msgspec.json.Encoder().encode
_OPEN: Final = IntentState.OPEN.value


class BatchSession(Protocol):
    """One batch on one connection: load, then save or abandon."""

    def load(self, wanted: BatchKeys) -> BatchRows:
        """Begin a transaction, lock the accounts and read what the batch needs."""

    def save(self, changes: Changes) -> None:
        """Write the changes and commit durably."""

    def abandon(self) -> None:
        """Roll back whatever was begun."""

    def close(self) -> None:
        """Give the connection up."""


def open_batch_session(database: Database) -> BatchSession:
    """A door with a connection of its own."""
    connection = database.driver_connection()
    return SqliteDoor(connection) if database.is_sqlite else PostgresDoor(connection)


# The columns of Hold and of KeptClaim, in the order of their fields.
_HOLD: Final = "request_id, account_id, amount, expires_at_ms, owner, card, claim"
_CLAIM: Final = "claim_id, request_id, body, answer, expires_at_ms"

# What is known of a payment that is about to be sent and of a review, before what is always so.
_INTENT: Final = "request_id, account_id, amount_minor, currency, at_ms"
_NEW_INTENT: Final = f"{_INTENT}, changed_at_ms, state, attempts"
_NEW_REVIEW: Final = "account_id, request_id, at_ms, state"


# Each step of a statement gives up the interpreter's lock, and getting it back from a busy event
# loop takes longer than the step. So a batch is loaded by one statement that returns one row, and
# saved by one statement per table. What every request adds is bound value by value: to have SQLite
# take a long record out of JSON again costs seven times as much as to store it.
_SQLITE_LOAD: Final = f"""
SELECT json_array(
  (SELECT json_group_array(json_array(id, balance, held)) FROM accounts
    WHERE id IN (SELECT value FROM json_each(?))),
  (SELECT json_group_array(json_array({_HOLD})) FROM holds
    WHERE request_id IN (SELECT value FROM json_each(?))),
  (SELECT json_group_array(json_array({_CLAIM})) FROM idempotency
    WHERE claim_id IN (SELECT value FROM json_each(?))),
  (SELECT json_group_object(c.value, json_array(
      (SELECT count(*) FROM card_mismatches m WHERE m.card = c.value AND m.at_ms > ?),
      (SELECT count(*) FROM holds h WHERE h.card = c.value)))
    FROM json_each(?) c))
"""
_read_loaded: Final = msgspec.json.Decoder(
    tuple[list[list[Any]], list[list[Any]], list[list[Any]], dict[str, tuple[int, int]]]
).decode


_SQLITE_END_HOLDS: Final = "DELETE FROM holds WHERE request_id IN (SELECT value FROM json_each(?))"
_SQLITE_FREE_CLAIMS: Final = (
    "DELETE FROM idempotency WHERE (claim_id, request_id) IN"
    " (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?))"
)
_SQLITE_UPDATE_ACCOUNTS: Final = """
UPDATE accounts SET balance = json_extract(x.value, '$[1]'), held = json_extract(x.value, '$[2]')
FROM json_each(?) x WHERE accounts.id = json_extract(x.value, '$[0]')
"""
_SQLITE_SETTLE_INTENTS: Final = (
    f"DELETE FROM gateway_intents WHERE state = '{IntentState.OPEN}'"
    " AND request_id IN (SELECT value FROM json_each(?))"
)
_SQLITE_DOUBT_INTENTS: Final = f"""
UPDATE gateway_intents SET state = '{IntentState.REVERSE}',
  next_at_ms = json_extract(x.value, '$[2]'), changed_at_ms = json_extract(x.value, '$[2]'),
  detail = json_extract(x.value, '$[3]')
FROM json_each(?) x WHERE gateway_intents.request_id = json_extract(x.value, '$[0]')
  AND gateway_intents.account_id = json_extract(x.value, '$[1]')
"""
_SQLITE_ADD_REVIEWS: Final = f"""
INSERT INTO reviews ({_NEW_REVIEW})
SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
  'OPEN' FROM json_each(?)
"""


_ROWS_AT_ONCE: Final = 64
"""So many rows of a table go into one statement; there is one to prepare for each number."""


@cache
def _insert(table: str, columns: int, rows: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return f"INSERT INTO {table} VALUES {', '.join([row] * rows)}"


@cache
def _insert_json(table: str, columns: int, *, replace: bool = False) -> str:
    # Only a claim may replace an earlier one; a second end of a request must hit the ledger's key.
    verb = "INSERT OR REPLACE" if replace else "INSERT"
    values = ", ".join(f"json_extract(value, '$[{column}]')" for column in range(columns))
    return f"{verb} INTO {table} SELECT {values} FROM json_each(?)"


class SqliteDoor:
    """The embedded database: one lock for all writers, taken at the beginning."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def load(self, wanted: BatchKeys) -> BatchRows:
        """Begin a transaction, lock the accounts and read what the batch needs."""
        self._connection.execute("BEGIN IMMEDIATE")
        keys = (wanted.accounts, wanted.holds, wanted.claims, wanted.cards)
        accounts, holds, claims, cards = (_to_json(sorted(each)).decode() for each in keys)
        values = (accounts, holds, claims, wanted.guesses_since_ms, cards)
        row = self._connection.execute(_SQLITE_LOAD, values).fetchone()
        found = _read_loaded(row[0])
        return BatchRows(_accounts(found[0]), _holds(found[1]), _claims(found[2]), found[3])

    def save(self, changes: Changes) -> None:
        """Write the changes and commit durably."""
        if changes.entries:
            self._put("ledger_entries", [astuple(entry) for entry in changes.entries])
            states = [[key, s.balance, s.held] for key, s in changes.accounts.items()]
            self._run(_SQLITE_UPDATE_ACCOUNTS, states)
        if changes.holds_added:
            self._put("holds", [astuple(hold) for hold in changes.holds_added])
        if changes.holds_ended:
            self._run(_SQLITE_END_HOLDS, changes.holds_ended)
        if changes.decisions:
            self._put("decisions", [astuple(row) for row in changes.decisions])
        if changes.claims_freed:
            self._run(_SQLITE_FREE_CLAIMS, changes.claims_freed)
        if changes.claims_kept:
            kept = list(changes.claims_kept.values())
            self._run(_insert_json(f"idempotency ({_CLAIM})", 5, replace=True), kept)
        if changes.mismatches:
            self._run(_insert_json("card_mismatches", 3), changes.mismatches)
        if changes.of_pipelines:
            self._save_rest(changes)
        self._connection.execute("COMMIT")

    def _save_rest(self, changes: Changes) -> None:
        if changes.intents_added:
            rows = [(*row, row[-1], _OPEN, 0) for row in map(astuple, changes.intents_added)]
            self._put(f"gateway_intents ({_NEW_INTENT})", rows)
        if changes.intents_settled:
            self._run(_SQLITE_SETTLE_INTENTS, changes.intents_settled)
        if changes.intents_doubtful:
            self._run(_SQLITE_DOUBT_INTENTS, list(changes.intents_doubtful.values()))
        if changes.reviews:
            self._run(_SQLITE_ADD_REVIEWS, changes.reviews)

    def _put(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        columns = len(rows[0])
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = rows[start : start + _ROWS_AT_ONCE]
            values = [value for row in part for value in row]
            self._connection.execute(_insert(table, columns, len(part)), values)

    def _run(self, statement: str, rows: list[Any]) -> None:
        self._connection.execute(statement, (_to_json(rows).decode(),))

    def abandon(self) -> None:
        """Roll back whatever was begun."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Give the connection up."""
        self._connection.close()


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
  SELECT x->>0, x->>1, (x->>2)::bigint, x->>3, x->>4, x->>5, x->>6, x->>7
  FROM batch, json_array_elements(j->'decisions') x),
f AS (DELETE FROM idempotency WHERE (claim_id, request_id) IN
  (SELECT x->>0, x->>1 FROM batch, json_array_elements(j->'claims_freed') x)),
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
# The same for a batch that also has payments or reviews; all others need not pay for asking.
_PG_SAVE_ALL: Final = _PG_SAVE.replace(
    "\nUPDATE accounts",
    f""",
i AS (INSERT INTO gateway_intents ({_NEW_INTENT})
  SELECT x->>0, x->>1, (x->>2)::bigint, x->>3, (x->>4)::bigint, (x->>4)::bigint,
         '{IntentState.OPEN}', 0 FROM batch, json_array_elements(j->'intents_added') x),
s AS (DELETE FROM gateway_intents WHERE state = '{IntentState.OPEN}' AND request_id IN
  (SELECT json_array_elements_text(j->'intents_settled') FROM batch)),
u AS (UPDATE gateway_intents SET state = '{IntentState.REVERSE}', next_at_ms = (x->>2)::bigint,
    changed_at_ms = (x->>2)::bigint, detail = x->>3
  FROM batch, json_array_elements(j->'intents_doubtful') x
  WHERE gateway_intents.request_id = x->>0 AND gateway_intents.account_id = x->>1),
r AS (INSERT INTO reviews ({_NEW_REVIEW})
  SELECT x->>0, x->>1, (x->>2)::bigint, 'OPEN' FROM batch, json_array_elements(j->'reviews') x)
UPDATE accounts""",
)


class PostgresDoor:
    """A database server: account rows are locked in order of id, other accounts stay free."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self._connection = connection

    def load(self, wanted: BatchKeys) -> BatchRows:
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
        return BatchRows(
            _accounts(_fetched(accounts)),
            _holds(_fetched(holds)),
            _claims(_fetched(claims)),
            {card: (wrong, open_now) for card, wrong, open_now in _fetched(guesses)},
        )

    def save(self, changes: Changes) -> None:
        """Write the changes and commit durably."""
        batch: dict[str, Any] = {
            "accounts": [[key, s.balance, s.held] for key, s in sorted(changes.accounts.items())],
            "entries": changes.entries,
            "holds_added": changes.holds_added,
            "holds_ended": changes.holds_ended,
            "decisions": changes.decisions,
            "claims_freed": changes.claims_freed,
            "claims_kept": list(changes.claims_kept.values()),
            "mismatches": changes.mismatches,
        }
        statement = _PG_SAVE
        if changes.of_pipelines:
            statement = _PG_SAVE_ALL
            batch["intents_added"] = changes.intents_added
            batch["intents_settled"] = changes.intents_settled
            batch["intents_doubtful"] = list(changes.intents_doubtful.values())
            batch["reviews"] = changes.reviews
        with self._connection.pipeline():
            self._connection.execute(statement, (_to_json(batch).decode(),), prepare=True)
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

    def _guesses(self, wanted: BatchKeys) -> "psycopg.Cursor[Any] | None":
        if not wanted.cards:
            return None
        return self._connection.execute(
            "SELECT c, (SELECT count(*) FROM card_mismatches m WHERE m.card = c AND at_ms > %s),"
            " (SELECT count(*) FROM holds h WHERE h.card = c) FROM unnest(%s::text[]) c",
            (wanted.guesses_since_ms, sorted(wanted.cards)),
        )


def _fetched(cursor: "psycopg.Cursor[Any] | None") -> Iterable[Any]:
    return cursor.fetchall() if cursor is not None else ()


def _accounts(rows: Iterable[Any]) -> dict[str, AccountState]:
    return {key: AccountState(balance, held) for key, balance, held in rows}


def _holds(rows: Iterable[Any]) -> dict[str, Hold]:
    return {row[0]: Hold(*row) for row in rows}


def _claims(rows: Iterable[Any]) -> dict[str, KeptClaim]:
    return {row[0]: KeptClaim(*row) for row in rows}
