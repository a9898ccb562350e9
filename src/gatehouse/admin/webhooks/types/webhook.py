"""Webhooks and attempts as every face takes and shows them. A secret is told once."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict

from gatehouse.admin.webhooks.types.endpoint import (
    DisabledBecause,
    WebhookState,
    WebhookTerms,
)
from gatehouse.connectors.webhooks.destinations import LONGEST_URL
from gatehouse.connectors.webhooks.signing_secrets import SecretKind
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment
from gatehouse.core.events import EVERY_OPERATION
from gatehouse.core.stages.outcomes import Outcome

WebhookId = Annotated[str, doc("The `id` of the webhook.")]


class ToldDecisions(CamelStruct):
    """Decisions that a webhook is told of."""

    operation: Annotated[str, doc("Which operation; `*` for all.", "precheck", max_length=64)] = (
        EVERY_OPERATION
    )
    outcomes: Annotated[list[Outcome], doc("Empty: all.", ["DECLINE"], max_length=3)] = []


_Url = Annotated[
    str,
    doc(
        "Where messages are sent, over HTTPS.",
        "https://shop.example/hooks/gatehouse",
        min_length=1,
        max_length=LONGEST_URL,
    ),
]
_Events = Annotated[
    list[Annotated[str, Meta(max_length=64)]],
    doc(
        "Types of events, `review.*` for all of a kind, or `*`.",
        ["review.*", "balance.low"],
        min_length=1,
        max_length=50,
    ),
]
_Decisions = Annotated[
    list[ToldDecisions], doc("Which decisions `decision.made` tells of; empty: all.", max_length=20)
]
_Ordered = Annotated[bool, doc("Whether a message waits for the one before it.")]
_Description = Annotated[str, doc("What it is for.", "the back office", max_length=200)]


class NewWebhook(CamelStruct):
    """A webhook to add."""

    url: _Url
    events: _Events
    decisions: _Decisions = []
    ordered: _Ordered = False
    description: _Description = ""
    signing: Annotated[SecretKind, doc("A shared secret, or a key pair.")] = SecretKind.HMAC


class WebhookChange(CamelStruct):
    """What to change; what is left out stays as it is."""

    url: _Url | UnsetType = UNSET
    events: _Events | UnsetType = UNSET
    decisions: _Decisions | UnsetType = UNSET
    ordered: _Ordered | UnsetType = UNSET
    description: _Description | UnsetType = UNSET
    enabled: Annotated[
        bool | UnsetType, doc("Whether messages are sent; they wait meanwhile.", True)
    ] = UNSET


class SecretRotation(CamelStruct):
    """How to rotate a secret."""

    overlap_s: Annotated[
        int,
        doc(
            "Seconds for which messages are signed with the old one, too.",
            86_400,
            ge=0,
            le=7 * 86_400,
        ),
    ] = 86_400


class MessageReplay(CamelStruct):
    """What to send again: one event, or all of a span of time."""

    event_id: Annotated[
        Annotated[str, Meta(max_length=40)] | None,
        doc("One event.", "evt_01h455vb4pex5vsknk084sn02q"),
    ] = None
    since: Annotated[Moment | None, doc("All from then on (RFC 3339).")] = None
    until: Annotated[Moment | None, doc("Before then; without it, now.")] = None


class ReplayStarted(CamelStruct):
    """How much is sent again."""

    messages: Annotated[int, doc("How many messages.", 12)]
    complete: Annotated[bool, doc("False when there are more than are taken at once.")]


class PublicWebhook(CamelStruct):
    """Where an account is told of events."""

    id: Annotated[str, doc("Its id.", "wh_01h455vb4pex5vsknk084sn02q")]
    url: Annotated[str, doc("Where messages are sent.")]
    events: Annotated[list[str], doc("Types of events, `review.*` for all of a kind, or `*`.")]
    decisions: Annotated[
        list[ToldDecisions], doc("Which decisions `decision.made` tells of; empty: all.")
    ]
    ordered: Annotated[bool, doc("Whether a message waits for the one before it to be accepted.")]
    description: Annotated[str, doc("What it is for.")]
    state: Annotated[WebhookState, doc("Whether messages are sent.")]
    disabled_because: Annotated[DisabledBecause | None, doc("Why no messages are sent.")]
    signing: Annotated[SecretKind | None, doc("How messages are signed.")]
    created_at: Annotated[Moment, doc("When it was made (RFC 3339).")]
    changed_at: Annotated[Moment, doc("When it was last changed.")]
    failing_since: Annotated[Moment | None, doc("Since when no message was accepted.")]
    waiting: Annotated[int, doc("Messages that are tried again later.")]
    unread: Annotated[
        int,
        doc("Events of its types that no server has read for it yet; at most 20,000 are counted."),
    ]
    oldest_at: Annotated[Moment | None, doc("When the oldest of both happened (RFC 3339).")]
    secret: Annotated[
        str | UnsetType,
        doc("What messages are verified with; shown once: `whsec_...`, or `whpk_...`"),
    ] = UNSET
    old_secret_until: Annotated[
        Moment | UnsetType, doc("Until when messages are signed with the old secret, too.")
    ] = UNSET

    def __repr__(self) -> str:
        return f"PublicWebhook({self.id})"


class PublicAttempt(CamelStruct):
    """One attempt to send a message."""

    id: Annotated[str, doc("Its id; attempts before it: `before`.")]
    event_id: Annotated[str, doc("The event, which is also the message's id.")]
    type: Annotated[str, doc("What happened.", "review.opened")]
    at: Annotated[Moment, doc("When it was sent.")]
    number: Annotated[int, doc("Which attempt of the message it was.")]
    outcome: Annotated[Literal["accepted", "failed", "given_up"], doc("What became of it.")]
    status: Annotated[int | None, doc("The status of the answer, if one came.")]
    failure: Annotated[str | None, doc("Why it was not accepted.")]
    duration_ms: Annotated[int, doc("How long the answer took.")]
    next_at: Annotated[Moment | None, doc("When it is tried again.")]


class WebhookPage(CamelStruct):
    """All webhooks of an account."""

    webhooks: Annotated[list[PublicWebhook], doc("Oldest first.")]


class AttemptSearch(CamelStruct):
    """Which attempts are wanted, newest first."""

    limit: Annotated[int, doc("Size of a page.", ge=1, le=100)] = 20
    starting_after: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1000)] | None,
        doc("The `id` of the last attempt of the page before."),
    ] = None
    event_id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=40)] | None, doc("Only those of one event.")
    ] = None


class AttemptPage(CamelStruct):
    """Attempts to send messages."""

    attempts: Annotated[list[PublicAttempt], doc("Newest first.")]
    has_more: Annotated[bool, doc("Whether there are more.", False)]


class WebhookDeleted(CamelStruct):
    """A webhook that is no more."""

    id: Annotated[str, doc("Its id.", "wh_01h455vb4pex5vsknk084sn02q")]
    deleted: Annotated[bool, doc("Nothing is sent to it any more.")]


def changed_terms(terms: WebhookTerms, given: NewWebhook | WebhookChange) -> WebhookTerms:
    """The terms with what is given instead, as they are kept."""
    named = {name: value for name, value in asdict(given).items() if value is not UNSET}
    if "ordered" in named:
        named["is_ordered"] = named.pop("ordered")
    return msgspec.convert(asdict(terms) | named, WebhookTerms, from_attributes=True)
