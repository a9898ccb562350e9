"""Webhooks over HTTP: added, shown, changed, tested and deleted. A secret is told once."""

import asyncio
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gatehouse.admin.webhooks.types.endpoint import WebhookTerms
from gatehouse.admin.webhooks.types.signing_secrets import SecretKind
from gatehouse.admin.webhooks.use_cases import endpoints, messages
from gatehouse.admin.webhooks.use_cases.public import (
    PublicAttempt,
    PublicWebhook,
    ToldDecisions,
    public_attempt,
    public_webhook,
    public_with_secret,
)
from gatehouse.api.manage.endpoints import LIMIT, ManageCall, ManageEndpoint, after
from gatehouse.api.manage.messages import Moment
from gatehouse.connectors.webhooks.destinations import LONGEST_URL
from gatehouse.core.clock import parse_time
from gatehouse.core.errors import InvalidInput
from gatehouse.store.admin.use_case import Tagged

_SCOPE: Final = "manage:webhooks"
_ID: Final = {"webhookId": "The `id` of the webhook."}
_MOST_OVERLAP_S: Final = endpoints.LONGEST_OVERLAP_MS // 1000

_Url = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST_URL,
        description="Where messages are sent, over HTTPS.",
        examples=["https://shop.example/hooks/gatehouse"],
    ),
]
_Events = Annotated[
    list[Annotated[str, Meta(max_length=64)]],
    Meta(
        min_length=1,
        max_length=50,
        description="Types of events, `review.*` for all of a kind, or `*`.",
        examples=[["review.*", "balance.low"]],
    ),
]
_Decisions = Annotated[
    list[ToldDecisions],
    Meta(max_length=20, description="Which decisions `decision.made` tells of; empty: all."),
]
_Ordered = Annotated[bool, Meta(description="Whether a message waits for the one before it.")]
_Description = Annotated[
    str, Meta(max_length=200, description="What it is for.", examples=["the back office"])
]


class NewWebhook(msgspec.Struct, frozen=True, rename="camel"):
    """A webhook to add."""

    url: _Url
    events: _Events
    decisions: _Decisions = []
    ordered: _Ordered = False
    description: _Description = ""
    signing: Annotated[SecretKind, Meta(description="A shared secret, or a key pair.")] = (
        SecretKind.HMAC
    )


class WebhookChange(msgspec.Struct, frozen=True, rename="camel"):
    """What to change; what is left out stays as it is."""

    url: _Url | UnsetType = UNSET
    events: _Events | UnsetType = UNSET
    decisions: _Decisions | UnsetType = UNSET
    ordered: _Ordered | UnsetType = UNSET
    description: _Description | UnsetType = UNSET
    enabled: Annotated[
        bool | UnsetType,
        Meta(description="Whether messages are sent; they wait meanwhile.", examples=[True]),
    ] = UNSET


class SecretRotation(msgspec.Struct, frozen=True, rename="camel"):
    """How to rotate a secret."""

    overlap_s: Annotated[
        int,
        Meta(
            ge=0,
            le=_MOST_OVERLAP_S,
            description="Seconds for which messages are signed with the old one, too.",
            examples=[86_400],
        ),
    ] = 86_400


class MessageReplay(msgspec.Struct, frozen=True, rename="camel"):
    """What to send again: one event, or all of a span of time."""

    event_id: Annotated[
        Annotated[str, Meta(max_length=40)] | None,
        Meta(description="One event.", examples=["evt_01h455vb4pex5vsknk084sn02q"]),
    ] = None
    since: Annotated[Moment | None, Meta(description="All from then on (RFC 3339).")] = None
    until: Annotated[Moment | None, Meta(description="Before then; without it, now.")] = None


class ReplayStarted(msgspec.Struct, frozen=True, rename="camel"):
    """How much is sent again."""

    messages: Annotated[int, Meta(description="How many messages.", examples=[12])]
    complete: Annotated[bool, Meta(description="False when there are more than are taken at once.")]


class WebhookPage(msgspec.Struct, frozen=True, rename="camel"):
    """All webhooks of an account."""

    webhooks: Annotated[list[PublicWebhook], Meta(description="Oldest first.")]


