"""Sentry as it declares itself to the rest of the service."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.signal import Type, describe_signal
from gatehouse.core.stages.stage import (
    AnsweredAgain,
    OperationSpec,
    RecordedResult,
    ResultChange,
    Stage,
    StageExplanation,
    StageFinding,
    StageOptions,
    StageRequest,
    StageResponse,
    StageSignals,
    StageSpec,
)
from gatehouse.sentry.authentication import terms as authentication_terms
from gatehouse.sentry.authentication.advice import (
    FACT,
    AdvisedExemption,
    AdvisedPayment,
    ChallengeIndicator,
    LiableParty,
    ScaAction,
)
from gatehouse.sentry.authentication.terms import AuthenticationTerms, ExemptionPlacement
from gatehouse.sentry.costs import CostAdvice, ExpectedCosts
from gatehouse.sentry.found import found_inputs
from gatehouse.sentry.found.found_inputs import FoundInputs
from gatehouse.sentry.outcomes import OUTCOME_SIGNAL, ScoredOutcome, outcome_signals
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.reasons import LEARNED
from gatehouse.sentry.request import MOST_CART_BYTES, SentryRequest
from gatehouse.sentry.response import FEE_TYPE, NAME, Reason, SentryInPipeline, SentryResponse
from gatehouse.sentry.shadow import SHADOW, SHADOW_CONFIDENCE, shadow_signals

if TYPE_CHECKING:
    from gatehouse.core.cards.numbers import CardShown
    from gatehouse.intel.networks import AddressBook
    from gatehouse.sentry.entities import EntityHasher
    from gatehouse.sentry.found.input_watch import InputWatch
    from gatehouse.sentry.memory.port import Memory


class SentryParties(Protocol):
    """The parties that Sentry asks."""

    @property
    def addresses(self) -> "AddressBook":
        """Knows internet addresses."""

    @property
    def memory(self) -> "Memory":
        """Remembers earlier requests."""

    @property
    def entity_hasher(self) -> "EntityHasher":
        """Hashes what may not be remembered as it is."""

    @property
    def input_watch(self) -> "InputWatch | None":
        """Finds custom inputs that are worth remembering; None in trials."""

    @property
    def test_cards(self) -> "frozenset[CardShown]":
        """The sandbox's, which pay for many orders that have nothing in common."""


def _build(parties: SentryParties, options: StageOptions) -> Stage:
    from gatehouse.sentry.authentication.table import load_authentication_table
    from gatehouse.sentry.scorecard import load_scorecard
    from gatehouse.sentry.stage import SentryStage

    table = partial(load_authentication_table, options.authentication_file)
    if options.authentication_file is not None:
        table()  # A mistake in an operator's file is told when a server starts.
    return SentryStage(
        parties.addresses,
        parties.memory,
        load_scorecard(),
        parties.entity_hasher,
        time_limit_ms=options.time_limit_ms,
        watch=parties.input_watch,
        table=table,
    ).with_test_cards(parties.test_cards)


def _read_signals(facts: Mapping[str, Any]) -> dict[str, Any]:
    found = {
        "sentry.requestConfidence": facts.get("requestConfidence"),
        "sentry.ipScore": facts.get("ipScore"),
        "sentry.reasons": list(facts.get("reasons") or ()),
    }
    if facts.get("ownConfidence") is not None:
        found["sentry.ownConfidence"] = facts["ownConfidence"]
    if SHADOW in facts:
        found |= shadow_signals(facts)
    scores = facts.get("outcomeScores")
    if scores:
        found |= outcome_signals(scores)
    costs = CostAdvice.recorded(facts)
    if costs is not None:
        found |= costs.signals
    advised = AdvisedPayment.recorded(facts)
    return found if advised is None else found | advised.signals


def _verdict(signals: Mapping[str, Any]) -> Outcome:
    """The advice by expected cost, for pipelines in which it is a verdict."""
    return Outcome(signals.get("sentry.costAdvice") or Outcome.ACCEPT)


