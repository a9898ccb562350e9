"""Deletes what is older than a moment, a bounded number of rows at a time.

Every function works in the transaction of its caller, which holds the lock on changes. What is
still there when the work is interrupted is found again by the next call.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.evidence.use_cases.forgetting import forget_orders
from gatehouse.admin.privacy.queries.waiting import any_not_over, not_over
from gatehouse.core.ids import first_id
from gatehouse.store.counting import count_rows
from gatehouse.store.decisions import review_events
from gatehouse.store.decisions.partitions import Month, drop_month, is_partitioned, months_before
from gatehouse.store.decisions.review_events import ReviewState
from gatehouse.store.feedback import feedback
from gatehouse.store.identities.identities import overwrite_deleted
from gatehouse.store.payments import operations
from gatehouse.store.payments.tables import PAYMENT_OPERATIONS
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.search.entries import SearchIndex
from gatehouse.store.tables import (
    DECISIONS,
    EVENTS,
    FEEDBACK,
    GATEWAY_INTENTS,
    HOLDS,
    IDEMPOTENCY,
    IDENTITY_IMPORTS,
    REVIEWS,
)

_D: Final = DECISIONS.c
_F: Final = FEEDBACK.c
_R: Final = REVIEWS.c
_I: Final = IDENTITY_IMPORTS.c
_E: Final = EVENTS.c


class DeletedRows(msgspec.Struct):
    """How many rows were deleted, by kind."""

    decisions: int = 0
    feedback: int = 0
    reviews: int = 0
    answers: int = 0
    """Answers that were kept for repeated requests."""
    imports: int = 0
    """Notes on imports of identity records."""
    events: int = 0
    evidence: int = 0
    """What was kept for disputes, with files and notes."""
    outcomes: int = 0

    def add(self, more: "DeletedRows") -> None:
        """Count these, too."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(more, name))

    @property
    def total(self) -> int:
        """All of them."""
        return sum(msgspec.structs.astuple(self))


class OldDecisions:
    """The decisions of one account before a moment, oldest first."""

    def __init__(self, index: SearchIndex, account_id: str, before_ms: int) -> None:
        self._index = index
        self._account_id = account_id
        self._before = first_id("req", before_ms)
        self._after = ""

    def count(self, connection: sa.Connection) -> int:
        """How many there are, without those that are not over."""
        return count_rows(connection, DECISIONS, *self._here()) - self._kept(connection)

    def delete_some(self, connection: sa.Connection, limit: int) -> DeletedRows | None:
        """Delete the next ones with all that hangs on them; None when there are no more."""
        query = sa.select(_D.request_id).where(*self._here(), _D.request_id > self._after)
        found = list(connection.scalars(query.order_by(_D.request_id).limit(limit)))
        if not found:
            return None
        self._after = found[-1]
        waiting = not_over(connection, self._account_id, found)
        gone = [each for each in found if each not in waiting] if waiting else found
        return self._delete(connection, gone)

    def _delete(self, connection: sa.Connection, gone: Sequence[str]) -> DeletedRows:
        overwrite_deleted(connection)
        account_id = self._account_id
        self._index.forget(connection, account_id, gone)
        reviews = review_events.erase(connection, account_id, gone, delete=True)
        of_these = FEEDBACK.delete().where(
            _F.account_id == account_id, _F.request_id.in_(gone), _not_newest(connection)
        )
        labels = connection.execute(of_these).rowcount
        evidence = forget_orders(connection, account_id, gone)
        operations.forget(connection, account_id, gone)
        these = DECISIONS.delete().where(_D.account_id == account_id, _D.request_id.in_(gone))
        decisions = connection.execute(these).rowcount
        return DeletedRows(decisions, labels, reviews, evidence=evidence)

    def delete_lost_labels(self, connection: sa.Connection, limit: int) -> int:
        """Delete labels whose decision is gone: the newest one of all had to stay at first."""
        there = sa.exists().where(_D.account_id == _F.account_id, _D.request_id == _F.request_id)
        query = sa.select(_F.seq).where(
            _F.account_id == self._account_id,
            _F.request_id < self._before,
            ~there,
            _not_newest(connection),
        )
        lost = list(connection.scalars(query.limit(limit)))
        return connection.execute(FEEDBACK.delete().where(_F.seq.in_(lost))).rowcount

    def _here(self) -> tuple["sa.ColumnElement[bool]", ...]:
        return _D.account_id == self._account_id, _D.request_id < self._before

    def _kept(self, connection: sa.Connection) -> int:
        """How many of them are not over; they are few, and found from the other side."""
        reviewed = sa.select(_R.request_id).where(
            _R.account_id == self._account_id, _R.state == ReviewState.OPEN.value
        )
        in_doubt = sa.select(GATEWAY_INTENTS.c.request_id).where(
            GATEWAY_INTENTS.c.account_id == self._account_id,
            GATEWAY_INTENTS.c.state != IntentState.REVERSED.value,
        )
        held = sa.select(HOLDS.c.request_id).where(HOLDS.c.account_id == self._account_id)
        operated = sa.select(PAYMENT_OPERATIONS.c.request_id).where(
            PAYMENT_OPERATIONS.c.account_id == self._account_id,
            PAYMENT_OPERATIONS.c.state.in_(operations.NOT_OVER),
        )
        waiting = sa.union(reviewed, in_doubt, held, operated).subquery()
        among = _D.request_id.in_(sa.select(waiting.c.request_id))
        return count_rows(connection, DECISIONS, *self._here(), among)