class AttemptPage(msgspec.Struct, frozen=True, rename="camel"):
    """Attempts to send messages."""

    attempts: Annotated[list[PublicAttempt], Meta(description="Newest first.")]
    has_more: Annotated[bool, Meta(description="Whether there are more.", examples=[False])]


class WebhookDeleted(msgspec.Struct, frozen=True, rename="camel"):
    """A webhook that is no more."""

    id: Annotated[str, Meta(description="Its id.", examples=["wh_01h455vb4pex5vsknk084sn02q"])]
    deleted: Annotated[bool, Meta(description="Nothing is sent to it any more.")]


def _create(call: ManageCall) -> Tagged[Any]:
    new: NewWebhook = call.body
    terms = WebhookTerms(
        new.url,
        tuple(new.events),
        tuple(each.as_filter() for each in new.decisions),
        new.ordered,
        new.description,
    )
    made = endpoints.create(call.session, call.account_id, terms, call.webhooks.policy, new.signing)
    return Tagged(public_with_secret(made), made.webhook.changes)


def _listing(call: ManageCall) -> WebhookPage:
    found = endpoints.list_webhooks(call.session, call.account_id)
    return WebhookPage([public_webhook(each) for each in found])


def _get(call: ManageCall) -> Tagged[Any]:
    found = endpoints.get_webhook(call.session, call.account_id, _webhook_id(call))
    return Tagged(public_webhook(found), found.changes)


def _update(call: ManageCall) -> Tagged[Any]:
    given: WebhookChange = call.body
    changes = endpoints.WebhookChanges(
        url=given.url or None,
        events=None if given.events is UNSET else tuple(given.events),
        decisions=None
        if given.decisions is UNSET
        else tuple(each.as_filter() for each in given.decisions),
        is_ordered=None if given.ordered is UNSET else given.ordered,
        description=None if given.description is UNSET else given.description,
        is_enabled=None if given.enabled is UNSET else given.enabled,
        expected=call.precondition.expected,
    )
    policy = call.webhooks.policy
    webhook_id = _webhook_id(call)
    done = endpoints.update(call.session, call.account_id, webhook_id, changes, policy)
    return Tagged(public_webhook(done), done.changes)


async def _delete(call: ManageCall) -> WebhookDeleted:
    about = call.account_id, _webhook_id(call)
    await endpoints.delete_and_wait(call.session, *about, call.precondition.expected)
    return WebhookDeleted(_webhook_id(call), True)


def _rotate(call: ManageCall) -> Tagged[Any]:
    overlap_ms, about = call.body.overlap_s * 1000, (call.account_id, _webhook_id(call))
    done = endpoints.rotate_secret(call.session, *about, overlap_ms, call.precondition.expected)
    return Tagged(public_with_secret(done), done.webhook.changes)


async def _test(call: ManageCall) -> PublicAttempt:
    sender = await asyncio.to_thread(call.webhooks.ready_sender)
    try:
        about = call.session, call.account_id, _webhook_id(call)
        return public_attempt(await messages.send_test(*about, sender))
    finally:
        await sender.close()


def _attempts(call: ManageCall) -> AttemptPage:
    limit: int = call.query["limit"]
    query = messages.AttemptQuery(limit + 1, call.query.get("startingAfter"))
    found = messages.list_attempts(call.session, call.account_id, _webhook_id(call), query)
    return AttemptPage([public_attempt(each) for each in found[:limit]], len(found) > limit)


def _replay(call: ManageCall) -> ReplayStarted:
    wanted: MessageReplay = call.body
    if (wanted.event_id is None) == (wanted.since is None):
        raise InvalidInput("name either eventId, or since and perhaps until")
    about = call.session, call.account_id, _webhook_id(call)
    if wanted.event_id is not None:
        done = messages.replay_message(*about, wanted.event_id)
    else:
        until_ms = _moment(wanted.until, call.session.clock() + 1)
        span = messages.ReplaySpan(_moment(wanted.since, 0), until_ms)
        done = messages.replay_span(*about, span)
    return ReplayStarted(done.messages, done.is_complete)