def _recorded(result: RecordedResult) -> AnsweredAgain:
    from gatehouse.sentry.records.answer import answer_again

    return answer_again(result)


def _findings(facts: Mapping[str, Any], model: str | None) -> list[StageFinding]:
    from gatehouse.sentry.explaining import findings

    return findings(facts, model)


def _changes(facts: Mapping[str, Any], model: str | None) -> list[ResultChange]:
    from gatehouse.sentry.explaining import changes

    return changes(facts, model)


def _model(facts: Mapping[str, Any]) -> int | None:
    """The number of the account's own model; the scorecard that ships has another name."""
    name, _, number = str(facts.get("model")).partition("-")
    return int(number) if name == LEARNED and number.isdecimal() else None


_SIGNALS: Final = (
    describe_signal(
        "sentry.requestConfidence",
        Type.NUMBER,
        "Confidence that the request is legitimate, 0 to 1.",
        "0.2",
    ),
    describe_signal(
        "sentry.ipScore",
        Type.NUMBER,
        "The same from what is known of the address alone.",
        "0.3",
    ),
    describe_signal(
        "sentry.reasons",
        Type.WORDS,
        "Codes of what moved the score.",
        "HAS(sentry.reasons, 'IP_TOR_EXIT')",
    ),
    describe_signal("sentry.completed", Type.BOOLEAN, "Sentry ran to its end."),
    describe_signal(
        "sentry.ownConfidence",
        Type.NUMBER,
        "What the model itself says; known only where its scores are told on an earlier scale.",
        "0.98",
    ),
    describe_signal(
        SHADOW_CONFIDENCE,
        Type.NUMBER,
        "What another model says that is tried beside the one in force; unknown without one.",
        "0.2",
    ),
    describe_signal(
        "sentry.costAdvice",
        Type.TEXT,
        "What costs least; unknown unless the account has set its costs.",
        "'DECLINE'",
        Outcome,
    ),
    describe_signal(
        "sentry.expectedCost.accept",
        Type.NUMBER,
        "What accepting would cost on average, in units of the currency.",
        "25",
    ),
    describe_signal(
        "sentry.expectedCost.review", Type.NUMBER, "What a review would cost on average.", "5"
    ),
    describe_signal(
        "sentry.expectedCost.decline", Type.NUMBER, "What declining would cost on average.", "12"
    ),
    describe_signal(
        OUTCOME_SIGNAL + ScoredOutcome.FRAUD_DISPUTE,
        Type.NUMBER,
        "Probability of a fraud dispute, 0 to 1; unknown unless the account's model has learned "
        "it, as the other scores of outcomes.",
        "0.2",
    ),
    describe_signal(
        OUTCOME_SIGNAL + ScoredOutcome.REPORTED_FRAUD,
        Type.NUMBER,
        "Probability that it is reported as fraud.",
        "0.2",
    ),
    describe_signal(
        OUTCOME_SIGNAL + ScoredOutcome.CARD_TESTING,
        Type.NUMBER,
        "Probability that a stolen card is tried out.",
        "0.3",
    ),
    describe_signal(
        OUTCOME_SIGNAL + ScoredOutcome.ABUSE,
        Type.NUMBER,
        "Probability that the cardholder misuses the order.",
        "0.3",
    ),
    describe_signal(
        "sentry.scaAdvice.advice",
        Type.TEXT,
        "What to do about strong authentication; unknown unless the account asks for it.",
        "'CHALLENGE'",
        ScaAction,
    ),
    describe_signal(
        "sentry.scaAdvice.exemption",
        Type.TEXT,
        "Why authentication can be left out; unknown where it cannot.",
        "'LOW_VALUE'",
        AdvisedExemption,
    ),
    describe_signal(
        "sentry.scaAdvice.placement",
        Type.TEXT,
        "Where an exemption or authentication is asked for.",
        "'AUTHENTICATION'",
        ExemptionPlacement,
    ),
    describe_signal(
        "sentry.scaAdvice.challengeIndicator",
        Type.TEXT,
        "What to ask of the issuer in 3-D Secure.",
        "'04'",
        ChallengeIndicator,
    ),
    describe_signal(
        "sentry.scaAdvice.liability",
        Type.TEXT,
        "Who bears a fraud if the advice is followed.",
        "'MERCHANT'",
        LiableParty,
    ),
    describe_signal(
        "sentry.scaAdvice.inScope",
        Type.BOOLEAN,
        "Whether the rules of the region ask for strong authentication.",
    ),
)
_OF_COSTS: Final = (
    "sentry.costAdvice",
    *(f"sentry.expectedCost.{name}" for name in ExpectedCosts._fields),
)
_OF_ADVICE: Final = tuple(
    f"sentry.scaAdvice.{name}"
    for name in ("advice", "exemption", "placement", "challengeIndicator", "liability", "inScope")
)
_FOREIGN_CARD: Final = Reason(
    "IP_CARD_COUNTRY_MISMATCH", -0.8, "The card is not from the address's country."
)
_REASONS: Final = [
    Reason("IP_CONSUMER", 0.35, "The address is an ordinary one."),
    Reason("UA_CURRENT", 0.35, "The browser is an ordinary one and up to date."),
    Reason("LANG_COUNTRY_FIT", 0.25, "The browser's languages fit the address's country."),
    Reason("SESSION_ORDINARY", 0.2, "The visit has lasted an ordinary time."),
    Reason("ACCOUNT_NAMED", 0.15, "The order was placed from an account."),
    Reason("CART_ADDS_UP", 0.15, "The cart adds up to the order's amount."),
    Reason("CURRENCY_COUNTRY_FIT", 0.15, "The currency is that of the address's country."),
    Reason("ORDER_PLAUSIBLE", 0.1, "Amount and currency are plausible."),
]

