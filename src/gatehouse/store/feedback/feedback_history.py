"""Reads feedback in bulk: lists, rows for imports and for followers, labels for training."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from gatehouse.core.ids import first_id
from gatehouse.core.wording.labels import Label, is_fraud
from gatehouse.store.database import is_any_of
from gatehouse.store.feedback.statements import (
    MOST_REQUESTS,
    FeedbackSubject,
    LabelEntry,
    entry_in,
    label_in,
)
from gatehouse.store.tables import DECISIONS, FEEDBACK

_USUAL_REQUESTS: Final = 8
"""Nearly every name stands for no more requests than this."""
_NAMED_BY: Final = {
    "request_id": DECISIONS.c.request_id,
    "transaction": DECISIONS.c.transaction_reference,
    "client_reference": DECISIONS.c.client_reference,
}


class LabelRow(NamedTuple):
    """A row for the label follower, with the decision record of its request."""

    seq: int
    account_id: str
    label: Label
    previous: Label | None
    record: str | None


def listing(
    connection: sa.Connection, account_id: str, since_ms: int, label: Label | None, limit: int
) -> list[LabelEntry]:
    """The statements about an account's requests since a moment, newest first."""
    query = sa.select(FEEDBACK).where(
        FEEDBACK.c.account_id == account_id, FEEDBACK.c.recorded_at_ms >= since_ms
    )
    if label is not None:
        query = query.where(FEEDBACK.c.label == label.value)
    rows = connection.execute(query.order_by(FEEDBACK.c.seq.desc()).limit(limit))
    return [entry_in(row) for row in rows]


def find_all(
    connection: sa.Connection, account_id: str, subjects: Sequence[FeedbackSubject]
) -> defaultdict[FeedbackSubject, list[str]]:
    """The account's requests of each of some hundred subjects, oldest first.

    A subject of too many requests gets more than `MOST_REQUESTS`, but not all of them; a subject
    without requests is left out.
    """
    found: defaultdict[FeedbackSubject, list[str]] = defaultdict(list)
    for field, column in _NAMED_BY.items():
        wanted = {name for subject in subjects if (name := getattr(subject, field)) is not None}
        mine = sa.select(column.label("name"), DECISIONS.c.request_id).where(
            DECISIONS.c.account_id == account_id
        )
        usual = len(wanted) * _USUAL_REQUESTS
        together = mine.where(is_any_of(connection, column, [*wanted])).limit(usual + 1)
        rows = connection.execute(together).all() if wanted else []
        if len(rows) > usual:
            # A name stands for very many requests. Asked for each name by itself, the database
            # stops at the last request that is needed.
            this = mine.where(column == sa.bindparam("name"))
            first = this.order_by(DECISIONS.c.request_id).limit(MOST_REQUESTS + 1)
            rows = [row for name in wanted for row in connection.execute(first, {"name": name})]
        for row in sorted(rows, key=lambda row: row.request_id):
            found[FeedbackSubject(**{field: row.name})].append(row.request_id)
    return found


