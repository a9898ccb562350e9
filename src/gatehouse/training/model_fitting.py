"""Fitting: a scorecard from examples.

Features with enough evidence are learned; the terms of all others stay as they were. The result is
a sheet like the shipped one, so that scoring needs to know nothing about training.
"""

import math
from collections.abc import Sequence
from typing import Final, Literal

import msgspec
import numpy as np

from gatehouse.core.errors import InvalidInput
from gatehouse.sentry.scorecard import Prior, Sheet, Term, logit
from gatehouse.training import boosting, regression
from gatehouse.training.binning import Additive, Binned, put_into_bins
from gatehouse.training.calibrating import doubt_about, find_constant, find_slope, latest
from gatehouse.training.examples import FRAUD, UNKNOWN, Examples, Rows, Values
from gatehouse.training.report.phrases import TRAINING_LITTLE
from gatehouse.training.sampling import Sample, has_evidence, take_sample
from gatehouse.training.shaping import as_effects, make_shape
from gatehouse.training.shrinking import bags_for, base_scores, share_of_base, summed

LEAST_FRAUDS: Final = 10
LEAST_LEGITIMATES: Final = 100
ENOUGH_FOR_BOOSTING: Final = 50
"""Frauds from which on boosting finds more than regression does."""
LEAST_MEASURED: Final = 20
"""Rows in which a feature must have been measured to be learned."""

LEAST_TOLD: Final = 0.25
"""A fit finds a little in everything; effects below a quarter are no reasons."""

_FARTHEST_PRIOR: Final = 30.0
"""In log-odds; beyond it a probability has no digits left to say how much."""

FitMethod = Literal["auto", "ebm", "logistic"]


class FitOptions(msgspec.Struct, frozen=True):
    """How to fit."""

    method: FitMethod = "auto"
    """Boosting or regression; auto chooses by the number of frauds."""
    seed: int = 7
    legitimate_per_fraud: int = 10
    bags: int = 2
    """How many times boosting is done, each time with other rows held back."""


class Fitted(msgspec.Struct, frozen=True):
    """A sheet, and what it was learned from."""

    sheet: Sheet
    method: str
    frauds: int
    legitimates: int
    learned: tuple[str, ...]
    """The codes whose terms the data made; the others are those of the base."""
    doubt: str | None = None
    """Why its confidence follows all rows and not the latest; None if it follows those."""


def fit(examples: Examples, rows: Rows, base: Sheet, version: str, options: FitOptions) -> Fitted:
    """Learn a sheet from these rows; terms without enough evidence stay as in the base."""
    rows = rows[examples.outcomes(rows) != UNKNOWN]
    fraud = (examples.outcomes(rows) == FRAUD).astype(np.float64)
    frauds = int(fraud.sum())
    legitimates = len(rows) - frauds
    _check_enough(frauds, legitimates)
    method = options.method
    if method == "auto":
        method = "ebm" if frauds >= ENOUGH_FOR_BOOSTING else "logistic"
    sample = take_sample(
        examples,
        rows,
        legitimate_per_fraud=options.legitimate_per_fraud,
        most=boosting.MOST_ROWS if method == "ebm" else regression.MOST_ROWS,
        seed=options.seed,
    )
    features = learnable(examples.codes, base, sample, method)
    kept = _without(base, {feature.code for feature in features})
    offset = -totals(kept, examples, sample.rows)
    # What little evidence there is comes on top of a share of what the base says.
    said = base_scores(features, base, examples.codes, sample, share_of_base(frauds))
    begun = summed(features, said, len(offset))
    options = msgspec.structs.replace(options, bags=bags_for(frauds, options.bags))
    found = learn(sample, features, offset + begun, method, options)
    additive = Additive(
        [one + other for one, other in zip(found.scores, said, strict=True)],
        found.held_back + begun,
    )
    in_order = np.argsort(examples.times(sample.rows), kind="stable")
    shapes = [
        make_shape(feature, scores, sample, in_order)
        for feature, scores in zip(features, additive.scores, strict=True)
    ]
    times = examples.times(rows)
    recent = latest(times, fraud)
    doubt = doubt_about(recent, fraud)
    if doubt is not None:
        recent = np.arange(len(rows))
    slope = held_back_slope(additive, sample, offset, rows[recent])
    why = f"Learned from {len(rows)} requests, {frauds} of them fraud."
    learned = {
        feature.code: as_effects(shape, slope)
        for feature, shape in zip(features, shapes, strict=True)
    }
    terms = tuple(
        Term(term.code, *learned[term.code], why, None, term.about_address)
        if term.code in learned
        else term
        for term in base.terms
    )
    sheet = Sheet(version, Prior(0.5, why), max(base.report_from, LEAST_TOLD), terms)
    constant = find_constant(-totals(sheet, examples, rows[recent]), float(fraud[recent].mean()))
    return Fitted(
        msgspec.structs.replace(sheet, prior=Prior(_confidence(-constant), why)),
        method,
        frauds,
        legitimates,
        tuple(learned),
        doubt,
    )


