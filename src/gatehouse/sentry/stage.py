"""Sentry as a stage of the engine: looks, remembers, measures, scores, and words the result."""

from typing import Any, Final

from gatehouse.core.case import Case, StageResult
from gatehouse.intel.networks import AddressBook
from gatehouse.sentry.entities import Keeper, sighting_of
from gatehouse.sentry.look import Look, look_at
from gatehouse.sentry.memory import Memory, Sighting
from gatehouse.sentry.policy import DEFAULT_POLICY, SentryPolicy
from gatehouse.sentry.recorded import STAGE, event_facts
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.scorecard import Scorecard, Scored
from gatehouse.sentry.signals.catalogue import BY_CODE, measure_all
from gatehouse.sentry.words import Reason, SentryInPipeline, SentryResponse

_DIGITS: Final = 4
_EFFECT_DIGITS: Final = 3


class SentryStage:
    """Judges how far a request can be trusted."""

    name = STAGE
    fee_type = "SENTRY"

    def __init__(
        self,
        book: AddressBook,
        memory: Memory,
        scorecard: Scorecard,
        keeper: Keeper,
        *,
        time_limit_ms: int,
    ) -> None:
        self.time_limit_ms = time_limit_ms
        self._book = book
        self._memory = memory
        self._scorecard = scorecard
        self._keeper = keeper

    async def run(self, case: Case) -> StageResult:
        """Score the request in the light of what was seen before."""
        look = self._look(case)
        sighting = self._sighting(case, look)
        look.past = await self._memory.witness(sighting)
        if look.past.counted:
            case.afterwards.append(lambda done: self._settle(sighting, done=done))
        return self._result(look, sighting, completed=True)

    def unavailable(self, case: Case) -> StageResult:
        """The memory did not answer: what can be said without it, free of charge."""
        look = self._look(case)
        return self._result(look, self._sighting(case, look), completed=False)

    def _look(self, case: Case) -> Look:
        request = case.input(self.name, SentryRequest)
        return look_at(request, case.at_ms / 1000, self._book, case.card)

    def _sighting(self, case: Case, look: Look) -> Sighting:
        policy = case.policies.get(self.name, DEFAULT_POLICY)
        assert isinstance(policy, SentryPolicy)
        return sighting_of(case.account_id, look, policy, self._keeper)

    def _settle(self, sighting: Sighting, *, done: bool) -> None:
        """What another party failed to answer does not count against the customer."""
        if not done:
            self._memory.retract(sighting)

    def _result(self, look: Look, sighting: Sighting, *, completed: bool) -> StageResult:
        values = measure_all(look)
        scored = self._scorecard.score(values)
        confidence = round(scored.confidence, _DIGITS)
        ip_score = round(scored.ip_confidence, _DIGITS)
        reasons = _reasons(scored, values)
        past = look.past
        facts: dict[str, Any] = {
            "requestConfidence": confidence,
            "ipScore": ip_score,
            "model": self._scorecard.version,
            "reasons": {each.code: each.effect for each in reasons},
            "signals": {code: round(value, _DIGITS) for code, value in values.items()},
            "event": event_facts(sighting, counted=past is not None and past.counted),
        }
        return StageResult(
            SentryResponse(confidence, reasons),
            completed,
            facts,
            tags=tuple([each.code for each in reasons if each.effect < 0]),
            inside=SentryInPipeline(ip_score, confidence, reasons),
        )


# Most sentences are always the same.
_SENTENCES: Final = {code: each.says for code, each in BY_CODE.items() if "{" not in each.says}


def _reasons(scored: Scored, values: dict[str, float]) -> list[Reason]:
    return [
        Reason(
            code,
            round(effect, _EFFECT_DIGITS),
            _SENTENCES.get(code) or BY_CODE[code].sentence(values[code]),
        )
        for code, effect in scored.effects
    ]
