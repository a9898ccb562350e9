"""Reads an account's decision records in bulk: for the copy in columns, the archive, backtests,
training and exports.

A stream takes a short transaction for every batch, so servers and operators never wait for a
reader. All else works in a short transaction of its caller.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.ids import first_id, id_time_ms
from gatehouse.decisions.record import IMPORTED
from gatehouse.decisions.record_fingerprints import shown_text
from gatehouse.store.counting import count_rows
from gatehouse.store.database import Database, is_any_of
from gatehouse.store.tables import DECISIONS

RECORDS_AT_ONCE: Final = 2000
_D: Final = DECISIONS.c
_RECORDS: Final = sa.select(
    _D.request_id, _D.at_ms, _D.operation, _D.record, _D.transaction_reference
)
_ERASED: Final = '%"erasedAt":"%'
"""In the text of a record, quotes inside of a value are escaped."""

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
    done, after = 0, first_id("req", span.since_ms)
    while True:
        query = _RECORDS.where(*_within(span, after)).order_by(_D.request_id).limit(batch)
        with database.reading() as connection:
            found = _kept(connection, query, span.account_id, fingerprints)
        if found:
            yield found
            done += len(found)
            if reached is not None:
                reached(done)
            after = found[-1].request_id
        if len(found) < batch:
            return


def before(
    connection: sa.Connection,
    account_id: str,
    last: str,
    limit: int,
    fingerprints: Fingerprints,
) -> list[KeptRecord]:
    """The records before an id, newest first."""
    here = (_D.account_id == account_id, _D.request_id < last)
    query = _RECORDS.where(*here).order_by(_D.request_id.desc()).limit(limit)
    return _kept(connection, query, account_id, fingerprints)


def by_ids(
    connection: sa.Connection,
    account_id: str,
    request_ids: Sequence[str],
    fingerprints: Fingerprints,
) -> list[KeptRecord]:
    """The records of some requests."""
    this = is_any_of(connection, _D.request_id, request_ids)
    query = _RECORDS.where(_D.account_id == account_id, this)
    return _kept(connection, query, account_id, fingerprints)


def ids_after(connection: sa.Connection, account_id: str, first: str, limit: int) -> list[str]:
    """The ids of requests after an id, oldest first."""
    query = sa.select(_D.request_id).where(_D.account_id == account_id, _D.request_id > first)
    return list(connection.scalars(query.order_by(_D.request_id).limit(limit)))


def oldest_request(connection: sa.Connection, account_id: str) -> str | None:
    """The id of the account's oldest decision that is no imported order."""
    query = sa.select(_D.request_id).where(_D.account_id == account_id, _D.operation != IMPORTED)
    return connection.scalar(query.order_by(_D.request_id).limit(1))


def in_parts(connection: sa.Connection, span: RecordSpan, size: int) -> list[RecordSpan]:
    """The span in parts of about so many records, oldest first."""
    parts: list[RecordSpan] = []
    while True:
        ids = sa.select(_D.request_id).where(*_within(span, first_id("req", span.since_ms)))
        next_id = connection.scalar(ids.order_by(_D.request_id).limit(1).offset(size))
        if next_id is None:
            return [*parts, span]
        # All records of one moment are in one part.
        until_ms = max(id_time_ms(next_id), span.since_ms + 1)
        parts.append(span._replace(until_ms=until_ms))
        span = span._replace(since_ms=until_ms)


def texts_of(connection: sa.Connection, account_id: str, request_ids: Sequence[str]) -> list[str]:
    """The records of some requests as they are kept, oldest first."""
    query = sa.select(_D.record).where(_D.account_id == account_id, _D.request_id.in_(request_ids))
    return list(connection.scalars(query.order_by(_D.request_id)))


def count(connection: sa.Connection, span: RecordSpan) -> int:
    """How many records the span has."""
    return count_rows(connection, DECISIONS, *_within(span, first_id("req", span.since_ms)))


def count_before(connection: sa.Connection, account_id: str, last: str) -> int:
    """How many requests there are before an id."""
    return count_rows(connection, DECISIONS, _D.account_id == account_id, _D.request_id < last)


def erased_in(connection: sa.Connection, account_id: str, first: str, last: str) -> list[str]:
    """The requests from one id to another, both included, whose person was erased."""
    query = sa.select(_D.request_id).where(
        _D.account_id == account_id,
        _D.request_id >= first,
        _D.request_id <= last,
        _D.card.is_(None),
        _D.client_reference.is_(None),
        _D.record.like(_ERASED),
    )
    return list(connection.scalars(query))


def count_erased(connection: sa.Connection, span: RecordSpan) -> int:
    """How many decisions of a span are about a person who was erased."""
    first, last = first_id("req", span.since_ms), first_id("req", span.until_ms)
    return len(erased_in(connection, span.account_id, first, last))


def _within(span: RecordSpan, after: str) -> tuple["sa.ColumnElement[Any]", ...]:
    return (
        _D.account_id == span.account_id,
        _D.request_id > after,
        _D.request_id < first_id("req", span.until_ms),
    )


def _kept(
    connection: sa.Connection,
    query: "sa.Select[Any]",
    account_id: str,
    fingerprints: Fingerprints | None,
) -> list[KeptRecord]:
    return [
        KeptRecord(
            request_id,
            at_ms,
            operation,
            text if fingerprints is None else shown_text(account_id, text, fingerprints),
            transaction,
        )
        for request_id, at_ms, operation, text, transaction in connection.execute(query)
    ]
