"""What deciding by expected cost alone would have done, under each preset.

The same function works out the costs that answers do, once for each amount, confidence and label.
"""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from gatehouse.backtest.report import PresetFigures
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.figures.workspace import quoted, text
from gatehouse.sentry.costs import (
    WHOLE,
    CostPreset,
    CostTerms,
    expected_costs,
    loss,
    micros_of,
    risk_of,
    rounded,
)

CONFIDENCE: Final = "sentry.requestConfidence"
OWN_CONFIDENCE: Final = "sentry.ownConfidence"
"""What the model itself says, where that is not what is told."""

Ask = Callable[[str], list[tuple[Any, ...]]]
"""Runs a statement; its rows."""


def judge_presets(ask: Ask, requests: str, terms: CostTerms) -> tuple[PresetFigures, ...]:
    """How each preset would have decided the requests that a query finds.

    Those count that have an amount in the currency of the terms, and a confidence of Sentry.
    """
    confidence = f"coalesce({quoted(OWN_CONFIDENCE)}, {quoted(CONFIDENCE)})"
    rows = ask(
        f"SELECT amount, {confidence}, fraud, count(*) FROM ({requests}) "  # noqa: S608  # names
        f"WHERE currency = {text(terms.currency)} AND amount > 0 AND {confidence} IS NOT NULL "
        "GROUP BY ALL"
    )
    tallies = [_PresetTally(preset, terms) for preset in CostPreset]
    unit = micros_of(1, terms.currency)
    for amount, sure, fraud, count in rows:
        minor = rounded(int(Decimal(amount) * MICROS_PER_UNIT), unit)
        for tally in tallies:
            tally.add(minor, risk_of(sure), fraud, int(count))
    return tuple(tally.figures() for tally in tallies) if rows else ()


class _PresetTally:
    """Counts what one preset would have done."""

    def __init__(self, preset: CostPreset, terms: CostTerms) -> None:
        self._preset = preset
        self._terms = terms
        self._outcomes: Counter[str] = Counter()
        self._lost = self._turned_away = self._cost = 0
        """The last in parts of the smallest unit, so that it is rounded once."""

    def add(self, amount: int, risk: int, fraud: bool | None, count: int) -> None:
        """Count requests that have all of this in common."""
        costs = expected_costs(self._terms, amount, risk, self._preset)
        advice = costs.advice
        self._outcomes[str(advice)] += count
        if fraud is None:
            return
        if fraud and advice is Outcome.ACCEPT:
            self._lost += count * amount
        if not fraud and advice is Outcome.DECLINE:
            self._turned_away += count * amount
        # Where a review does not find the truth, the better of the other two remains.
        accepts = advice is Outcome.ACCEPT or (
            advice is Outcome.REVIEW and costs.accept <= costs.decline
        )
        self._cost += count * self._spent(amount, advice, fraud=fraud, accepts=accepts)

    def _spent(self, amount: int, advice: Outcome, *, fraud: bool, accepts: bool) -> int:
        """What a request cost that turned out so, in parts of the smallest unit."""
        terms = self._terms
        wrong = 0
        if fraud and accepts:
            wrong = loss(terms, amount)
        elif not fraud and not accepts:
            wrong = terms.margin * amount
        if advice is not Outcome.REVIEW:
            return wrong * WHOLE
        return terms.review_cost * WHOLE * WHOLE + wrong * (WHOLE - terms.review_finds)

    def figures(self) -> PresetFigures:
        """What was counted."""
        currency = self._terms.currency
        unit = micros_of(1, currency)
        return PresetFigures(
            self._preset,
            dict(self._outcomes),
            {currency: self._lost * unit},
            {currency: self._turned_away * unit},
            {currency: rounded(self._cost, WHOLE * WHOLE) * unit},
        )
