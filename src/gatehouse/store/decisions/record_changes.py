"""What becomes of decisions after they were recorded, for those who keep them in columns: reviews,
labels, and lines of the audit trail that tell of erasures and deletions.

Every function works in a short transaction of its caller.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from gatehouse.core.ids import first_id
from gatehouse.store.database import rows_of_any
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.feedback import feedback_history
from gatehouse.store.tables import AUDIT, DECISIONS, FEEDBACK, REVIEWS

_D: Final = DECISIONS.c
_R: Final = REVIEWS.c
_F: Final = FEEDBACK.c
_A: Final = AUDIT.c
_OPEN: Final = "OPEN"
_ERASING: Final = "privacy.erase%"
ARCHIVED: Final = "decisions.archive"
"""The action of the line that every writing of an archive leaves in the audit trail."""


class NumberedLabel(NamedTuple):
    """One statement about a request."""

    seq: int
    request_id: str


class AuditMark(NamedTuple):
    """A line of the audit trail: where a follower stands, in a trail that cannot be rewritten."""

    seq: int
    hash: str


class AuditAction(NamedTuple):
    """What a line of the audit trail says was done."""

    mark: AuditMark
    action: str
    account_id: str | None


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


def review_states(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str] | None = None
) -> dict[str, str]:
    """The states of the reviews of some requests, or of all."""
    query, mine = sa.select(_R.request_id, _R.state), _R.account_id == account_id
    if request_ids is None:
        found = connection.execute(query.where(mine)).all()
    else:
        found = rows_of_any(connection, query, _R.request_id, request_ids, mine)
    return {row[0]: row[1] for row in found}


def open_reviews(connection: sa.Connection, account_id: str) -> set[str]:
    """The requests whose review is open; an index answers."""
    query = sa.select(_R.request_id).where(_R.account_id == account_id, _R.state == _OPEN)
    return set(connection.scalars(query))


def count_reviews(connection: sa.Connection, account_id: str) -> dict[str, int]:
    """How many reviews there are in each state."""
    query = sa.select(_R.state, sa.func.count()).where(_R.account_id == account_id)
    return {row[0]: row[1] for row in connection.execute(query.group_by(_R.state))}


def labels_after(
    connection: sa.Connection, account_id: str, seq: int, limit: int
) -> list[NumberedLabel]:
    """The statements about requests of an account above a number, in their order."""
    query = sa.select(_F.seq, _F.request_id).where(_F.seq > seq, _F.account_id == account_id)
    rows = connection.execute(query.order_by(_F.seq).limit(limit))
    return [NumberedLabel(*row) for row in rows]


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


def newest_mark(connection: sa.Connection, before_ms: int | None = None) -> AuditMark:
    """The last line of the audit trail, or the last before a moment."""
    query = sa.select(_A.seq, _A.hash).order_by(_A.seq.desc()).limit(1)
    if before_ms is not None:
        query = query.where(_A.at_ms < before_ms)
    row = connection.execute(query).first()
    return AuditMark(0, "") if row is None else AuditMark(*row)


def has_mark(connection: sa.Connection, mark: AuditMark) -> bool:
    """Whether the trail still has a line; a restored or another database has not."""
    if mark.seq == 0:
        return True
    return connection.scalar(sa.select(_A.hash).where(_A.seq == mark.seq)) == mark.hash


def actions_after(connection: sa.Connection, seq: int, limit: int) -> list[AuditAction]:
    """What was done since a line of the audit trail, in order."""
    query = sa.select(_A.seq, _A.hash, _A.action, _A.account_id).where(_A.seq > seq)
    rows = connection.execute(query.order_by(_A.seq).limit(limit))
    return [AuditAction(AuditMark(row[0], row[1]), row[2], row[3]) for row in rows]


def was_erased_since(connection: sa.Connection, account_id: str, seq: int) -> bool:
    """Whether a person of the account was erased, or began to be, after a line of the trail."""
    query = sa.select(_A.seq).where(
        _A.account_id == account_id, _A.seq > seq, _A.action.like(_ERASING)
    )
    return connection.execute(query.limit(1)).first() is not None


def archived_to(connection: sa.Connection, account_id: str) -> list[str]:
    """Every place that the account was archived to, as the audit trail tells it."""
    query = sa.select(_A.details).where(_A.account_id == account_id, _A.action == ARCHIVED)
    details = connection.scalars(query.order_by(_A.seq))
    return list(dict.fromkeys(str(json.loads(each)["to"]) for each in details))


def _said_within(span: RecordSpan) -> tuple["sa.ColumnElement[bool]", ...]:
    return (
        _F.account_id == span.account_id,
        _F.request_id >= first_id("req", span.since_ms),
        _F.request_id < first_id("req", span.until_ms),
    )