class OldMonths:
    """Whole months of decisions, of all accounts, in partitions that can be dropped."""

    def __init__(self, before_ms: int) -> None:
        self._before = first_id("req", before_ms)

    def find(self, connection: sa.Connection) -> list[Month]:
        """The months of which everything is old and over."""
        if not is_partitioned(connection):
            return []
        found = months_before(connection, self._before)
        return [each for each in found if not any_not_over(connection, each.first, each.next.first)]

    @staticmethod
    def delete_reviews(account_id: str, month: Month, connection: sa.Connection, limit: int) -> int:
        """Delete resolved reviews of a month, with all that was written there."""
        query = sa.select(_R.request_id).where(
            _R.account_id == account_id,
            _R.request_id >= month.first,
            _R.request_id < month.next.first,
            _R.state != ReviewState.OPEN.value,
        )
        found = list(connection.scalars(query.order_by(_R.request_id).limit(limit)))
        return review_events.erase(connection, account_id, found, delete=True) if found else 0

    @staticmethod
    def drop(month: Month, records: int, connection: sa.Connection) -> DeletedRows | None:
        """Drop a month with so many records, unless something in it is not over after all."""
        if any_not_over(connection, month.first, month.next.first):
            return None
        drop_month(connection, month)
        operations.forget_between(connection, month.first, month.next.first)
        return DeletedRows(decisions=records)


def old_labels(before_ms: int, limit: int) -> "sa.Select[Any]":
    """The numbers of labels that were recorded before a moment, oldest first.

    Rows are numbered in the order of time, so the first ones are enough to look at.
    """
    first = sa.select(_F.seq, _F.recorded_at_ms).order_by(_F.seq).limit(limit).subquery()
    return sa.select(first.c.seq).where(first.c.recorded_at_ms < before_ms)


def delete_labels(before_ms: int, connection: sa.Connection, limit: int) -> int:
    """Delete labels that were recorded before a moment."""
    found = list(connection.scalars(old_labels(before_ms, limit)))
    these = FEEDBACK.delete().where(_F.seq.in_(found), _not_newest(connection))
    return connection.execute(these).rowcount


def count_labels(connection: sa.Connection, before_ms: int) -> int:
    """How many labels were recorded before a moment."""
    older = _F.recorded_at_ms < before_ms
    return count_rows(connection, FEEDBACK, older, _not_newest(connection))


def _resolved(account_id: str, before_ms: int) -> "sa.ColumnElement[bool]":
    return sa.and_(
        _R.account_id == account_id,
        _R.state != ReviewState.OPEN.value,
        _R.request_id < first_id("req", before_ms),
    )


def delete_reviews(account_id: str, before_ms: int, connection: sa.Connection, limit: int) -> int:
    """Delete resolved reviews of requests before a moment, with all that was written there."""
    query = sa.select(_R.request_id).where(_resolved(account_id, before_ms))
    found = list(connection.scalars(query.order_by(_R.request_id).limit(limit)))
    if not found:
        return 0
    overwrite_deleted(connection)
    return review_events.erase(connection, account_id, found, delete=True)


def count_reviews(connection: sa.Connection, account_id: str, before_ms: int) -> int:
    """How many resolved reviews of requests before a moment there are."""
    return count_rows(connection, REVIEWS, _resolved(account_id, before_ms))


def delete_expired_answers(now_ms: int, connection: sa.Connection, limit: int) -> int:
    """Delete answers whose time is over, as servers do, too."""
    c = IDEMPOTENCY.c
    chosen = sa.select(c.claim_id).where(c.expires_at_ms <= now_ms).limit(limit)
    return connection.execute(
        IDEMPOTENCY.delete().where(c.claim_id.in_(chosen.scalar_subquery()))
    ).rowcount


def delete_imports(before_ms: int, connection: sa.Connection, limit: int) -> int:
    """Delete the notes on imports that began before a moment."""
    chosen = sa.select(_I.id).where(_I.started_at_ms < before_ms).limit(limit)
    these = IDENTITY_IMPORTS.delete().where(_I.id.in_(chosen.scalar_subquery()))
    return connection.execute(these).rowcount


def count_imports(connection: sa.Connection, before_ms: int) -> int:
    """How many imports began before a moment."""
    return count_rows(connection, IDENTITY_IMPORTS, _I.started_at_ms < before_ms)


def delete_events(before_ms: int, connection: sa.Connection, limit: int) -> int:
    """Delete events that were written before a moment, oldest first."""
    first = sa.select(_E.seq, _E.at_ms).order_by(_E.seq).limit(limit).subquery()
    found = sa.select(first.c.seq).where(first.c.at_ms < before_ms)
    these = EVENTS.delete().where(_E.seq.in_(list(connection.scalars(found))))
    return connection.execute(these).rowcount


def count_events(connection: sa.Connection, before_ms: int) -> int:
    """How many events were written before a moment."""
    return count_rows(connection, EVENTS, _E.at_ms < before_ms)


def _not_newest(connection: sa.Connection) -> "sa.ColumnElement[bool]":
    """The newest row stays: its number tells servers how far they have read."""
    return _F.seq < feedback.newest(connection)
