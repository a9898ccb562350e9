"""The port to the ledger and the records: what the engine asks of the store, and its answers.

Each operation is decided on its own, however many others share the commit. What charges or pays is
durable before its answer is given.
"""

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Protocol

import msgspec

from gatehouse.billing.ledger import Hold, Item
from gatehouse.core.events import EventName
from gatehouse.core.money import Payment
from gatehouse.decisions.money_at_risk import NOTHING_AT_RISK, MoneyAtRisk


class Claim(msgspec.Struct, frozen=True):
    """An idempotency key as it is kept: keyed hashes of the key and of the body."""

    claim_id: str
    body: str
    expires_at_ms: int
    is_kept_as: Callable[[str], bool] | None = None
    """Whether the body is one that a server of another version kept."""


class DecisionRow(msgspec.Struct, frozen=True, array_like=True):
    """A decision record as it is kept."""

    account_id: str
    request_id: str
    at_ms: int
    operation: str
    client_reference: str | None
    card: str | None
    record: str
    transaction_reference: str | None = None
    """The caller's name for the transaction, as it may be kept."""
    terms: str | None = None
    """What it is found by, as `decisions.search_terms` packs it; None for nothing but its ids."""


class EvidenceRow(msgspec.Struct, frozen=True, array_like=True):
    """What stays readable of an order for evidence, as it is kept."""

    account_id: str
    request_id: str
    key_version: int
    sealed: str


class PaymentRow(msgspec.Struct, frozen=True, array_like=True):
    """A payment that stands, as it is kept to be captured."""

    account_id: str
    request_id: str
    at_ms: int
    amount_minor: int
    currency: str
    party: str | None
    payment_id: str | None
    reference: str | None
    """How the gateway finds it, where the request id is not enough."""
    network_id: str | None = None
    """The network's id of it with its card, sealed."""


class IntentEnd(StrEnum):
    """What became of a payment by the time its request is closed."""

    SETTLED = "SETTLED"
    """The gateway answered, or it was never asked: nothing is left to be done."""
    REVIEWED = "REVIEWED"
    """It was made, and must be reversed if a person declines the request."""
    DOUBTFUL = "DOUBTFUL"
    """It was asked and nobody knows what it did: the payment must be reversed."""


class NumberSent(msgspec.Struct, frozen=True):
    """A card number by its mark, and the mark of all that share its BIN and last four."""

    group: str
    number: str


class NumbersLimit(msgspec.Struct, frozen=True):
    """How many numbers of one group an account may send within 24 hours, and what was sent."""

    most: int
    sent: tuple[NumberSent, ...]


class Authorize(msgspec.Struct, frozen=True):
    """Hold the fees of a request; with a claim, only the first request of its key may.

    With an intent, the payment is noted in the same commit, so that it can be reversed should this
    process never come to close the request.
    """

    hold: Hold
    at_ms: int
    claim: Claim | None = None
    intent: Payment | None = None
    numbers: NumbersLimit | None = None
    actor: str = ""
    """Who sent the request, for the ledger and events that it causes."""
    credit_limit: int = 0
    """The most of the account's credit that may be used: what its signed row says."""


class WrongGuess(msgspec.Struct, frozen=True):
    """A wrong security code or identifier, by marks that lead to no card and no request."""

    card: str
    request: str
    card_account: str | None = None
    """Of the account behind the card, if it is known."""


class Close(msgspec.Struct, frozen=True):
    """Charge what completed, release the rest, keep the record and, with a claim, the answer."""

    account_id: str
    request_id: str
    at_ms: int
    items: list[Item]
    decision: DecisionRow
    mismatch: WrongGuess | None = None
    claim_id: str | None = None
    answer: Callable[[int], bytes] | None = None
    """Renders the answer to keep, given the balance that remains."""
    intent: IntentEnd | None = None
    """What became of the payment; given exactly when the authorization had an intent."""
    payment_reference: str | None = None
    """How the gateway finds the payment, if it is kept."""
    review: bool = False
    """Whether a person is to look at the decision."""
    at_risk: MoneyAtRisk = NOTHING_AT_RISK
    """What such a decision puts at risk."""
    memory_missed: bool = False
    """Whether Sentry's memory must be told of the request later."""
    events: tuple[EventName, ...] = ()
    """What the account is told of the request."""
    actor: str = ""
    """Who sent the request, for events that it causes."""
    evidence: tuple[EvidenceRow, ...] = ()
    """What stays readable of the order, if its account wants that."""
    payments: tuple[PaymentRow, ...] = ()
    """The payment, if it stands."""
    captured_by: str | None = None
    """Who has it captured at once; None: nobody."""


class Redirect(msgspec.Struct, frozen=True):
    """Note that an open payment goes to another party than was noted, before it is sent there."""

    account_id: str
    request_id: str
    payment_reference: str


class Release(msgspec.Struct, frozen=True):
    """Give a hold back without charging: the request came to nothing.

    A payment that it may have sent is reversed.
    """

    account_id: str
    request_id: str
    at_ms: int
    claim_id: str | None = None


class Authorized(msgspec.Struct, frozen=True):
    """The fees are held."""

    remaining: int
    mismatches: int = 0
    """Wrong guesses at this card in the last 24 hours."""
    in_flight: int = 0
    """Other open requests for this card, each of which may turn out to be another wrong guess."""


class Insufficient(msgspec.Struct, frozen=True):
    """The balance does not cover the fees; nothing was held."""

    remaining: int


class Enumerated(msgspec.Struct, frozen=True):
    """Too many card numbers that share BIN and last four; nothing was held."""

    retry_after_ms: int


class Replay(msgspec.Struct, frozen=True):
    """The key was used before with this body: here is the answer it got."""

    answer: bytes


class StillInFlight(msgspec.Struct, frozen=True):
    """The first request of this key has not been answered yet."""


class KeyReused(msgspec.Struct, frozen=True):
    """The key was used before with another body."""


class Closed(msgspec.Struct, frozen=True):
    """The request is settled and recorded."""

    remaining: int
    answer: bytes | None


AuthorizationResult = Authorized | Insufficient | Enumerated | Replay | StillInFlight | KeyReused


class Settlement(Protocol):
    """Settles requests durably. Raises `StoreUnavailable`; without a hold `AuthorizationLost`."""

    def authorize(self, order: Authorize) -> Awaitable[AuthorizationResult]:
        """Hold the fees, or say why not."""

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        """Charge, release and record in one commit; the future ignores that it is cancelled."""

    def redirect(self, order: Redirect) -> Awaitable[None]:
        """Note another party of an open payment."""

    def release(self, order: Release) -> Awaitable[None]:
        """End a hold without a charge."""


class Search(msgspec.Struct, frozen=True):
    """Which records are wanted."""

    client_reference: str | None
    before: str | None
    limit: int