def totals(sheet: Sheet, examples: Examples, rows: Rows) -> Values:
    """The log-odds of being legitimate that a scorecard of the sheet gives each of the rows."""
    sums = np.full(len(rows), logit(sheet.prior.confidence))
    places = {code: place for place, code in enumerate(examples.codes)}
    terms = [
        (places[term.code], np.array(term.cuts), np.array(term.effects), term.family)
        for term in sheet.terms
        if term.code in places
    ]
    for here, matrix in examples.pieces(rows):
        strongest: dict[str, Values] = {}
        for place, cuts, effects, family in terms:
            column = matrix[:, place]
            measured = np.flatnonzero(~np.isnan(column))
            if not len(measured):
                continue
            found = effects[np.searchsorted(cuts, column[measured], side="right")]
            if family is None:
                sums[here][measured] += found
                continue
            sums[here][measured] += np.maximum(found, 0.0)
            # Of a family only the strongest that lowers the score counts.
            worst = strongest.setdefault(family, np.zeros(len(column)))
            worst[measured] = np.minimum(worst[measured], found)
        for worst in strongest.values():
            sums[here] += worst
    return sums


def _check_enough(frauds: int, legitimates: int) -> None:
    if frauds < LEAST_FRAUDS or legitimates < LEAST_LEGITIMATES:
        raise InvalidInput(
            TRAINING_LITTLE(
                frauds=frauds,
                legitimates=legitimates,
                frauds_needed=LEAST_FRAUDS,
                legitimates_needed=LEAST_LEGITIMATES,
            )
        )


def learnable(codes: Sequence[str], base: Sheet, sample: Sample, method: str) -> list[Binned]:
    """The features with enough evidence in the sample, in bins."""
    frauds = int(sample.fraud.sum())
    most = boosting.bins_for(frauds) if method == "ebm" else regression.BINS
    known = {term.code for term in base.terms}
    masses = sample.masses
    found = []
    for place, code in enumerate(codes):
        column = sample.matrix[:, place]
        if code in known and _has_evidence(column, sample):
            found.append(put_into_bins(code, column, masses, most))
    return found


def _has_evidence(column: Values, sample: Sample) -> bool:
    """Whether enough rows have the feature measured, and enough differ from the commonest value."""
    if np.count_nonzero(~np.isnan(column)) < LEAST_MEASURED:
        return False
    _, which, counts = np.unique(column, return_inverse=True, return_counts=True, equal_nan=True)
    return has_evidence(which != np.argmax(counts), sample)


def _without(base: Sheet, codes: set[str]) -> Sheet:
    """All other terms, with an even prior."""
    terms = tuple(term for term in base.terms if term.code not in codes)
    return Sheet(base.version, Prior(0.5, base.prior.why), base.report_from, terms)


def learn(
    sample: Sample, features: list[Binned], offset: Values, method: str, options: FitOptions
) -> Additive:
    """What the features say beside an offset, by the method."""
    if not features:
        return Additive([], np.full(len(offset), np.nan))
    if method == "logistic":
        return regression.regress(sample, features, offset)
    return boosting.boost(sample, features, offset, bags=options.bags, seed=options.seed)


def held_back_slope(additive: Additive, sample: Sample, offset: Values, recent: Rows) -> float:
    """How much of what was learned holds for recent rows that were held back."""
    judged = ~np.isnan(additive.held_back) & np.isin(sample.rows, recent)
    if not judged.any():
        return 1.0
    return find_slope(
        additive.held_back[judged], offset[judged], sample.fraud[judged], sample.weights[judged]
    )


def _confidence(total: float) -> float:
    return 1 / (1 + math.exp(-max(-_FARTHEST_PRIOR, min(total, _FARTHEST_PRIOR))))
