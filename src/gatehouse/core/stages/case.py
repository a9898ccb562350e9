"""One request in flight: what it brought, who sent it, and what the stages have found so far."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Protocol, Self, TypeVar

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import doc
from gatehouse.core.cards.numbers import MaskedCard
from gatehouse.core.stages.outcomes import Outcome

S = TypeVar("S", bound=msgspec.Struct)

ClientReferenceId = (
    Annotated[str, Meta(max_length=128)] | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
)
"""The caller's own name for a request: traced and searchable, never an idempotency key."""

ClientReferenceField = Annotated[
    ClientReferenceId | None,
    doc("Caller's own reference, kept with the decision and searchable.", "order-1001"),
]
"""The same as a field of a request."""


class MadePayment(msgspec.Struct, frozen=True):
    """A payment that a stage made, as it can be captured later."""

    amount_minor: int
    currency: str
    party: str | None
    """Who made it: the name of a connector."""
    payment_id: str | None
    """The party's own name for it."""
    network_transaction_id: str | None = None
    """The network's, which may be kept only sealed."""


class StageResult(msgspec.Struct, frozen=True):
    """What one stage leaves behind.

    `response` goes to the caller; `facts` go into the decision record and must therefore hold
    nothing that may not be kept. A stage that could not finish has `completed=False` and is free.
    """

    response: msgspec.Struct
    completed: bool
    facts: dict[str, Any]
    tags: tuple[str, ...] = ()
    mismatched: bool = False
    """Whether this run counts as a wrong guess at the card's secrets."""
    inside: msgspec.Struct | None = None
    """The response as a part of a pipeline's answer, where it differs from `response`."""
    verdict: Outcome | None = None
    """What the stage wants to be decided, if that is its business."""
    declined: bool = False
    """Whether the issuer or the gateway refused the card, as it does with cards under test."""
    paid: MadePayment | None = None
    """The payment that was made, if one was."""
    in_doubt: bool = False
    """Whether a payment was asked for and may stand although no answer came."""


class Ruling(msgspec.Struct, frozen=True):
    """What one Rules stage has decided so far."""

    which: tuple[int, ...]
    """The rules that matched, by their places in the rule set."""
    status: Outcome
    matched: list[str]
    completed: bool = True


class Observation(Protocol):
    """A request as it was looked at and noted when it came, once for all stages.

    Sentry makes it and knows more of it; here stands what other rooms may rely on.
    """

    @property
    def counted(self) -> bool:
        """Whether the memory counts the request from now on."""


class ValuesByType(dict[type[msgspec.Struct], msgspec.Struct]):
    """One value of each type, found by the type."""

    @classmethod
    def of(cls, *values: msgspec.Struct) -> Self:
        """These values, each under its own type."""
        return cls({type(value): value for value in values})

    def find(self, kind: type[S]) -> S | None:
        """The value of a type, if there is one."""
        value = self.get(kind)
        assert value is None or isinstance(value, kind)
        return value


class Case(msgspec.Struct):
    """A request on its way through the stages of a pipeline."""

    request_id: str
    account_id: str
    at_ms: int
    inputs: ValuesByType
    """What the stages were given, validated."""
    policies: ValuesByType = msgspec.field(default_factory=ValuesByType)
    """What the account chose about stages."""
    results: dict[str, StageResult] = {}
    """By name of the stage; of a stage that ran more than once, the last one."""
    card: MaskedCard | None = None
    other_cards: dict[str, MaskedCard] = {}
    """Of stages that were asked about another card than `card`, by name of the stage."""
    guess_limit_reached: bool = False
    """Whether the card of this request has seen too many wrong guesses to ask about it again."""
    guess_limit_at_risk: bool = False
    """Whether it would have, if every other open request for it were a wrong guess too."""
    guess_limit_applies: bool = False
    """Whether guesses are counted at all."""
    on_settled: list[Callable[[bool], None]] = []
    """What stages want to be told at the end: whether every stage that ran completed."""
    request_signals: dict[str, Any] = {}
    """What rules can say about the request itself; the decision record keeps these."""
    signals: dict[str, Any] = {}
    """The same with what the stages have found so far; see `conditions.catalogue`."""
    rulings: dict[int, Ruling] = {}
    """Of the Rules stages that ran, by their places in the pipeline."""
    answered: ValuesByType = msgspec.field(default_factory=ValuesByType)
    """Answers of outside parties that stages which have not run yet would ask for."""
    payment_reference: str | None = None
    """How the gateway finds the payment of this request, where its id is not enough."""
    redirect_payment: Callable[[str], Awaitable[None]] | None = None
    """Stores another such reference before the payment is sent; it holds no case."""
    payment_unsent: bool = False
    """Whether it is certain that the payment was sent to nobody."""
    observation: Observation | None = None
    """What was seen of the request before the stages ran, if anything was."""
    memory_missed: bool = False
    """Whether Sentry's memory did not answer, so that it must be told of the request later."""
    transaction: str | None = None
    """The caller's name for the transaction, as it may be kept; feedback can be given by it."""

    def input(self, kind: type[S]) -> S:
        """The validated input of a stage."""
        value = self.inputs[kind]
        assert isinstance(value, kind)
        return value
