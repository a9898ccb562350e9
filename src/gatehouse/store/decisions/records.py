"""Reads an account's decision records of a span of time, oldest first, for backtests,
training and exports.

Every batch is a short transaction of its own, so servers and operators never wait for a reader.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.ids import first_id, id_time_ms
from gatehouse.decisions.record_fingerprints import shown_text
from gatehouse.store.database import Database
from gatehouse.store.tables import DECISIONS

RECORDS_AT_ONCE: Final = 2000

Reached = Callable[[int], object]
"""Takes how many records are done."""


class KeptRecord(msgspec.Struct, frozen=True, gc=False):
    """One decision record as it is kept."""

    request_id: str
    at_ms: int
    operation: str
    text: str
    transaction: str | None = None
    """The caller's name for the transaction, as it may be kept."""


class RecordSpan(NamedTuple):
    """The records of one account, from a moment on and before another."""

    account_id: str
    since_ms: int
    until_ms: int


class RecordCounts(msgspec.Struct):
    """How many records of a span a reader could use."""

    records: int = 0
    """Records with what the reader looks for."""
    skipped: int = 0
    """Records without it, such as those of other operations."""
    unreadable: int = 0

    def add(self, others: "RecordCounts") -> None:
        """Count the records of a part of the span."""
        self.records += others.records
        self.skipped += others.skipped
        self.unreadable += others.unreadable

    @property
    def looked_at(self) -> int:
        """All records of the span."""
        return self.records + self.skipped + self.unreadable


def stream(
    database: Database,
    span: RecordSpan,
    fingerprints: Fingerprints | None,
    reached: Reached | None = None,
    *,
    batch: int = RECORDS_AT_ONCE,
) -> Iterator[list[KeptRecord]]:
    """The records of the span in batches, oldest first; a span without any has no batch.

    Without `fingerprints`, earlier records have the inner one of their card: only for a reader that
    looks at no card. `reached` is told how many records the reader is done with.
    """
    done, account_id = 0, span.account_id
    after = first_id("req", span.since_ms)
    c = DECISIONS.c
    wanted = (c.request_id, c.at_ms, c.operation, c.record, c.transaction_reference)
    while True:
        query = (
            sa.select(*wanted)
            .where(*_within(span, after))
            .order_by(DECISIONS.c.request_id)
            .limit(batch)
        )
        with database.reading() as connection:
            found = [
                KeptRecord(
                    request_id,
                    at_ms,
                    operation,
                    text if fingerprints is None else shown_text(account_id, text, fingerprints),
                    transaction,
                )
                for request_id, at_ms, operation, text, transaction in connection.execute(query)
            ]
        if found:
            yield found
            done += len(found)
            if reached is not None:
                reached(done)
            after = found[-1].request_id
        if len(found) < batch:
            return


def in_parts(connection: sa.Connection, span: RecordSpan, size: int) -> list[RecordSpan]:
    """The span in parts of about so many records, oldest first."""
    parts: list[RecordSpan] = []
    while True:
        ids = sa.select(DECISIONS.c.request_id).where(
            *_within(span, first_id("req", span.since_ms))
        )
        next_id = connection.scalar(ids.order_by(DECISIONS.c.request_id).limit(1).offset(size))
        if next_id is None:
            return [*parts, span]
        # All records of one moment are in one part.
        until_ms = max(id_time_ms(next_id), span.since_ms + 1)
        parts.append(span._replace(until_ms=until_ms))
        span = span._replace(since_ms=until_ms)


def texts_of(connection: sa.Connection, account_id: str, request_ids: Sequence[str]) -> list[str]:
    """The records of some requests as they are kept, oldest first."""
    query = sa.select(DECISIONS.c.record).where(
        DECISIONS.c.account_id == account_id, DECISIONS.c.request_id.in_(request_ids)
    )
    return list(connection.scalars(query.order_by(DECISIONS.c.request_id)))


def count(connection: sa.Connection, span: RecordSpan) -> int:
    """How many records the span has."""
    within = _within(span, first_id("req", span.since_ms))
    query = sa.select(sa.func.count()).select_from(DECISIONS).where(*within)
    return int(connection.scalar(query) or 0)


def _within(span: RecordSpan, after: str) -> tuple["sa.ColumnElement[Any]", ...]:
    return (
        DECISIONS.c.account_id == span.account_id,
        DECISIONS.c.request_id > after,
        DECISIONS.c.request_id < first_id("req", span.until_ms),
    )
