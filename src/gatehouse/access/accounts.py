"""Accounts, and callers: what a request needs to know of its key and account."""

from typing import Any

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.access.keys import ApiKey
from gatehouse.core.events import DecisionFilter


class Account(msgspec.Struct, frozen=True):
    """A merchant or payment provider."""

    account_id: str
    name: str
    currency: str
    created_at_ms: int
    fees: dict[str, int]
    """The account's own fees; types not named here cost the default."""
    policies: dict[str, Any]
    """Per stage, how the account wants results to become decisions."""
    closed_at_ms: int | None = None
    """When the account was closed; None while it is open."""
    closed_reason: str | None = None
    decision_filters: tuple[DecisionFilter, ...] = ()
    """Which decisions are told as events, to readers of events or to webhooks."""
    credit_limit: int = 0
    """How far below nothing the balance may go."""


class Caller(msgspec.Struct, frozen=True):
    """Who is calling: a key and its account, as one snapshot."""

    key: ApiKey
    account: Account

    @property
    def actor(self) -> Actor:
        """The caller as use cases and the audit log know it."""
        return Actor.key(self.key.key_id, self.account.account_id, scopes=self.key.scopes)