SENTRY: Final = StageSpec(
    name=NAME,
    fee_type=FEE_TYPE,
    default_fee_micros=20_000,
    place=20,
    build=_build,
    time_limit_setting="sentry_timeout_ms",
    policy_type=SentryPolicy,
    more_policies={
        found_inputs.NAME: FoundInputs,
        authentication_terms.NAME: AuthenticationTerms,
    },
    decides_if_named=True,
    explanation=StageExplanation(
        findings=_findings,
        verdict=_verdict,
        changes=_changes,
        told_whole=("sentry.reasons", *_OF_COSTS, *_OF_ADVICE),
        model=_model,
    ),
    request=StageRequest(
        type=SentryRequest,
        field="sentryRequest",
        about="For Sentry.",
        most_bytes=MOST_CART_BYTES,
    ),
    response=StageResponse(
        type=SentryInPipeline,
        field="sentryResponse",
        recorded=_recorded,
        example=SentryInPipeline(0.6804, 0.7868, [_FOREIGN_CARD, *_REASONS]),
        example_tags=(_FOREIGN_CARD.code,),
    ),
    signals=StageSignals(
        prefix="sentry",
        catalogue=_SIGNALS,
        read=_read_signals,
        facts=(
            *("requestConfidence", "ipScore", "reasons", "costs", "ownConfidence"),
            *("outcomeScores", SHADOW, FACT),
        ),
    ),
    operation=OperationSpec(
        name="sentry",
        title="Sentry",
        about=(
            "Turns what is known about device, visit, account, order and cart into a confidence "
            "that the request is legitimate, with the reasons. Every group is optional; what is "
            "missing or hard to believe is scored, not refused."
        ),
        request_type=SentryRequest,
        response_type=SentryResponse,
        example=SentryResponse(0.8914, _REASONS),
        mistaken={
            "event": {"type": "REFUND", "timestamp": "yesterday"},
            "shoppingCart": {"items": [{"price": 10, "quantity": "two"}]},
            "customInputs": {"coupon": None},
        },
    ),
)
