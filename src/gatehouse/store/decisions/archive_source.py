"""What an archive reads of a day besides its records: counts that change with it, and labels.

Every function works in a short transaction of its caller.
"""

import json
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from gatehouse.core.ids import first_id
from gatehouse.store.decisions import column_source, records
from gatehouse.store.decisions.column_source import AuditMark, IdRange
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.feedback import feedback_history
from gatehouse.store.tables import AUDIT, DECISIONS, FEEDBACK

_F: Final = FEEDBACK.c
_D: Final = DECISIONS.c
_ERASING: Final = "privacy.erase%"
ARCHIVED: Final = "decisions.archive"
"""The action of the line that every writing of an archive leaves in the audit trail."""


class DayState(NamedTuple):
    """Counts of which at least one changes when a day changes, except by an erasure."""

    decisions: int
    statements: int
    newest_statement: int


def day_state(connection: sa.Connection, span: RecordSpan) -> DayState:
    """How many decisions and statements about them a span has."""
    query = sa.select(sa.func.count(), sa.func.max(_F.seq)).where(*_said_within(span))
    statements, newest = connection.execute(query).one()
    return DayState(records.count(connection, span), statements, newest or 0)


def count_erased(connection: sa.Connection, span: RecordSpan) -> int:
    """How many decisions of a span are about a person who was erased."""
    first, last = first_id("req", span.since_ms), first_id("req", span.until_ms)
    return len(column_source.erased_in(connection, IdRange(span.account_id, first, last)))


def oldest_request(connection: sa.Connection, account_id: str) -> str | None:
    """The id of the account's oldest decision."""
    return next(iter(column_source.ids_after(connection, account_id, "", 1)), None)


def labels_in(connection: sa.Connection, span: RecordSpan) -> dict[str, list[Any]]:
    """The columns of labels of the span's decisions, of which no more than one is of a request."""
    known = feedback_history.labels_with_times(connection, *span)
    query = (
        sa.select(_F.request_id, _F.label, _F.recorded_at_ms)
        .join(
            DECISIONS,
            sa.and_(_D.account_id == _F.account_id, _D.request_id == _F.request_id),
        )
        .where(*_said_within(span))
        .order_by(_F.request_id, _F.seq)
    )
    # The last row of a request is its newest.
    newest = {row[0]: (row[1], row[2]) for row in connection.execute(query)}
    found = [known.get(each) for each in newest]
    return {
        "request_id": list(newest),
        "label": [label for label, _ in newest.values()],
        "fraud": [None if each is None else each.fraud for each in found],
        "known_ms": [None if each is None else each.known_at_ms for each in found],
        "recorded_ms": [recorded_ms for _, recorded_ms in newest.values()],
    }


def mark_before(connection: sa.Connection, at_ms: int) -> AuditMark:
    """The last line of the audit trail before a moment."""
    a = AUDIT.c
    query = sa.select(a.seq, a.hash).where(a.at_ms < at_ms).order_by(a.seq.desc()).limit(1)
    row = connection.execute(query).first()
    return AuditMark(0, "") if row is None else AuditMark(*row)


def was_erased_since(connection: sa.Connection, account_id: str, seq: int) -> bool:
    """Whether a person of the account was erased, or began to be, after a line of the trail."""
    a = AUDIT.c
    query = sa.select(a.seq).where(a.account_id == account_id, a.seq > seq, a.action.like(_ERASING))
    return connection.execute(query.limit(1)).first() is not None


def archived_to(connection: sa.Connection, account_id: str) -> list[str]:
    """Every place that the account was archived to, as the audit trail tells it."""
    a = AUDIT.c
    query = sa.select(a.details).where(a.account_id == account_id, a.action == ARCHIVED)
    details = connection.scalars(query.order_by(a.seq))
    return list(dict.fromkeys(str(json.loads(each)["to"]) for each in details))


def _said_within(span: RecordSpan) -> tuple["sa.ColumnElement[bool]", ...]:
    return (
        _F.account_id == span.account_id,
        _F.request_id >= first_id("req", span.since_ms),
        _F.request_id < first_id("req", span.until_ms),
    )
