"""How well a model of some requests tells fraud among later ones.

It is fitted as a training fits, so that what is said of it holds for a model that is kept.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatehouse.sentry.scorecard import load_sheet
from gatehouse.training.audit.counts import area_of
from gatehouse.training.binning import bins_of
from gatehouse.training.examples import Values
from gatehouse.training.intervals import area_interval
from gatehouse.training.model_fitting import ENOUGH_FOR_BOOSTING, FitOptions, learn, learnable
from gatehouse.training.sampling import Sample

CHANCE: Final = 0.5
_WIDEST: Final = 0.2
"""Of an interval; a wider one holds good models and bad ones."""


class Area(NamedTuple):
    """An area under the ROC curve, and the interval in which chance could have put it."""

    value: float
    low: float
    high: float

    @property
    def is_inverted(self) -> bool:
        """Whether frauds surely rank below honest requests."""
        return self.high < CHANCE

    @property
    def is_chance(self) -> bool:
        """Whether guessing would do as well."""
        return self.low <= CHANCE <= self.high

    @property
    def is_vague(self) -> bool:
        """Whether there are too few requests to say anything by it."""
        return self.high - self.low > _WIDEST

    @property
    def figures(self) -> tuple[float, float, float]:
        """What is told of it."""
        return round(self.value, 3), round(self.low, 3), round(self.high, 3)


def measured_area(fraud: NDArray[np.bool_], risk: Values) -> Area:
    """The area of a risk that each request was given; both kinds must be among them."""
    value, frauds = area_of(fraud, risk), int(fraud.sum())
    low, high = area_interval(value, frauds, len(fraud) - frauds) or (0.0, 1.0)
    return Area(value, low, high)


def areas_later(codes: Sequence[str], learned: Sample, later: Sequence[Sample]) -> list[Area]:
    """How a model of the learned requests does on each of the later parts."""
    method = "ebm" if learned.fraud.sum() >= ENOUGH_FOR_BOOSTING else "logistic"
    features = learnable(codes, load_sheet(), learned, method)
    options = FitOptions(bags=1)
    scores = learn(learned, features, np.zeros(len(learned.fraud)), method, options).scores
    places = {code: place for place, code in enumerate(codes)}
    areas = []
    for part in later:
        risks = np.zeros(len(part.fraud))
        for feature, said in zip(features, scores, strict=True):
            risks += said[bins_of(part.matrix[:, places[feature.code]], feature.cuts)]
        areas.append(measured_area(part.fraud > 0, risks))
    return areas
