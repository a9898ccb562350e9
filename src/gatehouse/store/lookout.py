"""What servers look at again and again: one statement, on a connection of its own.

A transaction of the usual kind takes a connection from the pool and tries it, begins and ends. For
one small question a second or more that is most of what an idle server does.
"""

import contextlib
import sqlite3
import threading
from typing import Any, Final, NamedTuple

import psycopg

from gatehouse.core.errors import StoreUnavailable
from gatehouse.store.database import Database, reason_of
from gatehouse.store.servers import ANY_SILENT

_LOOK: Final = """
SELECT (SELECT value FROM state WHERE name = 'revision'),
  (SELECT max(seq) FROM feedback), (SELECT max(seq) FROM forgotten_events),
  (SELECT max(seq) FROM audit), (SELECT max(seq) FROM events),
  (SELECT min(next_at_ms) FROM gateway_intents WHERE state = 'REVERSE'),
  (SELECT min(next_at_ms) FROM payment_operations WHERE next_at_ms IS NOT NULL),
  (SELECT min(next_at_ms) FROM provider_notifications WHERE next_at_ms IS NOT NULL),
  (SELECT min(at_ms) FROM (
    SELECT next_at_ms AS at_ms FROM top_ups WHERE next_at_ms IS NOT NULL
    UNION ALL
    SELECT auto.next_at_ms FROM auto_top_ups auto JOIN accounts ON accounts.id = auto.account_id
    WHERE auto.next_at_ms IS NOT NULL AND (auto.top_up_id IS NOT NULL
      OR accounts.balance < auto.floor AND accounts.closed_at_ms IS NULL)) due),
  EXISTS (SELECT 1 FROM holds)
"""
_FAILED: Final = (psycopg.Error, sqlite3.Error)


class SeenChanges(NamedTuple):
    """How far everything is that servers follow; None where there is nothing yet."""

    revision: int = -1
    """Grows with every change of accounts, keys, prices and the like."""
    labels: int | None = None
    erased: int | None = None
    audited: int | None = None
    """Also grows when a job is queued."""
    told: int | None = None
    """The newest event."""
    reversal_due_ms: int | None = None
    """When the next payment is to be reversed."""
    operation_due_ms: int | None = None
    """When the next operation on a payment is to be sent."""
    notification_due_ms: int | None = None
    """When the next notification of a provider is to be applied."""
    top_up_due_ms: int | None = None
    """When a party is next asked about a top-up, or an automatic one may begin."""
    holds: bool | int = True
    """Whether anything is held for a request."""
    silent: bool = False
    """Whether a server has not said for long that it is alive."""


class Lookout:
    """Looks when it is asked to, on whichever thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # A SQLite file has one server.
        self._look = _LOOK if database.is_sqlite else f"{_LOOK}, {ANY_SILENT}"
        self._connection: Any = None
        self._one_at_a_time = threading.Lock()

    def look(self) -> SeenChanges:
        """What is there now; or `StoreUnavailable`."""
        with self._one_at_a_time:
            if self._connection is not None:
                try:
                    return self._ask()
                except _FAILED:
                    # It may have been cut long ago, and a new one may do.
                    self._close()
            try:
                self._connection = self._database.driver_connection()
                if not self._database.is_sqlite:
                    self._connection.autocommit = True
                return self._ask()
            except _FAILED as error:
                self._close()
                raise StoreUnavailable(reason_of(error)) from error

    def close(self) -> None:
        """Close the connection; the next look opens another one."""
        with self._one_at_a_time:
            self._close()

    def _ask(self) -> SeenChanges:
        revision, *others = self._connection.execute(self._look).fetchone()
        return SeenChanges(int(revision or 0), *others)

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(*_FAILED):
                connection.close()
