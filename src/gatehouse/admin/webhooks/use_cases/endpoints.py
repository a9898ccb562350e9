"""Use cases about the webhooks of an account: adding, showing, changing and deleting them."""

import asyncio
import contextlib
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from msgspec import UNSET

from gatehouse.access.roles import Permission
from gatehouse.admin.events.use_cases.event_settings import check_filter
from gatehouse.admin.webhooks.queries import backlog, claims, deliveries, endpoints
from gatehouse.admin.webhooks.queries.backlog import WebhookBacklog
from gatehouse.admin.webhooks.queries.endpoints import KeptWebhook
from gatehouse.admin.webhooks.types.endpoint import (
    DisabledBecause,
    WebhookState,
    WebhookTerms,
    check_terms,
)
from gatehouse.admin.webhooks.types.webhook import (
    NewWebhook,
    PublicWebhook,
    SecretRotation,
    ToldDecisions,
    WebhookChange,
    WebhookDeleted,
    WebhookId,
    WebhookPage,
    changed_terms,
)
from gatehouse.connectors.webhooks.options import webhook_options
from gatehouse.connectors.webhooks.signing_secrets import SigningSecret, new_secret, rotated
from gatehouse.core.clock import Moment, iso_time, moment
from gatehouse.core.errors import KeyMissing, SealBroken
from gatehouse.core.events import EventName, rights_of
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import ANY_VERSION, Precondition, Tagged, use_case
from gatehouse.store.configured.configurations import StaleVersion

_WEBHOOK_CHANGED: Final = Phrase(
    "refused.webhook_changed", "the webhook was changed meanwhile: version {version} is in force"
)

_LOOK_S: Final = 0.05
_LONGEST_WAIT_MS: Final = 30_000
_MAY: Final[dict[str, Any]] = {"scope": "manage:webhooks", "permission": Permission.ACCESS}
_ONE: Final = "/webhooks/{webhookId}"


@use_case("GET /webhooks", answers="webhooksResponse", **_MAY)
def list_webhooks(reading: Reading, account_id: str) -> WebhookPage:
    """List webhooks.

    The account's webhooks, oldest first, without their secrets.
    """
    found = endpoints.of_account(reading.connection, account_id)
    return WebhookPage([_shown(reading, each) for each in found])


@use_case("POST /webhooks", operation="createWebhook", answers="webhookResponse", **_MAY)
def create(change: Change, account_id: str, given: NewWebhook) -> Tagged[PublicWebhook]:
    """Add a webhook.

    Adds an address that is told of events. The answer holds the secret, which cannot be had again.
    Events need the scopes that reading their data needs: whole requests `decisions` or, of
    reviews, `reviews`, and money `billing`.
    """
    terms = _checked(change, changed_terms(WebhookTerms("", ()), given))
    secret = new_secret(given.signing, change.random_bytes)
    made = endpoints.insert(change, account_id, terms, secret)
    change.audit("webhook.create", account_id, webhookId=made.webhook_id, **_told(terms))
    return _tagged(change, made, secret=secret.shown)


@use_case(f"GET {_ONE}", answers="webhookResponse", **_MAY)
def get_webhook(reading: Reading, account_id: str, webhook_id: WebhookId) -> Tagged[PublicWebhook]:
    """Show a webhook.

    One webhook, and how it is getting on.
    """
    return _tagged(reading, endpoints.get(reading.connection, account_id, webhook_id))


@use_case(f"POST {_ONE}", operation="updateWebhook", answers="webhookResponse", **_MAY)
def update(
    change: Change,
    account_id: str,
    webhook_id: WebhookId,
    given: WebhookChange,
    seen: Precondition = ANY_VERSION,
) -> Tagged[PublicWebhook]:
    """Change a webhook.

    Changes what is named. One that is enabled again goes on where it stopped. But for disabling it,
    this needs the scopes that adding it would.
    """
    kept = _seen(change, account_id, webhook_id, seen)
    terms = changed_terms(kept.terms, given)
    values: dict[str, Any] = {}
    enabled = None if given.enabled is UNSET else given.enabled
    if enabled is not False or terms != kept.terms:
        terms = _checked(change, terms)
    if enabled is not None:
        values = _enabled() if enabled else _disabled(DisabledBecause.ASKED)
    if enabled and kept.state is not WebhookState.ENABLED:
        # Who enables it says that it works again.
        deliveries.hurry(change.connection, webhook_id, change.now_ms)
    made = endpoints.replace(change, kept, kept.secrets(change.ring), terms, **values)
    told = _told(terms) | ({} if enabled is None else {"enabled": enabled})
    change.audit("webhook.update", account_id, webhookId=webhook_id, **told)
    return _tagged(change, made)


@use_case(f"DELETE {_ONE}", operation="deleteWebhook", answers="webhookDeletedResponse", **_MAY)
async def delete(
    session: AdminSession, account_id: str, webhook_id: WebhookId, seen: Precondition = ANY_VERSION
) -> WebhookDeleted:
    """Delete a webhook.

    Deletes a webhook. When this is answered, nothing is sent to it any more.
    """
    ends_ms = await asyncio.to_thread(_begin_deletion, session, account_id, webhook_id, seen)
    while not await asyncio.to_thread(_is_left, session, webhook_id, ends_ms):  # noqa: ASYNC110
        # Another server may be the one that sends.
        await asyncio.sleep(_LOOK_S)
    return WebhookDeleted(webhook_id, True)


