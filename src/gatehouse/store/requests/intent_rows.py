"""The rows of payments that a batch adds or changes."""

import msgspec

from gatehouse.store.requests.intents import IntentState


class NewIntent(msgspec.Struct, frozen=True, array_like=True):
    """A payment that the request may send."""

    request_id: str
    account_id: str
    amount_minor: int
    currency: str
    at_ms: int
    changed_at_ms: int
    state: IntentState = IntentState.OPEN
    attempts: int = 0
    reference: str | None = None


class DoubtfulIntent(msgspec.Struct, frozen=True, array_like=True):
    """A payment that must be reversed, whatever its state was."""

    request_id: str
    account_id: str
    at_ms: int
    detail: str
    reference: str | None = None
    """None: as it was stored before."""


class RedirectedIntent(msgspec.Struct, frozen=True, array_like=True):
    """A payment that goes to another party than was noted."""

    request_id: str
    reference: str


class ReviewedIntent(msgspec.Struct, frozen=True, array_like=True):
    """A payment that was made, and waits for the review of its request."""

    request_id: str
    at_ms: int
    reference: str | None = None
