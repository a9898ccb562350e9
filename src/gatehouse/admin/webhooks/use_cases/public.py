"""Webhooks and attempts as the API and commands show them."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gatehouse.admin.webhooks.queries.deliveries import Attempt
from gatehouse.admin.webhooks.types.endpoint import DisabledBecause, WebhookState
from gatehouse.admin.webhooks.types.signing_secrets import SecretKind
from gatehouse.admin.webhooks.use_cases.endpoints import WebhookView, WebhookWithSecret
from gatehouse.admin.webhooks.use_cases.messages import TEST_TYPE
from gatehouse.core.api_values import Timestamp
from gatehouse.core.clock import iso_time
from gatehouse.core.events import EVERY_OPERATION, DecisionFilter
from gatehouse.core.stages.outcomes import Outcome


class ToldDecisions(msgspec.Struct, frozen=True, rename="camel"):
    """Decisions that a webhook is told of."""

    operation: Annotated[
        str,
        Meta(max_length=64, description="Which operation; `*` for all.", examples=["precheck"]),
    ] = EVERY_OPERATION
    outcomes: Annotated[
        list[Outcome], Meta(max_length=3, description="Empty: all.", examples=[["DECLINE"]])
    ] = []

    def as_filter(self) -> DecisionFilter:
        """The same as requests use it."""
        return DecisionFilter(self.operation, tuple(self.outcomes))


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
    created_at: Annotated[Timestamp, Meta(description="When it was made (RFC 3339).")]
    changed_at: Annotated[Timestamp, Meta(description="When it was last changed.")]
    failing_since: Annotated[
        Timestamp | None, Meta(description="Since when no message was accepted.")
    ]
    waiting: Annotated[int, Meta(description="Messages that are tried again later.")]
    secret: Annotated[
        str | UnsetType,
        Meta(description="What messages are verified with; shown once: `whsec_...`, or `whpk_...`"),
    ] = UNSET
    old_secret_until: Annotated[
        Timestamp | UnsetType,
        Meta(description="Until when messages are signed with the old secret, too."),
    ] = UNSET

    def __repr__(self) -> str:
        return f"PublicWebhook({self.id})"


class PublicAttempt(msgspec.Struct, frozen=True, rename="camel"):
    """One attempt to send a message."""

    id: Annotated[str, Meta(description="Its id; attempts before it: `before`.")]
    event_id: Annotated[str, Meta(description="The event, which is also the message's id.")]
    type: Annotated[str, Meta(description="What happened.", examples=["review.opened"])]
    at: Annotated[Timestamp, Meta(description="When it was sent.")]
    number: Annotated[int, Meta(description="Which attempt of the message it was.")]
    outcome: Annotated[
        Literal["accepted", "failed", "given_up"], Meta(description="What became of it.")
    ]
    status: Annotated[int | None, Meta(description="The status of the answer, if one came.")]
    failure: Annotated[str | None, Meta(description="Why it was not accepted.")]
    duration_ms: Annotated[int, Meta(description="How long the answer took.")]
    next_at: Annotated[Timestamp | None, Meta(description="When it is tried again.")]


def public_webhook(view: WebhookView) -> PublicWebhook:
    """A webhook without its secret."""
    terms = view.terms
    return PublicWebhook(
        id=view.webhook_id,
        url=terms.url,
        events=list(terms.events),
        decisions=[ToldDecisions(e.operation, list(e.outcomes)) for e in terms.decisions],
        ordered=terms.is_ordered,
        description=terms.description,
        state=view.state,
        disabled_because=view.disabled_because,
        signing=view.signing,
        created_at=iso_time(view.created_at_ms),
        changed_at=iso_time(view.changed_at_ms),
        failing_since=_time(view.failing_since_ms),
        waiting=view.waiting,
    )


def public_with_secret(made: WebhookWithSecret) -> PublicWebhook:
    """A webhook with its new secret."""
    until = UNSET if made.old_secret_until_ms is None else iso_time(made.old_secret_until_ms)
    shown = public_webhook(made.webhook)
    return msgspec.structs.replace(shown, secret=made.secret, old_secret_until=until)


def public_attempt(attempt: Attempt) -> PublicAttempt:
    """An attempt."""
    # A test has one attempt, so that there is nothing to give up.
    ends = attempt.next_at_ms is None and attempt.type != TEST_TYPE
    failed: Literal["failed", "given_up"] = "given_up" if ends else "failed"
    return PublicAttempt(
        id=attempt.id,
        event_id=attempt.event_id,
        type=attempt.type,
        at=iso_time(attempt.at_ms),
        number=attempt.number,
        outcome="accepted" if attempt.failure is None else failed,
        status=attempt.status,
        failure=None if attempt.failure is None else str(attempt.failure),
        duration_ms=attempt.duration_ms,
        next_at=_time(attempt.next_at_ms),
    )


def _time(at_ms: int | None) -> str | None:
    return None if at_ms is None else iso_time(at_ms)
