"""The webhooks of accounts, with their sealed secrets.

The seal binds what an account decided about an endpoint: with another URL, order or choice of
events its secrets cannot be opened, so that a row changed by others sends nothing.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.webhooks.queries.deliveries import delete_attempts
from gatehouse.admin.webhooks.types.endpoint import (
    MOST_ENDPOINTS,
    DisabledBecause,
    WebhookState,
    WebhookTerms,
)
from gatehouse.connectors.webhooks.signing_secrets import SigningSecret
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.secrets.sealing import Sealer
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import struct_from
from gatehouse.store.events import outbox
from gatehouse.store.events.wishes import set_decision_filters
from gatehouse.store.tables import WEBHOOK_DELIVERIES, WEBHOOKS

_WEBHOOKS_MANY: Final = Phrase(
    "refused.webhooks_many", "an account has at most {most} webhooks; delete one first"
)
_NO_WEBHOOK: Final = Phrase("refused.no_webhook", "account {account} has no webhook {webhook}")

_W: Final = WEBHOOKS.c
_encode: Final = msgspec.json.Encoder().encode
_read_terms: Final = msgspec.json.Decoder(WebhookTerms).decode
_read_secrets: Final = msgspec.json.Decoder(tuple[SigningSecret, ...]).decode


class KeptWebhook(msgspec.Struct, frozen=True):
    """An endpoint as it is kept."""

    webhook_id: str
    account_id: str
    terms: WebhookTerms
    state: WebhookState
    created_at_ms: int
    changed_at_ms: int
    changes: int
    """How often it was changed."""
    key_version: int
    sealed: bytes
    cursor: str
    """The last event that was taken from the outbox."""
    disabled_because: DisabledBecause | None = None
    failing_since_ms: int | None = None
    """The first failure since something was accepted."""
    resume_at_ms: int | None = None
    """Until when the receiver asked us to wait."""

    def __repr__(self) -> str:
        return f"KeptWebhook({self.webhook_id})"

    def secrets(self, ring: KeyRing) -> tuple[SigningSecret, ...]:
        """Its secrets, the newest first; `SealBroken` when the row was changed by others."""
        label = _label(self.account_id, self.webhook_id, self.terms)
        sealer = Sealer(ring, keyring.WEBHOOKS)
        return _read_secrets(sealer.open(self.key_version, self.sealed, label))


def insert(
    change: Change, account_id: str, terms: WebhookTerms, secret: SigningSecret
) -> KeptWebhook:
    """Add an endpoint; it is told of what happens from now on."""
    if len(of_account(change.connection, account_id)) >= MOST_ENDPOINTS:
        raise Conflict(_WEBHOOKS_MANY(most=MOST_ENDPOINTS))
    webhook_id = change.new_id("wh")
    version, sealed = _seal(change, account_id, webhook_id, terms, [secret])
    made = KeptWebhook(
        webhook_id=webhook_id,
        account_id=account_id,
        terms=terms,
        state=WebhookState.ENABLED,
        created_at_ms=change.now_ms,
        changed_at_ms=change.now_ms,
        changes=1,
        key_version=version,
        sealed=sealed,
        cursor=outbox.newest_cursor(change.connection, account_id),
    )
    row = msgspec.structs.asdict(made)
    row["id"], row["terms"] = row.pop("webhook_id"), _encode(terms).decode()
    change.connection.execute(WEBHOOKS.insert(), row)
    _tell_wishes(change, account_id)
    return made


def replace(
    change: Change,
    kept: KeptWebhook,
    secrets: Sequence[SigningSecret],
    terms: WebhookTerms | None = None,
    **values: Any,
) -> KeptWebhook:
    """Change an endpoint; whatever is changed, its secrets are sealed anew."""
    terms = terms or kept.terms
    version, sealed = _seal(change, kept.account_id, kept.webhook_id, terms, secrets)
    values |= {
        "key_version": version,
        "sealed": sealed,
        "changes": kept.changes + 1,
        "changed_at_ms": change.now_ms,
    }
    text = _encode(terms).decode()
    this = WEBHOOKS.update().where(_W.id == kept.webhook_id)
    change.connection.execute(this.values(values | {"terms": text}))
    _tell_wishes(change, kept.account_id)
    return msgspec.structs.replace(kept, terms=terms, **values)


def mark_deleted(change: Change, kept: KeptWebhook) -> None:
    """Let no message be sent any more; the rows follow when no server uses them."""
    this = WEBHOOKS.update().where(_W.id == kept.webhook_id)
    change.connection.execute(this.values(deleted_at_ms=change.now_ms))
    waiting = WEBHOOK_DELIVERIES.c.webhook_id == kept.webhook_id
    change.connection.execute(WEBHOOK_DELIVERIES.delete().where(waiting))
    _tell_wishes(change, kept.account_id)


def delete_rows(connection: sa.Connection, webhook_id: str) -> bool:
    """Delete some of what a deleted endpoint left; whether all is gone."""
    if not delete_attempts(connection, webhook_id):
        return False
    connection.execute(WEBHOOKS.delete().where(_W.id == webhook_id))
    return True


def get(connection: sa.Connection, account_id: str, webhook_id: str) -> KeptWebhook:
    """An endpoint of the account, or `NotFound`."""
    query = live().where(_W.account_id == account_id, _W.id == webhook_id)
    row = connection.execute(query).first()
    if row is None:
        raise NotFound(_NO_WEBHOOK(account=recordable(account_id), webhook=recordable(webhook_id)))
    return kept_webhook(row)


def of_account(connection: sa.Connection, account_id: str) -> list[KeptWebhook]:
    """The endpoints of an account, oldest first."""
    query = live().where(_W.account_id == account_id).order_by(_W.id)
    return [kept_webhook(row) for row in connection.execute(query)]


def enabled(connection: sa.Connection) -> list[KeptWebhook]:
    """All endpoints that messages are sent to."""
    query = live().where(_W.state == WebhookState.ENABLED)
    return [kept_webhook(row) for row in connection.execute(query)]


def live() -> "sa.Select[Any]":
    """The endpoints that are not deleted."""
    return sa.select(WEBHOOKS).where(_W.deleted_at_ms.is_(None))


def _tell_wishes(change: Change, account_id: str) -> None:
    """Let requests know which decisions the account's endpoints want to be told of."""
    filters = [
        wanted
        for each in of_account(change.connection, account_id)
        if each.state is WebhookState.ENABLED
        for wanted in each.terms.decision_filters()
    ]
    set_decision_filters(change, account_id, "webhooks", list(dict.fromkeys(filters)))


def _label(account_id: str, webhook_id: str, terms: WebhookTerms) -> bytes:
    return _encode((account_id, webhook_id, terms))


def _seal(
    change: Change,
    account_id: str,
    webhook_id: str,
    terms: WebhookTerms,
    secrets: Sequence[SigningSecret],
) -> tuple[int, bytes]:
    sealer = Sealer(change.ring, keyring.WEBHOOKS)
    label = _label(account_id, webhook_id, terms)
    return sealer.seal(_encode(secrets), label, change.random_bytes)


def kept_webhook(row: Any) -> KeptWebhook:
    """An endpoint from its row."""
    return struct_from(row, KeptWebhook, webhook_id=row.id, terms=_read_terms(row.terms))
