"""Makes decisions anonymous, with all that hangs on them, in the transaction of the caller."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.evidence.use_cases.forgetting import forget_orders
from gatehouse.admin.outcomes.use_cases.forgetting import forget_person
from gatehouse.admin.privacy.queries.waiting import not_over
from gatehouse.core.clock import iso_time
from gatehouse.core.wording.labels import is_fraud
from gatehouse.decisions.erased_record import without_person
from gatehouse.decisions.record import (
    DecisionRecord,
    UnreadableRecord,
    decode,
    encode,
    read_closed_micros,
)
from gatehouse.sentry.records.event import past_event_in
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import review_events
from gatehouse.store.decisions.forgotten_events import ForgottenEvent, ForgottenEvents
from gatehouse.store.decisions.missed_events import drop_missed
from gatehouse.store.feedback import feedback_history
from gatehouse.store.feedback.statements import LabelEntry
from gatehouse.store.identities.identities import overwrite_deleted
from gatehouse.store.search.entries import SearchIndex
from gatehouse.store.tables import DECISIONS

_THIS: Final = sa.and_(
    DECISIONS.c.account_id == sa.bindparam("of_account"),
    DECISIONS.c.request_id == sa.bindparam("of_request"),
)
_ERASE: Final = (
    DECISIONS.update()
    .where(_THIS)
    .values(
        record=sa.bindparam("new_record"),
        client_reference=None,
        card=None,
        transaction_reference=None,
    )
)


class ErasedRequests(msgspec.Struct, frozen=True):
    """What became of some requests about a person."""

    erased: list[str]
    waiting: list[str]
    """Those that are not over yet; nothing of them was touched."""
    reviews: int = 0
    labels: int = 0
    outcomes: int = 0


class RequestEraser:
    """Erases a person from requests of one account."""

    def __init__(self, session: AdminSession, account_id: str) -> None:
        self._session = session
        self._account_id = account_id
        self._index = SearchIndex(session.terms, session.fingerprints)
        self._messages = ForgottenEvents(session.ring)

    def erase(self, connection: sa.Connection, request_ids: Sequence[str]) -> ErasedRequests:
        """Erase the person; the transaction must hold the lock on changes."""
        account_id, now_ms = self._account_id, self._session.clock()
        waiting = not_over(connection, account_id, request_ids)
        wanted = [each for each in request_ids if each not in waiting]
        query = sa.select(DECISIONS).where(
            DECISIONS.c.account_id == account_id, DECISIONS.c.request_id.in_(wanted)
        )
        rows = connection.execute(query).all()
        if not rows:
            return ErasedRequests([], sorted(waiting))
        overwrite_deleted(connection)
        forget_orders(connection, account_id, wanted)
        labels = feedback_history.entries_of(connection, account_id, wanted)
        # A shared memory that has missed an event has nothing to forget, and must not be told.
        untold = drop_missed(connection, account_id, wanted)
        forgotten = [
            _forgotten(row, labels.get(row.request_id, ()))
            for row in rows
            if row.request_id not in untold
        ]
        events = [each for each in forgotten if each is not None]
        self._messages.add(connection, events, now_ms, self._session.randomness)
        self._index.forget_person(connection, account_id, wanted)
        at = iso_time(now_ms)
        changes = [
            {
                "of_account": account_id,
                "of_request": row.request_id,
                "new_record": encode(without_person(_read(row), at)),
            }
            for row in rows
        ]
        connection.execute(_ERASE, changes)
        reviews = review_events.erase(connection, account_id, wanted, delete=False)
        erased = [row.request_id for row in rows]
        outcomes = forget_person(connection, account_id, erased)
        number = sum(map(len, labels.values()))
        return ErasedRequests(erased, sorted(waiting), reviews, number, outcomes)


def _read(row: Any) -> DecisionRecord:
    """The record of a row; of one that cannot be read, what its row and the ledger need."""
    try:
        return decode(row.record)
    except UnreadableRecord:
        pass
    try:
        closed = read_closed_micros(row.record)
    except UnreadableRecord:
        closed = 0
    return DecisionRecord(
        request_id=row.request_id,
        operation=row.operation,
        at=iso_time(row.at_ms),
        client_reference_id=None,
        card=None,
        stages=[],
        authorized_micros=closed,
        closed_micros=closed,
    )


def _forgotten(row: Any, labels: Sequence[LabelEntry]) -> ForgottenEvent | None:
    past = past_event_in(row.account_id, row.record)
    if past is None:
        return None
    fraud = is_fraud(labels[-1].label) if labels else None
    return ForgottenEvent(row.at_ms, past.event, past.counted, past.declined, fraud)
