"""Use cases about the messages of a webhook: a test, the attempts, and sending some again."""

import asyncio
from typing import Any, Final, Literal

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.events.use_cases.events import EVENT_UNKNOWN, PublicEvent
from gatehouse.admin.webhooks.queries import deliveries, endpoints
from gatehouse.admin.webhooks.queries.deliveries import Attempt, WaitingMessage
from gatehouse.admin.webhooks.types.endpoint import WebhookState
from gatehouse.admin.webhooks.types.webhook import (
    AttemptPage,
    AttemptSearch,
    MessageReplay,
    PublicAttempt,
    ReplayStarted,
    WebhookId,
)
from gatehouse.connectors.webhooks.options import webhook_options
from gatehouse.connectors.webhooks.sending import WebhookMessage, WebhookSender
from gatehouse.connectors.webhooks.signing_secrets import signatures
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment, iso_time, moment
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.events import EventName, rights_of
from gatehouse.core.filling import filled
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import use_case
from gatehouse.store.events import outbox
from gatehouse.store.events.outbox import StoredEvent

_SPAN_ENDS: Final = Phrase("refused.span_ends", "the span of time ends before it begins")
_WEBHOOK_DISABLED: Final = Phrase(
    "refused.webhook_disabled", "webhook {webhook} is disabled; enable it first"
)

_REPLAY_WHAT: Final = Phrase(
    "refused.replay_what", "name either one event, or since when and perhaps until when"
)

TEST_TYPE: Final = "webhook.test"
MOST_REPLAYED: Final = 10_000
"""At once."""
_MAY: Final[dict[str, Any]] = {"scope": "manage:webhooks", "permission": Permission.ACCESS}
_ONE: Final = "/webhooks/{webhookId}"
_encode: Final = msgspec.json.Encoder().encode


@use_case(f"POST {_ONE}/test", operation="testWebhook", answers="webhookAttemptResponse", **_MAY)
async def send_test(session: AdminSession, account_id: str, webhook_id: WebhookId) -> PublicAttempt:
    """Send a test message.

    Sends a message of type `webhook.test` at once, and says what was answered.
    """
    sender = await asyncio.to_thread(webhook_options(session.settings).ready_sender)
    try:
        return await send_test_by(session, account_id, webhook_id, sender)
    finally:
        await sender.close()


@use_case(
    f"GET {_ONE}/attempts",
    operation="listWebhookAttempts",
    answers="webhookAttemptsResponse",
    **_MAY,
)
def list_attempts(
    reading: Reading, account_id: str, webhook_id: WebhookId, wanted: AttemptSearch
) -> AttemptPage:
    """List attempts.

    Attempts to send messages of the last 30 days, newest first, without bodies; those about events
    that the caller may read.
    """
    endpoints.get(reading.connection, account_id, webhook_id)
    actor = reading.session.actor
    types = [each for each in (*EventName, TEST_TYPE) if actor.may(*rights_of([each]))]
    which: dict[str, Any] = {
        "before": wanted.starting_after,
        "event_id": wanted.event_id,
        "types": types,
    }
    found = deliveries.attempts_of(reading.connection, webhook_id, wanted.limit + 1, **which)
    shown = [_shown(each) for each in found[: wanted.limit]]
    return AttemptPage(shown, len(found) > wanted.limit)


@use_case(
    f"POST {_ONE}/replay",
    operation="replayWebhookMessages",
    answers="webhookReplayResponse",
    **_MAY,
)
def replay(
    change: Change, account_id: str, webhook_id: WebhookId, given: MessageReplay
) -> ReplayStarted:
    """Send messages again.

    Sends one message again, or all of a span of time. Their ids stay the same. It needs the scopes
    that reading their events needs.
    """
    if (given.event_id is None) == (given.since is None):
        raise InvalidInput(_REPLAY_WHAT())
    kept = endpoints.get(change.connection, account_id, webhook_id)
    if kept.state is not WebhookState.ENABLED:
        raise Conflict(_WEBHOOK_DISABLED(webhook=webhook_id))
    if given.event_id is not None:
        found = [_event(change, account_id, given.event_id)]
        told: dict[str, Any] = {"eventId": given.event_id}
    else:
        found, told = _between(change, account_id, given)
    types = kept.terms.types()
    wanted = [each for each in found[:MOST_REPLAYED] if each.event.type in types]
    told["messages"] = len(wanted)
    change.actor.check(*rights_of(each.event.type for each in wanted))
    again = [_again(webhook_id, each, change.now_ms) for each in wanted]
    deliveries.put_waiting(change.connection, webhook_id, again)
    change.audit("webhook.replay", account_id, webhookId=webhook_id, **told)
    return ReplayStarted(len(again), len(found) <= MOST_REPLAYED)


def _event(change: Change, account_id: str, event_id: str) -> StoredEvent:
    found = outbox.find(change.connection, account_id, event_id)
    if found is None:
        raise NotFound(EVENT_UNKNOWN(event=recordable(event_id)))
    return found


def _between(
    change: Change, account_id: str, given: MessageReplay
) -> tuple[list[StoredEvent], dict[str, Any]]:
    """The events of a span of time, one more than are taken; and what is audited of it."""
    since_ms = int(given.since or 0)
    until_ms = change.now_ms + 1 if given.until is None else int(given.until)
    if since_ms >= until_ms:
        raise InvalidInput(_SPAN_ENDS())
    found = outbox.between(change.connection, account_id, since_ms, until_ms, MOST_REPLAYED + 1)
    return found, {"since_ms": since_ms, "until_ms": until_ms}


async def send_test_by(
    session: AdminSession, account_id: str, webhook_id: str, sender: WebhookSender
) -> PublicAttempt:
    """Send a test message by a sender that is there."""
    session.actor.check_account(account_id)
    message, sent = await asyncio.to_thread(_make_test, session, account_id, webhook_id)
    result = await sender.send(message)
    attempt = msgspec.structs.replace(
        sent, duration_ms=result.duration_ms, status=result.status, failure=result.failure
    )
    await session.database.write_on_thread(lambda c: deliveries.add_attempts(c, [attempt]))
    return _shown(attempt)


def _make_test(
    session: AdminSession, account_id: str, webhook_id: str
) -> tuple[WebhookMessage, Attempt]:
    with session.account_change(account_id) as change:
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


def _shown(attempt: Attempt) -> PublicAttempt:
    # A test has one attempt, so that there is nothing to give up.
    ends = attempt.next_at_ms is None and attempt.type != TEST_TYPE
    failed: Literal["failed", "given_up"] = "given_up" if ends else "failed"
    return filled(
        PublicAttempt,
        attempt,
        at=Moment(attempt.at_ms),
        outcome="accepted" if attempt.failure is None else failed,
        next_at=moment(attempt.next_at_ms),
    )