def _moment(text: str | None, otherwise_ms: int) -> int:
    if text is None:
        return otherwise_ms
    try:
        return parse_time(text)
    except ValueError:
        raise InvalidInput("a time is written as 2026-11-16T09:30:00Z") from None


def _webhook_id(call: ManageCall) -> str:
    return call.path["webhookId"]


WEBHOOK_ENDPOINTS: Final = (
    ManageEndpoint(
        method="GET",
        path="/webhooks",
        scope=_SCOPE,
        operation="listWebhooks",
        field="webhooksResponse",
        summary="List webhooks",
        about="The account's webhooks, oldest first, without their secrets.",
        answer=WebhookPage,
        run=_listing,
    ),
    ManageEndpoint(
        method="POST",
        path="/webhooks",
        scope=_SCOPE,
        operation="createWebhook",
        field="webhookResponse",
        summary="Add a webhook",
        about="Adds an address that is told of events. The answer holds the secret, which "
        "cannot be had again.",
        body=NewWebhook,
        answer=PublicWebhook,
        run=_create,
        one_change=True,
        tagged=True,
    ),
    ManageEndpoint(
        method="GET",
        path="/webhooks/{webhookId}",
        scope=_SCOPE,
        operation="getWebhook",
        field="webhookResponse",
        summary="Show a webhook",
        about="One webhook, and how it is getting on.",
        path_about=_ID,
        answer=PublicWebhook,
        run=_get,
        tagged=True,
    ),
    ManageEndpoint(
        method="POST",
        path="/webhooks/{webhookId}",
        scope=_SCOPE,
        operation="updateWebhook",
        field="webhookResponse",
        summary="Change a webhook",
        about="Changes what is named. One that is enabled again goes on where it stopped.",
        body=WebhookChange,
        path_about=_ID,
        answer=PublicWebhook,
        run=_update,
        one_change=True,
        tagged=True,
        guarded=True,
    ),
    ManageEndpoint(
        method="DELETE",
        path="/webhooks/{webhookId}",
        scope=_SCOPE,
        operation="deleteWebhook",
        field="webhookDeletedResponse",
        summary="Delete a webhook",
        about="Deletes a webhook. When this is answered, nothing is sent to it any more.",
        path_about=_ID,
        answer=WebhookDeleted,
        run=_delete,
        guarded=True,
        waits=True,
    ),
    ManageEndpoint(
        method="POST",
        path="/webhooks/{webhookId}/rotate-secret",
        scope=_SCOPE,
        operation="rotateWebhookSecret",
        field="webhookResponse",
        summary="Rotate a secret",
        about="Gives a webhook a new secret. For a while messages are signed with both.",
        body=SecretRotation,
        path_about=_ID,
        answer=PublicWebhook,
        run=_rotate,
        one_change=True,
        tagged=True,
        guarded=True,
    ),
    ManageEndpoint(
        method="POST",
        path="/webhooks/{webhookId}/test",
        scope=_SCOPE,
        operation="testWebhook",
        field="webhookAttemptResponse",
        summary="Send a test message",
        about="Sends a message of type `webhook.test` at once, and says what was answered.",
        path_about=_ID,
        answer=PublicAttempt,
        run=_test,
        waits=True,
    ),
    ManageEndpoint(
        method="GET",
        path="/webhooks/{webhookId}/attempts",
        scope=_SCOPE,
        operation="listWebhookAttempts",
        field="webhookAttemptsResponse",
        summary="List attempts",
        about="Attempts to send messages of the last 30 days, newest first, without bodies.",
        query=(LIMIT, after("The `id` of the last attempt of the page before.")),
        path_about=_ID,
        answer=AttemptPage,
        run=_attempts,
    ),
    ManageEndpoint(
        method="POST",
        path="/webhooks/{webhookId}/replay",
        scope=_SCOPE,
        operation="replayWebhookMessages",
        field="webhookReplayResponse",
        summary="Send messages again",
        about="Sends one message again, or all of a span of time. Their ids stay the same.",
        body=MessageReplay,
        path_about=_ID,
        answer=ReplayStarted,
        run=_replay,
    ),
)
