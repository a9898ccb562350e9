"""What the column copy of an account reads: decisions by id, their reviews and labels, and marks
of what changed.

Every function works in a short transaction of its caller.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.decisions.record_fingerprints import shown_text
from gatehouse.store.database import is_any_of
from gatehouse.store.decisions.records import KeptRecord
from gatehouse.store.tables import AUDIT, DECISIONS, FEEDBACK, REVIEWS

_D: Final = DECISIONS.c
_R: Final = REVIEWS.c
_F: Final = FEEDBACK.c
_A: Final = AUDIT.c
_ERASED: Final = '%"erasedAt":"%'
"""In the text of a record, quotes inside of a value are escaped."""
_OPEN: Final = "OPEN"


class IdRange(NamedTuple):
    """The requests of an account from one id to another, both included."""

    account_id: str
    first: str
    last: str


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


def before(
    connection: sa.Connection,
    account_id: str,
    last: str,
    limit: int,
    fingerprints: Fingerprints,
) -> list[KeptRecord]:
    """The records before an id, newest first."""
    here = (_D.account_id == account_id, _D.request_id < last)
    query = _records().where(*here).order_by(_D.request_id.desc()).limit(limit)
    return _kept(connection, query, account_id, fingerprints)


def by_ids(
    connection: sa.Connection,
    account_id: str,
    request_ids: Sequence[str],
    fingerprints: Fingerprints,
) -> list[KeptRecord]:
    """The records of some requests."""
    this = is_any_of(connection, _D.request_id, request_ids)
    query = _records().where(_D.account_id == account_id, this)
    return _kept(connection, query, account_id, fingerprints)


def ids_after(connection: sa.Connection, account_id: str, first: str, limit: int) -> list[str]:
    """The ids of requests after an id, oldest first."""
    query = sa.select(_D.request_id).where(_D.account_id == account_id, _D.request_id > first)
    return list(connection.scalars(query.order_by(_D.request_id).limit(limit)))


def count_before(connection: sa.Connection, account_id: str, last: str) -> int:
    """How many requests there are before an id."""
    query = sa.select(sa.func.count()).where(_D.account_id == account_id, _D.request_id < last)
    return connection.scalar(query) or 0


def erased_in(connection: sa.Connection, where: IdRange) -> list[str]:
    """The requests of a range whose person was erased."""
    query = sa.select(_D.request_id).where(
        _D.account_id == where.account_id,
        _D.request_id >= where.first,
        _D.request_id <= where.last,
        _D.card.is_(None),
        _D.client_reference.is_(None),
        _D.record.like(_ERASED),
    )
    return list(connection.scalars(query))


def review_states(connection: sa.Connection, account_id: str) -> dict[str, str]:
    """The states of all reviews."""
    query = sa.select(_R.request_id, _R.state).where(_R.account_id == account_id)
    return {row[0]: row[1] for row in connection.execute(query)}


def review_states_of(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> dict[str, str]:
    """The states of the reviews of some requests."""
    this = is_any_of(connection, _R.request_id, request_ids)
    query = sa.select(_R.request_id, _R.state).where(_R.account_id == account_id, this)
    return {row[0]: row[1] for row in connection.execute(query)}


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


def newest_mark(connection: sa.Connection) -> AuditMark:
    """The last line of the audit trail."""
    query = sa.select(_A.seq, _A.hash).order_by(_A.seq.desc()).limit(1)
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


def _records() -> "sa.Select[Any]":
    return sa.select(_D.request_id, _D.at_ms, _D.operation, _D.record, _D.transaction_reference)


def _kept(
    connection: sa.Connection,
    query: "sa.Select[Any]",
    account_id: str,
    fingerprints: Fingerprints,
) -> list[KeptRecord]:
    return [
        KeptRecord(
            request_id, at_ms, operation, shown_text(account_id, text, fingerprints), transaction
        )
        for request_id, at_ms, operation, text, transaction in connection.execute(query)
    ]