def entries_of(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> dict[str, list[LabelEntry]]:
    """All statements about each of some requests, oldest first."""
    query = sa.select(FEEDBACK).where(
        FEEDBACK.c.account_id == account_id, FEEDBACK.c.request_id.in_(request_ids)
    )
    found: dict[str, list[LabelEntry]] = defaultdict(list)
    for row in connection.execute(query.order_by(FEEDBACK.c.seq)):
        found[row.request_id].append(entry_in(row))
    return found


def rows_after(connection: sa.Connection, seq: int, limit: int) -> list[LabelRow]:
    """The rows of all accounts above a number, in order, each with its decision record."""
    c = FEEDBACK.c
    query = _with_records(c.previous, limit).where(c.seq > seq)
    return [_label_row(row) for row in connection.execute(query)]


def rows_in_force(connection: sa.Connection, after: int, until: int, limit: int) -> list[LabelRow]:
    """The rows between two numbers that count, as if there had never been others.

    A row that another one replaced, up to the second number, is left out.
    """
    c, later = FEEDBACK.c, FEEDBACK.alias()
    replaced = sa.exists().where(
        later.c.account_id == c.account_id,
        later.c.request_id == c.request_id,
        later.c.seq > c.seq,
        later.c.seq <= until,
    )
    query = _with_records(sa.null().label("previous"), limit)
    rows = connection.execute(query.where(c.seq > after, c.seq <= until, ~replaced))
    return [_label_row(row) for row in rows]


def _with_records(previous: "sa.ColumnElement[Any]", limit: int) -> "sa.Select[Any]":
    c = FEEDBACK.c
    same = sa.and_(DECISIONS.c.account_id == c.account_id, DECISIONS.c.request_id == c.request_id)
    return (
        sa.select(c.seq, c.account_id, c.label, previous, DECISIONS.c.record)
        .select_from(FEEDBACK.outerjoin(DECISIONS, same))
        .order_by(c.seq)
        .limit(limit)
    )


def _label_row(row: Any) -> LabelRow:
    previous = None if row.previous is None else label_in(row.previous)
    return LabelRow(row.seq, row.account_id, label_in(row.label), previous, row.record)


class KnownLabel(NamedTuple):
    """What a request turned out to be."""

    label: Label
    known_at_ms: int
    """When it was found out, if that was reported, or else when it was reported."""

    @property
    def fraud(self) -> bool | None:
        """Whether that is fraud; None of what is no matter of fraud, such as abuse."""
        return is_fraud(self.label)

    @property
    def fraud_known_ms(self) -> int | None:
        """Since when that is known."""
        return None if self.fraud is None else self.known_at_ms


def labels_with_times(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int
) -> dict[str, KnownLabel]:
    """What is known about the requests of a span, and since when."""
    c = FEEDBACK.c.request_id
    return _known(
        connection, account_id, c >= first_id("req", since_ms), c < first_id("req", until_ms)
    )


def labels_between(
    connection: sa.Connection, account_id: str, first: str, last: str
) -> dict[str, KnownLabel]:
    """The same of the requests from one to another."""
    c = FEEDBACK.c.request_id
    return _known(connection, account_id, c >= first, c <= last)


def labels_of(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> dict[str, KnownLabel]:
    """The same of some requests."""
    these = is_any_of(connection, FEEDBACK.c.request_id, request_ids)
    return _known(connection, account_id, these)


def _known(
    connection: sa.Connection, account_id: str, *which: "sa.ColumnElement[bool]"
) -> dict[str, KnownLabel]:
    wanted = (FEEDBACK.c.request_id, FEEDBACK.c.label)
    query = (
        sa.select(*wanted, FEEDBACK.c.found_at_ms, FEEDBACK.c.recorded_at_ms)
        .where(FEEDBACK.c.account_id == account_id, *which)
        .order_by(FEEDBACK.c.request_id, FEEDBACK.c.seq)
    )
    found: dict[str, KnownLabel] = {}
    # The last row of a request is its newest.
    for row in connection.execute(query):
        label = label_in(row.label)
        if label is Label.WITHDRAWN:
            found.pop(row.request_id, None)
            continue
        known_at_ms = row.recorded_at_ms if row.found_at_ms is None else row.found_at_ms
        before = found.get(row.request_id)
        if before is not None and before.fraud is is_fraud(label):
            # The same again, such as with its amount: it is known since the first time.
            known_at_ms = min(known_at_ms, before.known_at_ms)
        found[row.request_id] = KnownLabel(label, known_at_ms)
    return found


def labels(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int
) -> dict[str, bool]:
    """The labels of the requests of a span: True is fraud, False is legitimate."""
    found = labels_with_times(connection, account_id, since_ms, until_ms)
    return {each: fraud for each, known in found.items() if (fraud := known.fraud) is not None}


def reported_since(connection: sa.Connection, account_id: str) -> int | None:
    """When the oldest request with feedback came; None when there is none."""
    same = sa.and_(
        DECISIONS.c.account_id == FEEDBACK.c.account_id,
        DECISIONS.c.request_id == FEEDBACK.c.request_id,
    )
    query = (
        sa.select(DECISIONS.c.at_ms)
        .select_from(FEEDBACK.join(DECISIONS, same))
        .where(FEEDBACK.c.account_id == account_id)
        .order_by(FEEDBACK.c.request_id)
        .limit(1)
    )
    at_ms = connection.scalar(query)
    return None if at_ms is None else int(at_ms)
