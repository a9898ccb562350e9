"""The next messages of an endpoint: those to send again, then new events, rendered and encoded."""

from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.decisions.use_cases.public_decisions import PublicDecision, outcome_of
from gatehouse.admin.events.use_cases.events import PublicEvent, render
from gatehouse.admin.webhooks.queries import deliveries
from gatehouse.admin.webhooks.queries.endpoints import KeptWebhook
from gatehouse.admin.webhooks.types.endpoint import WebhookTerms
from gatehouse.core.events import EventName
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.events import outbox
from gatehouse.store.events.outbox import BEGINNING, EventPlace, ReadEvents, StoredEvent

_AT_ONCE: Final = 50
_AT_ONCE_IN_ORDER: Final = 20
MOST_WAITING: Final = 1000
"""Messages of an endpoint that does not work; beyond that, new events stay in the outbox."""
_encode: Final = msgspec.json.Encoder().encode


class OutgoingMessage(msgspec.Struct, frozen=True):
    """One message to send; it is never printed."""

    event: StoredEvent
    attempts: int
    """That were made before."""
    is_new: bool
    body: bytes

    def __repr__(self) -> str:
        return f"OutgoingMessage({self.event.event.id})"


class MessageBatch(msgspec.Struct, frozen=True):
    """Some messages of one endpoint."""

    outgoing: list[OutgoingMessage]
    gone: list[str]
    """Events that were deleted or are not wanted, while their messages waited."""
    cursor: str
    """After all new events of it."""
    place: EventPlace
    """Where the cursor stands; the beginning when new events were not looked at."""
    more: bool

    def __bool__(self) -> bool:
        """Whether anything is to be done."""
        return bool(self.outgoing or self.gone)


class BatchReader:
    """Reads the batches of one endpoint."""

    def __init__(self, webhook: KeptWebhook, session: AdminSession) -> None:
        self._webhook = webhook
        self._session = session
        wanted = webhook.terms.types()
        # Without types, all of them are read, and none is looked at in vain.
        self._types = () if wanted == set(EventName) else tuple(sorted(wanted))
        self._at_once = _AT_ONCE_IN_ORDER if webhook.terms.is_ordered else _AT_ONCE

    def read(
        self, connection: sa.Connection, cursor: str, now_ms: int, *, failing: bool
    ) -> MessageBatch:
        """What is to be sent now."""
        webhook_id, account_id = self._webhook.webhook_id, self._webhook.account_id
        in_order = self._webhook.terms.is_ordered
        due = deliveries.due(connection, webhook_id, now_ms, self._at_once, in_order=in_order)
        kept = outbox.find_all(connection, account_id, [each.event_id for each in due])
        room = self._room(connection, len(due), failing=failing)
        new = ReadEvents([], cursor, more=False, place=BEGINNING)
        if room:
            new = outbox.read_after(connection, account_id, cursor, room, self._types)
        again = [(kept[w.event_id], w.attempts) for w in due if w.event_id in kept]
        first = [(each, 0) for each in new.events]
        told = self._render(connection, [*again, *first])
        outgoing = [
            OutgoingMessage(event, attempts, place >= len(again), body)
            for place, ((event, attempts), body) in enumerate(
                zip([*again, *first], told, strict=True)
            )
            if body is not None
        ]
        sent = {each.event.event.id for each in outgoing}
        gone = [each.event_id for each in due if each.event_id not in sent]
        more = new.more or len(due) == self._at_once
        return MessageBatch(outgoing, gone, new.cursor, new.place, more)

    def _room(self, connection: sa.Connection, due: int, *, failing: bool) -> int:
        """How many new events may be taken."""
        room = self._at_once - due
        if not room or not (failing or self._webhook.terms.is_ordered):
            return room
        waiting = deliveries.count_waiting(connection, self._webhook.webhook_id)
        if self._webhook.terms.is_ordered:
            return 0 if waiting > due else room
        return 0 if waiting >= MOST_WAITING else room

    def _render(
        self, connection: sa.Connection, chosen: list[tuple[StoredEvent, int]]
    ) -> list[bytes | None]:
        events = [stored.event for stored, _ in chosen]
        if not events:
            return []
        account_id = self._webhook.account_id
        shown = render(self._session, connection, account_id, events)
        return [_encode(each) if takes(self._webhook.terms, each) else None for each in shown]


def takes(terms: WebhookTerms, event: PublicEvent) -> bool:
    """Whether an endpoint wants to hear of an event: its types can change while messages wait."""
    if not terms.decisions or event.type != EventName.DECISION_MADE:
        return event.type in terms.types()
    decision: PublicDecision | None = event.data["decision"]
    if decision is None:
        return False
    return terms.takes_decision(decision.operation, outcome_of(decision))
