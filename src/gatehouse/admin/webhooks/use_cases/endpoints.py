"""Use cases about the webhooks of an account: adding, showing, changing and deleting them."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.events.use_cases.event_settings import check_filter
from gatehouse.admin.webhooks.queries import claims, deliveries, endpoints
from gatehouse.admin.webhooks.queries.endpoints import KeptWebhook
from gatehouse.admin.webhooks.types.endpoint import (
    DisabledBecause,
    WebhookState,
    WebhookTerms,
    check_terms,
)
from gatehouse.admin.webhooks.types.schedule import HOUR_MS
from gatehouse.admin.webhooks.types.signing_secrets import (
    SecretKind,
    SigningSecret,
    new_secret,
    rotated,
)
from gatehouse.connectors.webhooks.destinations import DestinationPolicy
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput, KeyMissing, SealBroken
from gatehouse.core.events import DecisionFilter, EventName
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.scopes import account_change, account_reading
from gatehouse.store.configured.configurations import StaleVersion

_OLD_SECRET: Final = Phrase("refused.old_secret", "an old secret signs for at most 7 days more")
_WEBHOOK_CHANGED: Final = Phrase(
    "refused.webhook_changed", "the webhook was changed meanwhile: version {version} is in force"
)

LONGEST_OVERLAP_MS: Final = 7 * 24 * HOUR_MS
_LOOK_S: Final = 0.05
_LONGEST_WAIT_MS: Final = 30_000


class WebhookView(msgspec.Struct, frozen=True):
    """A webhook as its account sees it, without its secret."""

    webhook_id: str
    account_id: str
    terms: WebhookTerms
    state: WebhookState
    disabled_because: DisabledBecause | None
    signing: SecretKind | None
    """None when its row was changed by others, so that nothing is sent."""
    created_at_ms: int
    changed_at_ms: int
    changes: int
    """How often it was changed, for edits that must not overwrite others."""
    failing_since_ms: int | None
    waiting: int
    """Messages that are tried again later."""


class WebhookWithSecret(msgspec.Struct, frozen=True):
    """A webhook and what its receiver verifies with, which is shown once."""

    webhook: WebhookView
    secret: str
    """`whsec_...`, or of an Ed25519 pair the public key `whpk_...`."""
    old_secret_until_ms: int | None = None
    """After a rotation: how long messages are signed with the old one, too."""

    def __repr__(self) -> str:
        return f"WebhookWithSecret({self.webhook.webhook_id})"


class WebhookChanges(msgspec.Struct, frozen=True):
    """What to change; None leaves it as it is."""

    url: str | None = None
    events: tuple[str, ...] | None = None
    decisions: tuple[DecisionFilter, ...] | None = None
    is_ordered: bool | None = None
    description: str | None = None
    is_enabled: bool | None = None
    expected: int | None = None
    """How often it may have been changed before."""


def create(
    session: AdminSession,
    account_id: str,
    terms: WebhookTerms,
    policy: DestinationPolicy,
    kind: SecretKind = SecretKind.HMAC,
) -> WebhookWithSecret:
    """Add a webhook; its secret is in the result and cannot be had again."""
    terms = _checked(terms, policy)
    with account_change(session, account_id) as change:
        secret = new_secret(kind, change.random_bytes)
        made = endpoints.insert(change, account_id, terms, secret)
        change.audit("webhook.create", account_id, webhookId=made.webhook_id, **_told(terms))
        return WebhookWithSecret(_view(change.connection, session, made), secret.shown)


def list_webhooks(session: AdminSession, account_id: str) -> list[WebhookView]:
    """The webhooks of an account, oldest first."""
    with account_reading(session, account_id) as connection:
        found = endpoints.of_account(connection, account_id)
        return [_view(connection, session, each) for each in found]


def get_webhook(session: AdminSession, account_id: str, webhook_id: str) -> WebhookView:
    """One webhook, or `NotFound`."""
    with account_reading(session, account_id) as connection:
        return _view(connection, session, endpoints.get(connection, account_id, webhook_id))


def update(
    session: AdminSession,
    account_id: str,
    webhook_id: str,
    changes: WebhookChanges,
    policy: DestinationPolicy,
) -> WebhookView:
    """Change a webhook. One that is enabled again goes on where it stopped."""
    with account_change(session, account_id) as change:
        kept = endpoints.get(change.connection, account_id, webhook_id)
        _check_version(kept, changes.expected)
        terms = _checked(_changed(kept.terms, changes), policy)
        values: dict[str, Any] = {}
        if changes.is_enabled is not None:
            values = _enabled() if changes.is_enabled else _disabled(DisabledBecause.ASKED)
        if changes.is_enabled and kept.state is not WebhookState.ENABLED:
            # Who enables it says that it works again.
            deliveries.hurry(change.connection, webhook_id, change.now_ms)
        made = endpoints.replace(change, kept, kept.secrets(change.ring), terms, **values)
        enabled = {} if changes.is_enabled is None else {"enabled": changes.is_enabled}
        told = _told(terms) | enabled
        change.audit("webhook.update", account_id, webhookId=webhook_id, **told)
        return _view(change.connection, session, made)


def rotate_secret(
    session: AdminSession,
    account_id: str,
    webhook_id: str,
    overlap_ms: int,
    expected: int | None = None,
) -> WebhookWithSecret:
    """Give a webhook a new secret; for a while, messages are signed with the old one, too.

    `expected` is how often it may have been changed before.
    """
    if not 0 <= overlap_ms <= LONGEST_OVERLAP_MS:
        raise InvalidInput(_OLD_SECRET())
    with account_change(session, account_id) as change:
        kept = endpoints.get(change.connection, account_id, webhook_id)
        _check_version(kept, expected)
        known = kept.secrets(change.ring)
        secret = new_secret(known[0].kind, change.random_bytes)
        until_ms = change.now_ms + overlap_ms
        secrets = rotated(known, secret, change.now_ms, until_ms)
        made = endpoints.replace(change, kept, secrets)
        change.audit("webhook.rotate", account_id, webhookId=webhook_id, oldUntilMs=until_ms)
        view = _view(change.connection, session, made)
        return WebhookWithSecret(view, secret.shown, until_ms)


def delete(
    session: AdminSession,
    account_id: str,
    webhook_id: str,
    pause: Callable[[float], object] = time.sleep,
) -> None:
    """Delete a webhook; when this returns, no server sends anything to it any more."""
    ends_ms = _begin_deletion(session, account_id, webhook_id)
    while not _is_left(session, webhook_id, ends_ms):
        pause(_LOOK_S)


async def delete_and_wait(
    session: AdminSession, account_id: str, webhook_id: str, expected: int | None = None
) -> None:
    """The same beside an event loop; no thread waits.

    `expected` is how often it may have been changed before.
    """
    session.actor.check_account(account_id)
    ends_ms = await asyncio.to_thread(_begin_deletion, session, account_id, webhook_id, expected)
    while not await asyncio.to_thread(_is_left, session, webhook_id, ends_ms):  # noqa: ASYNC110
        # Another server may be the one that sends.
        await asyncio.sleep(_LOOK_S)


def _begin_deletion(
    session: AdminSession, account_id: str, webhook_id: str, expected: int | None = None
) -> int:
    """Let no attempt begin any more; until when an earlier one may last."""
    with account_change(session, account_id) as change:
        kept = endpoints.get(change.connection, account_id, webhook_id)
        _check_version(kept, expected)
        endpoints.mark_deleted(change, kept)
        change.audit("webhook.delete", account_id, webhookId=webhook_id)
    return session.clock() + _LONGEST_WAIT_MS


def _is_left(session: AdminSession, webhook_id: str, ends_ms: int) -> bool:
    """Whether no server sends to it any more."""
    with session.reading() as connection:
        held = claims.is_held(connection, webhook_id, session.clock())
    return not held or session.clock() >= ends_ms


def disable(
    session: AdminSession, account_id: str, webhook_id: str, because: DisabledBecause
) -> None:
    """End a webhook that does not work, and tell the account of it."""
    with account_change(session, account_id) as change:
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


def _check_version(kept: KeptWebhook, expected: int | None) -> None:
    if expected not in (None, kept.changes):
        raise StaleVersion(_WEBHOOK_CHANGED(version=kept.changes))


def _checked(terms: WebhookTerms, policy: DestinationPolicy) -> WebhookTerms:
    """The terms, if messages can be sent by them; or `InvalidInput`."""
    terms = check_terms(terms)
    policy.check_url(terms.url)
    for each in terms.decisions:
        check_filter(each)
    return terms


def _changed(terms: WebhookTerms, changes: WebhookChanges) -> WebhookTerms:
    given = {name: getattr(changes, name) for name in terms.__struct_fields__}
    return msgspec.structs.replace(
        terms, **{name: value for name, value in given.items() if value is not None}
    )


def _told(terms: WebhookTerms) -> dict[str, Any]:
    """What the audit log keeps; the query of a URL may hold a secret of the receiver."""
    return {"url": terms.url.partition("?")[0], "events": terms.events}


def _view(connection: sa.Connection, session: AdminSession, kept: KeptWebhook) -> WebhookView:
    secrets: tuple[SigningSecret, ...] = ()
    with contextlib.suppress(SealBroken, KeyMissing):
        secrets = kept.secrets(session.ring)
    return WebhookView(
        webhook_id=kept.webhook_id,
        account_id=kept.account_id,
        terms=kept.terms,
        state=kept.state,
        disabled_because=kept.disabled_because,
        signing=secrets[0].kind if secrets else None,
        created_at_ms=kept.created_at_ms,
        changed_at_ms=kept.changed_at_ms,
        changes=kept.changes,
        failing_since_ms=kept.failing_since_ms,
        waiting=deliveries.count_waiting(connection, kept.webhook_id),
    )
