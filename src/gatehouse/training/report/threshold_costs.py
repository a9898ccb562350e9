"""What each threshold of a report would have cost an account, and which is best for whom.

Every fraud that a threshold lets through costs its amount with the fees, every honest order that it
declines its margin. These are sums over what became of the requests, not expectations. They are
worked out when a report is shown, so that they follow the costs that the account has set by now.
"""

from decimal import Decimal
from typing import NamedTuple

from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.sentry.costs import WHOLE, CostPreset, CostTerms, micros_of, rounded, weighed
from gatehouse.training.report.report import Curves, ModelReport, OrderValue, Threshold


class ThresholdCost(NamedTuple):
    """What one threshold would have cost."""

    below: float
    micros: int
    """In millionths of the currency's unit, rounded once to its smallest unit, halves up."""
    best_for: tuple[CostPreset, ...]
    """The presets for which no other threshold of the table is cheaper."""


def threshold_costs(report: ModelReport, terms: CostTerms | None) -> tuple[ThresholdCost, ...]:
    """The cost of each threshold, in order; nothing where it is not known.

    Reports of earlier versions do not say how many frauds there were in each currency.
    """
    curves = measured_curves(report)
    if terms is None or not curves.thresholds:
        return ()
    known = [each.currency for each in report.holdout_fraud]
    if terms.currency not in known or len(report.holdout_frauds) != len(known):
        return ()
    place = known.index(terms.currency)
    every = _micros(report.holdout_fraud[place]), report.holdout_frauds[place]
    parts = [_parts(each, place, every, terms) for each in curves.thresholds]
    best = {
        preset: min(range(len(parts)), key=lambda row: weighed(preset, *parts[row]))
        for preset in CostPreset
    }
    unit = micros_of(1, terms.currency)
    return tuple(
        ThresholdCost(
            each.below,
            rounded(sum(parts[row]), WHOLE * unit) * unit,
            tuple(preset for preset, chosen in best.items() if chosen == row),
        )
        for row, each in enumerate(curves.thresholds)
    )


def measured_curves(report: ModelReport) -> Curves:
    """The curves of the model; of the one in force then, where the model was not measured."""
    return report.current if report.figures.candidate is None else report.candidate


def _parts(one: Threshold, place: int, every: tuple[int, int], terms: CostTerms) -> tuple[int, int]:
    """What is lost by fraud and what is not earned, in ten-thousandths of millionths.

    `place` is that of the currency, and `every` what all frauds are worth and how many they are.
    """
    amount = every[0] - _micros(one.fraud_stopped[place])
    frauds = every[1] - one.frauds_stopped[place]
    fee = micros_of(terms.chargeback_fee, terms.currency)
    lost = amount * (WHOLE + terms.fee_share) + frauds * fee * WHOLE
    return lost, _micros(one.legitimate_refused[place]) * terms.margin


def _micros(value: OrderValue) -> int:
    return int(Decimal(bytes(value.amount).decode()) * MICROS_PER_UNIT)