@use_case(
    f"POST {_ONE}/rotate-secret", operation="rotateWebhookSecret", answers="webhookResponse", **_MAY
)
def rotate_secret(
    change: Change,
    account_id: str,
    webhook_id: WebhookId,
    given: SecretRotation,
    seen: Precondition = ANY_VERSION,
) -> Tagged[PublicWebhook]:
    """Rotate a secret.

    Gives a webhook a new secret. For a while messages are signed with both.
    """
    kept = _seen(change, account_id, webhook_id, seen)
    known = kept.secrets(change.ring)
    secret = new_secret(known[0].kind, change.random_bytes)
    until_ms = change.now_ms + given.overlap_s * 1000
    made = endpoints.replace(change, kept, rotated(known, secret, change.now_ms, until_ms))
    change.audit("webhook.rotate", account_id, webhookId=webhook_id, oldUntilMs=until_ms)
    return _tagged(change, made, secret=secret.shown, old_secret_until=Moment(until_ms))


def _begin_deletion(
    session: AdminSession, account_id: str, webhook_id: str, seen: Precondition
) -> int:
    """Let no attempt begin any more; until when an earlier one may last."""
    with session.account_change(account_id) as change:
        endpoints.mark_deleted(change, _seen(change, account_id, webhook_id, seen))
        change.audit("webhook.delete", account_id, webhookId=webhook_id)
    return session.clock() + _LONGEST_WAIT_MS


def _is_left(session: AdminSession, webhook_id: str, ends_ms: int) -> bool:
    """Whether no server sends to it any more."""
    with session.reading() as connection:
        held = claims.held(connection, [webhook_id], session.clock())
    return not held or session.clock() >= ends_ms


def disable(
    session: AdminSession, account_id: str, webhook_id: str, because: DisabledBecause
) -> None:
    """End a webhook that does not work, and tell the account of it."""
    with session.account_change(account_id) as change:
        kept = endpoints.get(change.connection, account_id, webhook_id)
        if kept.state is WebhookState.ENABLED:
            _disable(change, kept, because)
        change.audit("webhook.disable", account_id, webhookId=webhook_id, because=because)


def _disable(change: Change, kept: KeptWebhook, because: DisabledBecause) -> None:
    endpoints.replace(change, kept, kept.secrets(change.ring), **_disabled(because))
    said: dict[str, Any] = {"webhookId": kept.webhook_id, "because": because}
    if kept.failing_since_ms is not None:
        said["failingSince"] = iso_time(kept.failing_since_ms)
    change.event(EventName.WEBHOOK_DISABLED, kept.account_id, kept.webhook_id, said)


def _disabled(because: DisabledBecause) -> dict[str, Any]:
    return {"state": WebhookState.DISABLED, "disabled_because": because}


def _enabled() -> dict[str, Any]:
    return {
        "state": WebhookState.ENABLED,
        "disabled_because": None,
        "failing_since_ms": None,
        "resume_at_ms": None,
    }


def _seen(change: Change, account_id: str, webhook_id: str, seen: Precondition) -> KeptWebhook:
    """The webhook, if it is as who changes it has seen it."""
    kept = endpoints.get(change.connection, account_id, webhook_id)
    if seen.expected not in (None, kept.changes):
        raise StaleVersion(_WEBHOOK_CHANGED(version=kept.changes))
    return kept


def whole_backlog(connection: sa.Connection, now_ms: int) -> WebhookBacklog:
    """What the webhooks of all accounts have still to accept."""
    return backlog.of_all(connection, now_ms)


def _checked(change: Change, terms: WebhookTerms) -> WebhookTerms:
    """The terms, if messages can be sent by them, and the actor may read what they tell."""
    terms = check_terms(terms)
    change.actor.check(*rights_of(terms.types()))
    webhook_options(change.session.settings).policy.check_url(terms.url)
    for each in terms.decisions:
        check_filter(each)
    return terms


def _told(terms: WebhookTerms) -> dict[str, Any]:
    """What the audit log keeps; the query of a URL may hold a secret of the receiver."""
    return {"url": terms.url.partition("?")[0], "events": terms.events}


def _tagged(within: Reading | Change, kept: KeptWebhook, **told: Any) -> Tagged[PublicWebhook]:
    """A webhook with how often it was changed, and with what is told of its secret."""
    return Tagged(msgspec.structs.replace(_shown(within, kept), **told), kept.changes)


def _shown(within: Reading | Change, kept: KeptWebhook) -> PublicWebhook:
    secrets: tuple[SigningSecret, ...] = ()
    with contextlib.suppress(SealBroken, KeyMissing):
        secrets = kept.secrets(within.session.ring)
    terms, waiting = kept.terms, backlog.of_endpoint(within.connection, kept)
    return PublicWebhook(
        id=kept.webhook_id,
        url=terms.url,
        events=list(terms.events),
        decisions=[ToldDecisions(e.operation, list(e.outcomes)) for e in terms.decisions],
        ordered=terms.is_ordered,
        description=terms.description,
        state=kept.state,
        disabled_because=kept.disabled_because,
        signing=secrets[0].kind if secrets else None,
        created_at=Moment(kept.created_at_ms),
        changed_at=Moment(kept.changed_at_ms),
        failing_since=moment(kept.failing_since_ms),
        waiting=waiting.tried,
        unread=waiting.unread,
        oldest_at=moment(waiting.oldest_ms),
    )
