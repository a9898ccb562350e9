"""Fits the score of one outcome: how it differs from all other requests, beside the confidence.

Requests with another outcome count as all others do, so that the score says how probable just this
one is. A share of the confidence stands at the beginning; it falls as the examples become more.
"""

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.sentry.outcomes import ScoredOutcome
from gatehouse.sentry.scorecard import LARGEST_TOTAL, OutcomeSheet, OutcomeTerm, Prior, Sheet, Term
from gatehouse.training import boosting, regression
from gatehouse.training.calibrating import doubt_about, find_constant, latest
from gatehouse.training.examples import FRAUD, KINDS, LEGITIMATE, Examples, Rows, Values
from gatehouse.training.model_fitting import (
    ENOUGH_FOR_BOOSTING,
    FitOptions,
    held_back_slope,
    learn,
    learnable,
    totals,
)
from gatehouse.training.sampling import take_sample
from gatehouse.training.shaping import as_effects, make_shape
from gatehouse.training.shrinking import bags_for, share_of_base

_CONSTANT_DIGITS: Final = 4
_ANSWERED_DIGITS: Final = 4
_EVEN: Final = Prior(0.5, "Nothing but the terms counts.")


def is_outcome(examples: Examples, rows: Rows, outcome: ScoredOutcome) -> NDArray[np.bool_]:
    """Which of the rows had this outcome."""
    if not len(examples):
        return np.empty(0, np.bool_)
    kinds: NDArray[np.int8] = np.frombuffer(examples.kinds, np.int8)[rows]
    found: NDArray[np.bool_] = kinds == KINDS.index(outcome)
    return found


def fit_outcome(
    examples: Examples, rows: Rows, outcome: ScoredOutcome, own: Sheet, options: FitOptions
) -> OutcomeSheet:
    """Learn the score of an outcome from rows with and without it, beside the model's own sheet."""
    everything = np.arange(len(examples))
    had = np.where(is_outcome(examples, everything, outcome), FRAUD, LEGITIMATE).astype(np.int8)
    examples = examples.with_labels(had)
    positive = (had[rows] == FRAUD).astype(np.float64)
    count = int(positive.sum())
    method = options.method
    if method == "auto":
        method = "ebm" if count >= ENOUGH_FOR_BOOSTING else "logistic"
    sample = take_sample(
        examples,
        rows,
        legitimate_per_fraud=options.legitimate_per_fraud,
        most=boosting.MOST_ROWS if method == "ebm" else regression.MOST_ROWS,
        seed=options.seed,
    )
    # What speaks for fraud by a stranger says nothing of what cardholders do themselves.
    share = 0.0 if outcome is ScoredOutcome.ABUSE else round(share_of_base(count), 4)
    offset = -share * totals(own, examples, sample.rows)
    features = learnable(examples.codes, own, sample, method)
    options = msgspec.structs.replace(options, bags=bags_for(count, options.bags))
    found = learn(sample, features, offset, method, options)
    in_order = np.argsort(examples.times(sample.rows), kind="stable")
    shapes = [
        make_shape(feature, scores, sample, in_order)
        for feature, scores in zip(features, found.scores, strict=True)
    ]
    recent = latest(examples.times(rows), positive)
    if doubt_about(recent, positive) is not None:
        recent = np.arange(len(rows))
    slope = held_back_slope(found, sample, offset, rows[recent])
    terms = [
        OutcomeTerm(feature.code, cuts, tuple(-effect or 0.0 for effect in effects))
        for feature, shape in zip(features, shapes, strict=True)
        for cuts, effects in (as_effects(shape, slope),)
        if any(effects)
    ]
    sheet = OutcomeSheet(outcome, 0.0, share, tuple(terms))
    odds = outcome_odds(sheet, own, examples, rows[recent])
    constant = find_constant(odds, float(positive[recent].mean()))
    return msgspec.structs.replace(sheet, constant=round(constant, _CONSTANT_DIGITS))


def outcome_odds(sheet: OutcomeSheet, own: Sheet, examples: Examples, rows: Rows) -> Values:
    """The log-odds of an outcome that a model gives each of the rows."""
    terms = tuple(
        Term(each.code, each.cuts, tuple(-effect for effect in each.effects), _EVEN.why)
        for each in sheet.terms
    )
    odds = sheet.constant - totals(Sheet(own.version, _EVEN, 0.0, terms), examples, rows)
    if sheet.of_confidence:
        odds = odds - sheet.of_confidence * totals(own, examples, rows)
    found: Values = odds
    return found


def outcome_risk(sheet: OutcomeSheet, own: Sheet, examples: Examples, rows: Rows) -> Values:
    """The same as probabilities, bounded and rounded as in answers."""
    odds = outcome_odds(sheet, own, examples, rows)
    risk: Values = 1 / (1 + np.exp(-np.clip(odds, -LARGEST_TOTAL, LARGEST_TOTAL)))
    return risk.round(_ANSWERED_DIGITS)
