"""Reads decision records, account by account and oldest first, to rebuild Sentry's memory.

A step reads a range of the primary key in a short transaction of its own: servers and operators
never wait for it, and after a failure the next step begins where the last one ended.
"""

from typing import Any, Final

import sqlalchemy as sa

from gatehouse.core.ids import first_id
from gatehouse.store.database import Database
from gatehouse.store.tables import ACCOUNTS, DECISIONS

OPERATIONS: Final = ("sentry", "rules", "pipeline")
"""Those whose records can hold an event."""
ROWS_AT_ONCE: Final = 256

RecordText = tuple[str, str]
"""An account, and the text of one of its decision records."""


class DecisionHistory:
    """The records of one span of time, read once from its beginning to its end."""

    def __init__(self, database: Database, from_ms: int, before_ms: int) -> None:
        self._database = database
        self._from = first_id("req", from_ms)
        self._before = first_id("req", before_ms)
        self._accounts: list[str] | None = None
        """Those that are left to read; None before the first step."""
        self._after = self._from

    def read(self) -> list[RecordText] | None:
        """The records of the next step, which can be none at all; None at the end."""
        with self._database.reading() as connection:
            if self._accounts is None:
                wanted = sa.select(ACCOUNTS.c.id).order_by(ACCOUNTS.c.id)
                self._accounts = list(connection.scalars(wanted))
            if not self._accounts:
                return None
            account_id = self._accounts[0]
            last, rows, joined = connection.execute(self._step(account_id)).one()
        if rows < ROWS_AT_ONCE:
            del self._accounts[0]
            self._after = self._from
        else:
            self._after = last
        return [(account_id, text) for text in joined.split("\n")] if joined else []

    def _step(self, account_id: str) -> "sa.Select[Any, int, str]":
        """Where the step ends, how many rows it looked at, and the records in one text.

        They are returned as one row: each row releases the interpreter's lock, and a busy event
        loop is late to give it back. JSON as Gatehouse writes it has no line breaks.
        """
        step = (
            sa.select(
                DECISIONS.c.request_id,
                sa.case((DECISIONS.c.operation.in_(OPERATIONS), DECISIONS.c.record)).label("text"),
            )
            .where(
                DECISIONS.c.account_id == account_id,
                DECISIONS.c.request_id > self._after,
                DECISIONS.c.request_id < self._before,
            )
            .order_by(DECISIONS.c.request_id)
            .limit(ROWS_AT_ONCE)
            .subquery()
        )
        return sa.select(
            sa.func.max(step.c.request_id),
            sa.func.count(),
            sa.func.aggregate_strings(step.c.text, "\n"),
        ).select_from(step)
