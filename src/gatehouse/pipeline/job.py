"""What the engine is given and what it gives back: steps, plans, jobs, and what was found."""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from gatehouse.billing.ledger import Item
from gatehouse.core.cards.numbers import CardOfRequest
from gatehouse.core.errors import RequestRefused
from gatehouse.core.events import DecisionFilter
from gatehouse.core.money import Payment
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.core.stages.outcomes import DecisionReason, Outcome
from gatehouse.core.stages.stage import Stage
from gatehouse.decisions.order_envelope import OrderEnvelope
from gatehouse.decisions.record import PipelineVersion, RecordedSignals
from gatehouse.decisions.search_terms import FoundBy
from gatehouse.pipeline.settlement import Claim


class LatePart(msgspec.Struct, frozen=True):
    """The part of an earlier stage's work that had to wait for a later stage."""

    position: int
    """Of the earlier stage."""
    finish: Callable[[Case, StageResult], StageResult]
    """From the case and the earlier stage's result so far to its result with this part."""


class Step(msgspec.Struct, frozen=True):
    """A stage in its place: what it costs here, and when it is left out or the last one."""

    stage: Stage
    fee: int
    skip: Callable[[Case], bool] | None = None
    stop: Callable[[Case], bool] | None = None
    """Asked when the stage has completed."""
    ends_on_failure: bool = False
    """Whether the request ends here when the stage could not complete."""
    position: int = 0
    """Its place in the definition, from 0."""
    pays: bool = False
    """Whether it asks for a payment: never once the decision is to decline."""
    pays_reviewed: bool = True
    """Whether it also asks when the decision so far is to review."""
    keeps_payment: bool = True
    """Whether its payment is kept for the review, to be reversed if that is declined."""
    late_parts: tuple[LatePart, ...] = ()
    """What earlier stages do once this one has run, or is known not to."""
    is_named: bool = True
    """Whether any condition or rule of the pipeline speaks of what this stage finds."""
    captures: bool = False
    """Whether its payment is captured as soon as the request is accepted."""


class SignalBuilder(Protocol):
    """Describes a request in signals, before its stages run and for its record."""

    async def describe(self, case: Case) -> None:
        """Fill the case's signals with what the request itself says."""

    def facts(self, case: Case) -> RecordedSignals:
        """What the decision record keeps of that."""


class DecisionPlan(msgspec.Struct, frozen=True):
    """What a request needs that ends in a decision and not only in results."""

    signal_builder: SignalBuilder
    decide: Callable[[Sequence["StageRun"]], Outcome]
    pipeline: PipelineVersion | None = None
    """The pipeline that the request named."""
    decided_by: tuple[str, ...] = ()
    """The stages whose verdicts count, where the pipeline's author named them."""


class ExpectedCard(msgspec.Struct, frozen=True):
    """The card that must be the one charged.

    It is compared after its number was counted. Before that, a caller could try all numbers that
    share what is shown of a card without being noticed.
    """

    inner: str
    """Its inner fingerprint."""
    refusal: RequestRefused
    """What is raised when another card would be charged."""


class RequestPlan(msgspec.Struct, frozen=True):
    """How one request is going to be worked on."""

    steps: tuple[Step, ...]
    inputs: ValuesByType
    card: CardOfRequest | None
    answer: Callable[["Processed"], msgspec.Struct]
    """From what was found to the operation's own object."""
    other_cards: dict[str, CardOfRequest] = {}
    """Of stages that were asked about another card than `card`, by name of the stage."""
    intent: Payment | None = None
    """The payment that a stage is going to ask for."""
    decision_plan: DecisionPlan | None = None
    contacts: tuple[FoundBy, ...] = ()
    """Contacts that the request is found by although its record says nothing of them."""
    ignored: dict[str, str] = {}
    """Parts of the request that nothing reads, each with the reason."""
    evidence: OrderEnvelope | None = None
    """What stays readable of the order, if its account wants that."""
    expected: ExpectedCard | None = None


class Job(msgspec.Struct, frozen=True):
    """A validated request, ready to be worked on."""

    request_id: str
    operation: str
    account_id: str
    policies: ValuesByType
    plan: RequestPlan
    client_reference: str | int | None
    claim: Claim | None
    render: Callable[["Processed"], bytes]
    key_id: str = ""
    """The API key that sent it."""
    decision_filters: tuple[DecisionFilter, ...] = ()
    """Which decisions the account is told of."""
    credit_limit: int = 0
    """The account's, from its signed row."""

    @property
    def actor(self) -> str:
        """Who sent it, as events name it."""
        return f"key:{self.key_id}"


class StageRun(msgspec.Struct, frozen=True):
    """One stage that ran, what it found, and how long it took."""

    stage: str
    item: Item
    result: StageResult
    duration_us: int
    position: int = 0


class Processed(msgspec.Struct, frozen=True):
    """A request that was worked on, charged and recorded."""

    request_id: str
    runs: list[StageRun]
    authorized: int
    closed: int
    remaining: int
    answer: bytes | None = None
    decision: Outcome | None = None
    reason: DecisionReason | None = None
