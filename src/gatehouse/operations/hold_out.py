"""Lets a capped share of would-be declines through, so that false positives can be measured.

Only what rules alone decline is let through. An order that another stage refuses stays refused, and
so does one that a list, a block feed or the issuer's answer stands against.
"""

import asyncio
import logging
from typing import Final, Protocol

import msgspec

from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.stages.case import Case, Ruling, StageResult
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.signal_layout import rules_signals
from gatehouse.gateway.payment import UnfitPayment, read_payment
from gatehouse.pipeline.experiment import Experiment
from gatehouse.rules.response import RulesResponse
from gatehouse.rules.ruleset import Rule
from gatehouse.rules.stage import RulesStage

TAG: Final = "hold-out"
"""What the answer and the decision of an order that was let through have among their tags."""
_DECLINE: Final = Outcome.DECLINE
_ACCEPT: Final = Outcome.ACCEPT
_ASK_S: Final = 0.5
"""How long the caps are asked; after that the decline stands."""
_NEVER: Final = ("precheck.", "gateway.", "idverify.", "ip.blocked", "ring.fraud", "ring.near")
"""What a rule names that is not tried: what others answered, block feeds, known fraud nearby."""
_log: Final = logging.getLogger("gatehouse.operations")


class DailyCaps(Protocol):
    """Says whether one more order is within the day's caps, and counts it if so."""

    async def take(self, experiment: Experiment, at_ms: int, minor_units: int) -> bool:
        """Whether it is; what was taken is never given back."""


class HoldOutStage:
    """Decides by a rule set, and accepts what it alone would decline, within the caps."""

    def __init__(self, ruling: RulesStage, experiment: Experiment, caps: DailyCaps) -> None:
        self.name = ruling.name
        self.fee_type = ruling.fee_type
        self.time_limit_ms = ruling.time_limit_ms
        self._ruling = ruling
        self._experiment = experiment
        self._caps = caps
        tried = [rule.name for rule in ruling.rules if may_be_tried(rule)]
        self._tried = frozenset(tried)

    def run_now(self, case: Case) -> StageResult | None:
        """What the rules decide; None where the caps have to be asked first."""
        result = self._ruling.run_now(case)
        return result if self._minor_units(case, result) is None else None

    async def run(self, case: Case) -> StageResult:
        """What the rules decide, or that the order is let through."""
        result = self._ruling.run_now(case)
        minor_units = self._minor_units(case, result)
        if minor_units is None:
            return result
        try:
            async with asyncio.timeout(_ASK_S):
                taken = await self._caps.take(self._experiment, case.at_ms, minor_units)
        except (TimeoutError, StoreUnavailable):
            _log.warning("the caps of a hold-out could not be asked")
            taken = False
        return self._let_through(case, result) if taken else result

    def unavailable(self, case: Case) -> StageResult:
        """The rules could not be asked."""
        return self._ruling.unavailable(case)

    def _minor_units(self, case: Case, result: StageResult) -> int | None:
        """What the order comes to, if it may be let through; None if its decline stands."""
        response, caps = result.response, self._experiment.caps
        if result.verdict is not _DECLINE or caps is None:
            return None
        assert isinstance(response, RulesResponse)
        for each in response.matched_rules:
            if each.outcome is not _ACCEPT and each.id not in self._tried:
                return None
        for other in case.results.values():
            if other.declined or other.mismatched or not other.completed:
                return None
            if other.verdict is not None and other.verdict is not _ACCEPT:
                return None
        amount, currency = (case.signals.get(f"order.{name}") for name in ("amount", "currency"))
        if amount is None or currency != caps.currency:
            return None
        try:
            return read_payment(amount, currency).amount_minor
        except UnfitPayment:
            return None

    def _let_through(self, case: Case, result: StageResult) -> StageResult:
        place = self._ruling.place
        which, names = case.rulings[place].which, result.facts["matched"]
        case.rulings[place] = Ruling(which, _ACCEPT, names)
        case.signals.update(rules_signals(_ACCEPT, names, True))
        tags = (*result.tags, TAG)
        facts = {**result.facts, "status": _ACCEPT.value, "tags": tags, "letThrough": True}
        assert isinstance(result.response, RulesResponse)
        response = RulesResponse(_ACCEPT, result.response.matched_rules)
        return msgspec.structs.replace(
            result, response=response, facts=facts, tags=tags, verdict=_ACCEPT
        )


def may_be_tried(rule: Rule) -> bool:
    """Whether what this rule declines may be let through."""
    condition = rule.condition
    return (
        rule.outcome is _DECLINE
        and not condition.lists
        and not any(signal.startswith(_NEVER) for signal in condition.signals)
    )
