"""Makes Sentry's answer again from what a decision record keeps of it."""

from gatehouse.core.stages.stage import AnsweredAgain, RecordedResult
from gatehouse.sentry.authentication.advice import AdvisedPayment
from gatehouse.sentry.authentication.told import told_advice
from gatehouse.sentry.costs import CostAdvice
from gatehouse.sentry.explaining import recorded_reasons
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.reasons import REMARKS
from gatehouse.sentry.response import (
    Reason,
    SentryInPipeline,
    SentryResponse,
    told_costs,
    told_outcomes,
)
from gatehouse.sentry.stage import is_shipped, told_reason


def answer_again(result: RecordedResult) -> AnsweredAgain:
    """The confidence and its reasons, with their sentences as this version words them."""
    facts = result.facts
    values, shipped = facts.get("signals") or {}, is_shipped(facts["model"])
    reasons = [
        _reason(code, effect, values.get(code), shipped=shipped)
        for code, effect in recorded_reasons(facts).items()
    ]
    tags = [each.code for each in reasons if each.effect < 0]
    sure, costs = facts["requestConfidence"], told_costs(CostAdvice.recorded(facts))
    # What was told for a 3-D Secure server is not kept: the memory has moved on.
    told = (
        costs,
        told_outcomes(facts.get("outcomeScores")),
        told_advice(AdvisedPayment.recorded(facts)),
    )
    if result.alone:
        return AnsweredAgain(SentryResponse(sure, reasons, *told), tags)
    return AnsweredAgain(SentryInPipeline(facts["ipScore"], sure, reasons, *told), tags)


def _reason(code: str, effect: float, value: float | None, *, shipped: bool) -> Reason:
    if code in REMARKS:
        return Reason(code, effect, REMARKS[code].says)
    if code not in BY_CODE or value is None:
        # Another version of Gatehouse measured it.
        return Reason(code, effect, "")
    return told_reason(code, effect, value, shipped=shipped)
