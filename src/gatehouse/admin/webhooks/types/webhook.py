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
from gatehouse.core.clock import Moment
from gatehouse.core.events import EVERY_OPERATION
from gatehouse.core.stages.outcomes import Outcome

WebhookId = Annotated[str, Meta(description="The `id` of the webhook.")]


class ToldDecisions(msgspec.Struct, frozen=True, rename="camel"):
    """Decisions that a webhook is told of."""

    operation: Annotated[
        str,
        Meta(max_length=64, description="Which operation; `*` for all.", examples=["precheck"]),
    ] = EVERY_OPERATION
    outcomes: Annotated[
        list[Outcome], Meta(max_length=3, description="Empty: all.", examples=[["DECLINE"]])
    ] = []


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
    str,
    Meta(max_length=200, description="What it is for.", examples=["the back office"]),
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
            le=7 * 86_400,
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


class PublicWebhook(msgspec.Struct, frozen=True, rename="camel"):
    """Where an account is told of events."""

    id: Annotated[str, Meta(description="Its id.", examples=["wh_01h455vb4pex5vsknk084sn02q"])]
    url: Annotated[str, Meta(description="Where messages are sent.")]
    events: Annotated[
        list[str], Meta(description="Types of events, `review.*` for all of a kind, or `*`.")
    ]
    decisions: Annotated[
        list[ToldDecisions],
        Meta(description="Which decisions `decision.made` tells of; empty: all."),
    ]
    ordered: Annotated[
        bool, Meta(description="Whether a message waits for the one before it to be accepted.")
    ]
    description: Annotated[str, Meta(description="What it is for.")]
    state: Annotated[WebhookState, Meta(description="Whether messages are sent.")]
    disabled_because: Annotated[
        DisabledBecause | None, Meta(description="Why no messages are sent.")
    ]
    signing: Annotated[SecretKind | None, Meta(description="How messages are signed.")]
    created_at: Annotated[Moment, Meta(description="When it was made (RFC 3339).")]
    changed_at: Annotated[Moment, Meta(description="When it was last changed.")]
    failing_since: Annotated[Moment | None, Meta(description="Since when no message was accepted.")]
    waiting: Annotated[int, Meta(description="Messages that are tried again later.")]
    unread: Annotated[
        int,
        Meta(
            description="Events of its types that no server has read for it yet; at most 20,000 "
            "are counted."
        ),
    ]
    oldest_at: Annotated[
        Moment | None, Meta(description="When the oldest of both happened (RFC 3339).")
    ]
    secret: Annotated[
        str | UnsetType,
        Meta(description="What messages are verified with; shown once: `whsec_...`, or `whpk_...`"),
    ] = UNSET
    old_secret_until: Annotated[
        Moment | UnsetType,
        Meta(description="Until when messages are signed with the old secret, too."),
    ] = UNSET

    def __repr__(self) -> str:
        return f"PublicWebhook({self.id})"


class PublicAttempt(msgspec.Struct, frozen=True, rename="camel"):
    """One attempt to send a message."""

    id: Annotated[str, Meta(description="Its id; attempts before it: `before`.")]
    event_id: Annotated[str, Meta(description="The event, which is also the message's id.")]
    type: Annotated[str, Meta(description="What happened.", examples=["review.opened"])]
    at: Annotated[Moment, Meta(description="When it was sent.")]
    number: Annotated[int, Meta(description="Which attempt of the message it was.")]
    outcome: Annotated[
        Literal["accepted", "failed", "given_up"], Meta(description="What became of it.")
    ]
    status: Annotated[int | None, Meta(description="The status of the answer, if one came.")]
    failure: Annotated[str | None, Meta(description="Why it was not accepted.")]
    duration_ms: Annotated[int, Meta(description="How long the answer took.")]
    next_at: Annotated[Moment | None, Meta(description="When it is tried again.")]


class WebhookPage(msgspec.Struct, frozen=True, rename="camel"):
    """All webhooks of an account."""

    webhooks: Annotated[list[PublicWebhook], Meta(description="Oldest first.")]


class AttemptSearch(msgspec.Struct, frozen=True, rename="camel"):
    """Which attempts are wanted, newest first."""

    limit: Annotated[int, Meta(ge=1, le=100, description="Size of a page.")] = 20
    starting_after: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1000)] | None,
        Meta(description="The `id` of the last attempt of the page before."),
    ] = None
    event_id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=40)] | None,
        Meta(description="Only those of one event."),
    ] = None


class AttemptPage(msgspec.Struct, frozen=True, rename="camel"):
    """Attempts to send messages."""

    attempts: Annotated[list[PublicAttempt], Meta(description="Newest first.")]
    has_more: Annotated[bool, Meta(description="Whether there are more.", examples=[False])]


class WebhookDeleted(msgspec.Struct, frozen=True, rename="camel"):
    """A webhook that is no more."""

    id: Annotated[str, Meta(description="Its id.", examples=["wh_01h455vb4pex5vsknk084sn02q"])]
    deleted: Annotated[bool, Meta(description="Nothing is sent to it any more.")]


def changed_terms(terms: WebhookTerms, given: NewWebhook | WebhookChange) -> WebhookTerms:
    """The terms with what is given instead, as they are kept."""
    named = {name: value for name, value in asdict(given).items() if value is not UNSET}
    if "ordered" in named:
        named["is_ordered"] = named.pop("ordered")
    return msgspec.convert(asdict(terms) | named, WebhookTerms, from_attributes=True)
