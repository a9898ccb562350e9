"""Use cases about the messages of a webhook: a test, the attempts, and sending some again."""

import asyncio
from typing import Final

import msgspec

from gatehouse.admin.events.use_cases.events import EVENT_UNKNOWN, PublicEvent
from gatehouse.admin.webhooks.queries import deliveries, endpoints
from gatehouse.admin.webhooks.queries.deliveries import Attempt, WaitingMessage
from gatehouse.admin.webhooks.queries.endpoints import KeptWebhook
from gatehouse.admin.webhooks.types.endpoint import WebhookState
from gatehouse.admin.webhooks.types.signing_secrets import signatures
from gatehouse.connectors.webhooks.sending import WebhookMessage, WebhookSender
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.scopes import account_change, account_reading
from gatehouse.store.events import outbox
from gatehouse.store.events.outbox import StoredEvent

_WEBHOOK_ATTEMPTS: Final = Phrase("refused.webhook_attempts", "a page has 1 to {most} attempts")
_SPAN_ENDS: Final = Phrase("refused.span_ends", "the span of time ends before it begins")
_WEBHOOK_DISABLED: Final = Phrase(
    "refused.webhook_disabled", "webhook {webhook} is disabled; enable it first"
)

TEST_TYPE: Final = "webhook.test"
MOST_ATTEMPTS: Final = 100
"""On one page."""
MOST_REPLAYED: Final = 10_000
"""At once."""
_encode: Final = msgspec.json.Encoder().encode


class AttemptQuery(msgspec.Struct, frozen=True):
    """Which attempts are wanted, newest first."""

    limit: int = MOST_ATTEMPTS
    before: str | None = None
    event_id: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST_ATTEMPTS:
            raise InvalidInput(_WEBHOOK_ATTEMPTS(most=MOST_ATTEMPTS))


class ReplaySpan(msgspec.Struct, frozen=True):
    """Events of a span of time."""

    since_ms: int
    until_ms: int


class Replayed(msgspec.Struct, frozen=True):
    """How many messages will be sent again."""

    messages: int
    is_complete: bool
    """False when there are more than are taken at once."""


def list_attempts(
    session: AdminSession, account_id: str, webhook_id: str, query: AttemptQuery
) -> list[Attempt]:
    """Attempts to send messages to a webhook, newest first."""
    with account_reading(session, account_id) as connection:
        endpoints.get(connection, account_id, webhook_id)
        return deliveries.attempts_of(
            connection, webhook_id, query.limit, before=query.before, event_id=query.event_id
        )


def replay_message(
    session: AdminSession, account_id: str, webhook_id: str, event_id: str
) -> Replayed:
    """Send one message again, whether it was accepted or not."""
    with account_change(session, account_id) as change:
        _enabled(endpoints.get(change.connection, account_id, webhook_id))
        found = outbox.find(change.connection, account_id, event_id)
        if found is None:
            raise NotFound(EVENT_UNKNOWN(event=recordable(event_id)))
        again = [_again(webhook_id, found, change.now_ms)]
        deliveries.put_waiting(change.connection, webhook_id, again)
        change.audit("webhook.replay", account_id, webhookId=webhook_id, eventId=event_id)
    return Replayed(1, True)


def replay_span(
    session: AdminSession, account_id: str, webhook_id: str, span: ReplaySpan
) -> Replayed:
    """Send all messages again whose events happened in a span of time."""
    if span.since_ms >= span.until_ms:
        raise InvalidInput(_SPAN_ENDS())
    with account_change(session, account_id) as change:
        kept = _enabled(endpoints.get(change.connection, account_id, webhook_id))
        wanted = kept.terms.types()
        found = deliveries.events_between(
            change.connection, account_id, span.since_ms, span.until_ms, MOST_REPLAYED + 1
        )
        again = [
            _again(webhook_id, each, change.now_ms)
            for each in found[:MOST_REPLAYED]
            if each.event.type in wanted
        ]
        deliveries.put_waiting(change.connection, webhook_id, again)
        told = {"webhookId": webhook_id, "messages": len(again)}
        change.audit("webhook.replay", account_id, **told, **msgspec.structs.asdict(span))
    return Replayed(len(again), len(found) <= MOST_REPLAYED)


async def send_test(
    session: AdminSession, account_id: str, webhook_id: str, sender: WebhookSender
) -> Attempt:
    """Send a message of type `webhook.test` at once, and say what was answered."""
    session.actor.check_account(account_id)
    message, sent = await asyncio.to_thread(_make_test, session, account_id, webhook_id)
    result = await sender.send(message)
    attempt = msgspec.structs.replace(
        sent, duration_ms=result.duration_ms, status=result.status, failure=result.failure
    )
    await session.database.write_on_thread(lambda c: deliveries.add_attempts(c, [attempt]))
    return attempt


def _make_test(
    session: AdminSession, account_id: str, webhook_id: str
) -> tuple[WebhookMessage, Attempt]:
    with account_change(session, account_id) as change:
        kept = endpoints.get(change.connection, account_id, webhook_id)
        event = PublicEvent(
            id=change.new_id("evt"),
            type=TEST_TYPE,
            created_at=iso_time(change.now_ms),
            actor=str(change.actor),
            data={"webhookId": webhook_id},
        )
        change.audit("webhook.test", account_id, webhookId=webhook_id, eventId=event.id)
        attempt_id = change.new_id("att")
    attempt = Attempt(attempt_id, webhook_id, event.id, TEST_TYPE, change.now_ms, 1, 0)
    body = _encode(event)
    signed = signatures(kept.secrets(session.ring), event.id, change.now_ms, body)
    return WebhookMessage(kept.terms.url, event.id, *signed, body), attempt


def _again(webhook_id: str, found: StoredEvent, now_ms: int) -> WaitingMessage:
    return WaitingMessage(webhook_id, found.event.id, *found.place, attempts=0, next_at_ms=now_ms)


def _enabled(kept: KeptWebhook) -> KeptWebhook:
    if kept.state is not WebhookState.ENABLED:
        raise Conflict(_WEBHOOK_DISABLED(webhook=kept.webhook_id))
    return kept
