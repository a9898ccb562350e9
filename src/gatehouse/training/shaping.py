"""Shapes: turns what a fit found about a feature into a term that people can read.

A fit gives the odds of fraud in many small steps, also for rows without a measurement. A term gives
the odds of a legitimate request in a few steps, and a missing measurement is worth nothing.
"""

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.training.binning import NOT_MEASURED, Binned
from gatehouse.training.examples import Rows, Values
from gatehouse.training.sampling import Sample, has_evidence

MOST_CUTS: Final = 32
LEAST_DIFFERENCE: Final = 0.01
"""Neighbouring steps that differ by less are one."""
FARTHEST_NOT_MEASURED: Final = 4.0
"""The most that a missing measurement is worth, in log-odds. Many features are often missing at
once, and together they would outweigh everything that was measured."""
EFFECT_DIGITS: Final = 4
_MOST_ASTRAY: Final = 0.05
_LEAST_MASS: Final = 1e-9


class FeatureShape(msgspec.Struct, frozen=True):
    """What one feature adds to the log-odds of fraud."""

    cuts: tuple[float, ...]
    scores: tuple[float, ...]
    """One more than cuts; relative to a request of which the feature was not measured."""
    shift: float
    """What was taken from the scores, and belongs to the constant instead."""


def make_shape(binned: Binned, scores: Values, sample: Sample, in_order: Rows) -> FeatureShape:
    """The shape of a feature from the scores of its bins; `in_order` sorts the sample by time."""
    masses = np.bincount(binned.bins, sample.masses, minlength=binned.size).astype(np.float64)
    shift = _not_measured(binned, scores, sample, in_order)
    cuts, steps = _join(list(binned.cuts), scores[1:] - shift, masses[1:])
    return FeatureShape(tuple(cuts), tuple(float(step) for step in steps), shift)


def _not_measured(binned: Binned, scores: Values, sample: Sample, in_order: Rows) -> float:
    """The worth of a missing measurement; that of an ordinary request without evidence."""
    weights = np.bincount(binned.bins, sample.weights, minlength=binned.size)
    ordinary = float(weights[1:] @ scores[1:] / weights[1:].sum())
    missing = binned.bins == NOT_MEASURED
    if not has_evidence(missing, sample) or _is_newer(missing[in_order]):
        return ordinary
    apart = float(scores[NOT_MEASURED]) - ordinary
    return ordinary + max(-FARTHEST_NOT_MEASURED, min(apart, FARTHEST_NOT_MEASURED))


def _is_newer(missing: NDArray[np.bool_]) -> bool:
    """Whether a feature began in the middle: missing in nearly all requests, then in hardly any.

    A missing measurement then says that the request is old, and nothing about its customer.
    """
    before = int(np.count_nonzero(missing))
    astray = int(np.count_nonzero(~missing[:before]))
    return astray <= _MOST_ASTRAY * min(before, len(missing) - before)


def _join(cuts: list[float], scores: Values, masses: Values) -> tuple[list[float], Values]:
    """Join neighbours, first those that differ least, until the rest differ enough."""
    masses = masses + _LEAST_MASS
    while cuts:
        apart = np.abs(np.diff(scores))
        lost = apart**2 * masses[1:] * masses[:-1] / (masses[1:] + masses[:-1])
        if len(cuts) <= MOST_CUTS:
            lost[apart >= LEAST_DIFFERENCE] = np.inf
        at = int(np.argmin(lost))
        if np.isinf(lost[at]):
            break
        both = masses[at] + masses[at + 1]
        scores[at] = (masses[at] * scores[at] + masses[at + 1] * scores[at + 1]) / both
        masses[at] = both
        scores, masses = np.delete(scores, at + 1), np.delete(masses, at + 1)
        del cuts[at]
    return cuts, scores


def as_effects(shape: FeatureShape, slope: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Cuts and effects of a term: the log-odds of being legitimate, in steps that differ."""
    cuts: list[float] = []
    effects = [_effect(shape.scores[0], slope)]
    for cut, score in zip(shape.cuts, shape.scores[1:], strict=True):
        effect = _effect(score, slope)
        if effect != effects[-1]:
            cuts.append(cut)
            effects.append(effect)
    return tuple(cuts), tuple(effects)


def _effect(score: float, slope: float) -> float:
    # Adding zero turns a negative zero into a plain one.
    return round(-slope * score, EFFECT_DIGITS) + 0.0
