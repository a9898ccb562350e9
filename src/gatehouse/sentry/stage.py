"""Sentry as a stage of the engine: views, remembers, measures, scores, and gives reasons.

What Sentry's stage asks when an account wants advice on authentication.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from gatehouse.core.cards.numbers import CardShown
from gatehouse.core.cards.three_d_secure import ThreeDSecure
from gatehouse.core.stages.case import Case, StageResult
from gatehouse.decisions.recorded_event import RecordedEvent
from gatehouse.intel.networks import AddressBook
from gatehouse.sentry.authentication.account_info import ThreeDSecureData, three_ds_data
from gatehouse.sentry.authentication.advice import FACT, AdvisedPayment
from gatehouse.sentry.authentication.reading import AUTHENTICATED, facts_of_request
from gatehouse.sentry.authentication.table import AuthenticationTable, load_authentication_table
from gatehouse.sentry.authentication.terms import AuthenticationTerms
from gatehouse.sentry.authentication.told import ScaAdviceTold, told_advice
from gatehouse.sentry.costs import CostAdvice, CostTerms, advise
from gatehouse.sentry.entities import EntityHasher, event_of
from gatehouse.sentry.features.catalogue import BY_CODE, measure_features
from gatehouse.sentry.features.feature import shown_number
from gatehouse.sentry.found.found_inputs import NOTHING_FOUND, FoundInputs
from gatehouse.sentry.found.input_watch import InputWatch
from gatehouse.sentry.memory.memory import Entity, MemoryEvent
from gatehouse.sentry.memory.port import Memory
from gatehouse.sentry.memory.recalled import History
from gatehouse.sentry.outcome_scores import scorer_of
from gatehouse.sentry.policy import DEFAULT_POLICY, SentryPolicy
from gatehouse.sentry.reasons import MEMORY_UNAVAILABLE
from gatehouse.sentry.records.event import recorded_event
from gatehouse.sentry.records.features import recorded_features, rounded_feature
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.request_view import RequestView, view_request
from gatehouse.sentry.response import (
    FEE_TYPE,
    NAME,
    OutcomeScoresTold,
    Reason,
    SentryInPipeline,
    SentryResponse,
    told_costs,
    told_outcomes,
)
from gatehouse.sentry.scorecard import (
    Scorecard,
    Scored,
    earlier_scorecards,
    load_scorecard,
    load_sheet,
)
from gatehouse.sentry.shadow import SHADOW, shadow_facts


class AuthenticationTold(NamedTuple):
    """The parts of an answer, and what the record keeps."""

    advised: AdvisedPayment
    advice: ScaAdviceTold | UnsetType
    data: ThreeDSecureData | UnsetType


def authentication_entities(case: Case) -> tuple[Entity, ...]:
    """What the memory notes where 3-D Secure has authenticated the cardholder of a request."""
    found = case.inputs.find(ThreeDSecure)
    if case.card is None or found is None or not found.is_authenticated:
        return ()
    return (AUTHENTICATED,)


def tell_authentication(
    view: RequestView,
    event: MemoryEvent,
    terms: AuthenticationTerms,
    table: AuthenticationTable,
    scored: tuple[float, Mapping[str, float]],
) -> AuthenticationTold:
    """The advice on a request, given its confidence and its reasons."""
    known = facts_of_request(view, event, terms, table, scored)
    days = table.as_of.isoformat(), table.rates.as_of.isoformat()
    advised = AdvisedPayment.of(known, terms, days)
    data: ThreeDSecureData | UnsetType = UNSET
    if terms.three_ds_data:
        data = three_ds_data(view, event, terms.ship_address_input)
    return AuthenticationTold(advised, told_advice(advised), data)


_DIGITS: Final = 4
_EFFECT_DIGITS: Final = 3
_LEAST_TOLD: Final = 0.0005
"""A smaller effect is told as none."""


class ObservedRequest(msgspec.Struct):
    """One request as Sentry viewed and recorded it, for its own score and for signals."""

    view: RequestView
    event: MemoryEvent
    policy: SentryPolicy = DEFAULT_POLICY
    authentication: AuthenticationTerms | None = None
    """What the account says about authentication, if it asks for advice on it."""

    @property
    def history(self) -> History | None:
        """What was seen before; None when the memory did not answer."""
        return self.view.history

    @property
    def counted(self) -> bool:
        """Whether the memory counts the event from now on."""
        history = self.view.history
        return history is not None and history.counted

    def recorded(self, *, declined: bool = False) -> RecordedEvent:
        """The event for the decision record."""
        card = self.view.card
        history = self.view.history
        counted = None if history is None else history.counted
        shown = None if card is None else card.shown
        ring = None if history is None or history.ring is None else history.ring.id
        return recorded_event(self.event, shown, counted=counted, declined=declined, ring=ring)


class ScoredRequest(NamedTuple):
    """A score, what was measured, and what was noted of the request."""

    confidence: float
    values: dict[str, float]
    event: MemoryEvent
    counted: bool
    """Whether it is an attempt of its own; a repeated one is not."""


class SentryStage:
    """Judges how far a request can be trusted."""

    name = NAME
    fee_type = FEE_TYPE

    def __init__(
        self,
        book: AddressBook,
        memory: Memory,
        scorecard: Scorecard,
        hasher: EntityHasher,
        *,
        time_limit_ms: int,
        watch: InputWatch | None = None,
        table: Callable[[], AuthenticationTable] = load_authentication_table,
    ) -> None:
        """`watch` finds custom inputs that are worth remembering; trials need none.

        `table` has the limits of authentication; it is asked where an account wants advice.
        """
        self.time_limit_ms = time_limit_ms
        self._watch = watch
        self._test_cards: frozenset[CardShown] = frozenset()
        self._book = book
        self._memory = memory
        self._scorecard = scorecard
        self._outcomes = scorer_of(scorecard.sheet.outcomes)
        self._hasher = hasher
        self._decides = False
        self._shadow: Scorecard | None = None
        self._table = table

    def with_scorecard(self, scorecard: Scorecard) -> "SentryStage":
        """The same stage, asking the same parties, for an account with a scorecard of its own."""
        stage = copy(self)
        stage._scorecard = scorecard
        stage._outcomes = scorer_of(scorecard.sheet.outcomes)
        return stage

    def with_shadow(self, scorecard: Scorecard) -> "SentryStage":
        """The same stage, which records what another scorecard says of the same requests."""
        stage = copy(self)
        stage._shadow = scorecard
        return stage

    def with_test_cards(self, cards: frozenset[CardShown]) -> "SentryStage":
        """The same stage, for which it means nothing how often these cards come."""
        stage = copy(self)
        stage._test_cards = cards
        return stage

    def with_watch(self, watch: InputWatch) -> "SentryStage":
        """The same stage, whose requests are watched by another one."""
        stage = copy(self)
        stage._watch = watch
        return stage

    def deciding(self) -> "SentryStage":
        """The same stage for a pipeline in which its advice by expected cost is a verdict."""
        stage = copy(self)
        stage._decides = True
        return stage

    async def run(self, case: Case) -> StageResult:
        """Score the request in the light of what was seen before."""
        result = self.run_now(case)
        if result is None:
            result, _ = await self.judge(case, case.input(SentryRequest))
        return result

    def run_now(self, case: Case) -> StageResult | None:
        """The same without waiting; None when the memory has to be waited for."""
        observed = _observed(case)
        if observed is None:
            observed = self.observe_now(case, case.input(SentryRequest))
            return None if observed is None else self._result(observed, completed=True, event=True)
        # Without a history, the memory did not answer when it was asked for all stages.
        return self._result(observed, completed=observed.history is not None)

    async def judge(self, case: Case, request: SentryRequest) -> tuple[StageResult, MemoryEvent]:
        """Score a request that was not viewed before; also the event that was recorded."""
        observed = await self.observe(case, request)
        return self._result(observed, completed=True, event=True), observed.event

    async def weigh(self, case: Case, request: SentryRequest) -> "ScoredRequest":
        """The score alone, without a response or a record."""
        observed = await self.observe(case, request)
        values, scored = self._score(observed)
        confidence = self._told(round(scored.confidence, _DIGITS), observed.policy)
        return ScoredRequest(confidence, values, observed.event, observed.counted)

    def unavailable(self, case: Case) -> StageResult:
        """The memory did not answer: what can be said without it, free of charge."""
        observed = _observed(case)
        if observed is None:
            observed = self.view(case, case.input(SentryRequest))
            return self._result(observed, completed=False, event=True)
        return self._result(observed, completed=False)

    async def observe(
        self, case: Case, request: SentryRequest, *, more: Sequence[Entity] = ()
    ) -> ObservedRequest:
        """View a request, record it with entities of other inputs, and recall their histories."""
        seen = self.observe_now(case, request, more=more)
        if seen is not None:
            return seen
        observed = self.view(case, request, more=more)
        event = observed.event
        # Until it has answered: it can fail, and the time limit can end this at the next line.
        case.memory_missed = True
        history = await self._memory.record_and_recall(event)
        case.memory_missed = False
        return self._remembered(case, observed, history)

    def observe_now(
        self, case: Case, request: SentryRequest, *, more: Sequence[Entity] = ()
    ) -> ObservedRequest | None:
        """The same without waiting; None when the memory has to be waited for."""
        recall = self._memory.recall_now
        if recall is None:
            return None
        observed = self.view(case, request, more=more)
        return self._remembered(case, observed, recall(observed.event))

    def _remembered(
        self, case: Case, observed: ObservedRequest, history: History
    ) -> ObservedRequest:
        """The request with what the memory recalled."""
        view = observed.view
        view.history = history
        if history.counted:
            inputs = view.request.custom_inputs
            if inputs and self._watch is not None:
                self._watch.note(case.account_id, inputs, _person(view), view.at_s)
            event = observed.event
            # A request in which another party failed does not count against the customer.
            case.on_settled.append(lambda done: None if done else self._memory.retract(event))
        return observed

    def view(
        self, case: Case, request: SentryRequest, *, more: Sequence[Entity] = ()
    ) -> ObservedRequest:
        """The same without the memory."""
        view = view_request(request, case.at_ms / 1000, self._book, case.card)
        view.request_id = case.request_id
        if self._test_cards and view.card is not None:
            view.is_trial = (view.card.kept.bin, view.card.kept.last_four) in self._test_cards
        policy = case.policies.find(SentryPolicy) or DEFAULT_POLICY
        found = case.policies.find(FoundInputs) or NOTHING_FOUND
        authentication = case.policies.find(AuthenticationTerms)
        if authentication is not None:
            more = (*more, *authentication_entities(case))
        event = event_of(case.account_id, view, policy, self._hasher, more, found)
        case.transaction = view.transaction
        return ObservedRequest(view, event, policy, authentication)

    def _score(self, observed: ObservedRequest) -> tuple[dict[str, float], Scored]:
        values = measure_features(observed.view)
        return values, self._scorecard.score(values)

    def _told(self, own: float, policy: SentryPolicy) -> float:
        """The confidence of the model as it is told."""
        mapping = self._scorecard.sheet.mapping
        return own if mapping is None or policy.raw_scores else mapping.tell(own)

    def _result(
        self, observed: ObservedRequest, *, completed: bool, event: bool = False
    ) -> StageResult:
        values, scored = self._score(observed)
        policy, own = observed.policy, round(scored.confidence, _DIGITS)
        confidence = self._told(own, policy)
        ip_score = round(scored.ip_confidence, _DIGITS)
        reasons = _reasons(scored, values, shipped=self._scorecard is _SHIPPED)
        if observed.history is None:
            reasons.append(_UNREMEMBERED)
        facts: dict[str, Any] = {
            "requestConfidence": confidence,
            "ipScore": ip_score,
            "model": self._scorecard.version,
            "reasons": {each.code: each.effect for each in reasons},
            "signals": recorded_features(values),
        }
        if self._scorecard.sheet.mapping is not None and not policy.raw_scores:
            facts["ownConfidence"] = own
        if self._shadow is not None:
            facts[SHADOW] = shadow_facts(self._shadow, values)
        outcomes: OutcomeScoresTold | UnsetType = UNSET
        if self._outcomes is not None:
            facts["outcomeScores"] = scores = self._outcomes.score(values, scored.total)
            outcomes = told_outcomes(scores)
        if event:
            facts["event"] = observed.recorded()
        tags = tuple([each.code for each in reasons if each.effect < 0])
        costs = None if policy.costs is None else _costs(observed.event, policy.costs, own)
        if costs is None and observed.authentication is None:
            response = SentryResponse(confidence, reasons, UNSET, outcomes)
            inside = SentryInPipeline(ip_score, confidence, reasons, UNSET, outcomes)
            return StageResult(response, completed, facts, tags, inside=inside)
        advised = self._advised(observed, confidence, reasons)
        if costs is not None:
            facts["costs"] = costs.facts
        if advised is not None:
            facts[FACT] = advised.advised.facts
        told = told_costs(costs)
        more = (told, outcomes, *((UNSET, UNSET) if advised is None else advised[1:]))
        return StageResult(
            SentryResponse(confidence, reasons, *more),
            completed,
            facts,
            tags,
            inside=SentryInPipeline(ip_score, confidence, reasons, *more),
            verdict=costs.advice if costs is not None and completed and self._decides else None,
        )

    def _advised(
        self, observed: ObservedRequest, confidence: float, reasons: Sequence[Reason]
    ) -> AuthenticationTold | None:
        """The advice on authentication, where the account asks for it."""
        terms = observed.authentication
        if terms is None:
            return None
        scored = confidence, {each.code: each.effect for each in reasons}
        return tell_authentication(observed.view, observed.event, terms, self._table(), scored)


def _observed(case: Case) -> ObservedRequest | None:
    """What was seen of the request before the stages ran, if anything was."""
    observation = case.observation
    assert observation is None or isinstance(observation, ObservedRequest)
    return observation


def _person(view: RequestView) -> int | None:
    """A number for whom the request is of: the user, or else the card or the address."""
    user = view.user_id or view.username
    if user is not None:
        return hash(user)
    if view.card is not None:
        return hash(view.card.inner)
    return None if view.address is None else hash(view.address.household)


def _costs(event: MemoryEvent, terms: CostTerms, own: float) -> CostAdvice | None:
    """What each outcome would cost, by what the model itself says, which is calibrated."""
    return advise(terms, event.amount, event.currency, own)


def _reasons(scored: Scored, values: dict[str, float], *, shipped: bool) -> list[Reason]:
    return [
        told_reason(code, effect, values[code], shipped=shipped) for code, effect in scored.effects
    ]


def told_reason(code: str, effect: float, value: float, *, shipped: bool) -> Reason:
    """One reason; the same from what was measured as from what the record keeps of it."""
    fits = shipped or code in _PLAIN
    if not (fits and code in _CONSTANT):
        value = rounded_feature(value)
    if not fits and abs(effect) >= _LEAST_TOLD:
        fits = _SHIPPED.effect(code, value) * effect > 0
    if not fits:
        return _reason(code, effect, shown_number(value), False)
    return _reason(code, effect, "" if code in _CONSTANT else shown_number(value), True)


def is_shipped(version: object) -> bool:
    """Whether a scorecard came with some version of the package."""
    return version == _SHIPPED.version or version in earlier_scorecards()


# A scorecard has a few effects for each feature, and most sentences never change.
@lru_cache(maxsize=8192)
def _reason(code: str, effect: float, shown: str, fits: bool) -> Reason:
    told = round(effect, _EFFECT_DIGITS)
    return Reason(code, told, _sentence(code, told, shown, fits=fits))


def reason_sentence(code: str, effect: float, value: float) -> str:
    """The text of a reason: the feature's own sentence, where it is true of the value.

    A model can learn that a feature speaks the other way here, or that even a little of it counts.
    """
    fits = fits_feature(code, effect, value)
    return _sentence(code, effect, _shown(code, value, fits=fits), fits=fits)


def fits_feature(code: str, effect: float, value: float) -> bool:
    """Whether the feature's own sentence is true of a value with this effect."""
    return code in _PLAIN or _SHIPPED.effect(code, value) * effect > 0


def _shown(code: str, value: float, *, fits: bool) -> str:
    """The value as the sentence tells it."""
    return "" if fits and code in _CONSTANT else shown_number(rounded_feature(value))


def _sentence(code: str, effect: float, shown: str, *, fits: bool) -> str:
    feature = BY_CODE[code]
    if not fits:
        kind = "legitimate" if effect > 0 else "fraudulent"
        return f"Orders for which this was {shown} were more often {kind} here than others."
    if effect > 0 and feature.says_in_favour is not None:
        return feature.says_in_favour
    return feature.says.format(value=shown)


_CONSTANT: Final = frozenset(code for code, feature in BY_CODE.items() if "{" not in feature.says)
"""Features whose sentences do not tell the value."""
_UNREMEMBERED: Final = Reason(MEMORY_UNAVAILABLE.code, 0.0, MEMORY_UNAVAILABLE.says)
_SHIPPED: Final = load_scorecard()
_PLAIN: Final = frozenset(term.code for term in load_sheet().terms if not any(term.effects))
"""Features without weight in the shipped scorecard: their sentences only state the value."""
