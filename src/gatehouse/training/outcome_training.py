"""Learns one score per outcome where labels allow, and measures each on what came later."""

from typing import Final, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.sentry.outcomes import ScoredOutcome
from gatehouse.sentry.scorecard import OutcomeSheet, Sheet
from gatehouse.training.evaluation import risk_of
from gatehouse.training.examples import KINDS, NO_KIND, UNKNOWN, Examples, Rows, Values
from gatehouse.training.metrics import measure
from gatehouse.training.model_fitting import LEAST_LEGITIMATES, FitOptions, totals
from gatehouse.training.outcome_fitting import fit_outcome, is_outcome, outcome_risk
from gatehouse.training.report.phrases import OUTCOME_ALONE, OUTCOME_FEW, OUTCOME_UNTRIED
from gatehouse.training.report.report import Figures, OutcomeScoreReport

LEAST_OF_OUTCOME: Final = 50
"""Requests with an outcome from which on it has a score of its own."""
_DIGITS: Final = 6
_SECOND_MS: Final = 1000


class _Delay(Protocol):
    @property
    def label_delay_ms(self) -> int:
        """How long labels are waited for."""


class TrialOutcomes(NamedTuple):
    """What a trial could have learned from before the requests that it is measured on."""

    examples: Examples
    """With the labels that were known then."""
    own: Sheet
    begin_s: float
    """When the requests begin that it is measured on."""
    options: _Delay


class LearnedOutcomes(NamedTuple):
    """The scores of outcomes, and what is reported of each outcome."""

    sheets: tuple[OutcomeSheet, ...] = ()
    reports: tuple[OutcomeScoreReport, ...] = ()


def learn_outcomes(
    examples: Examples, own: Sheet, trial: TrialOutcomes | None, options: FitOptions
) -> LearnedOutcomes:
    """A score for each outcome with enough examples, where there are at least two such outcomes."""
    rows = _known(examples)
    counts = {each: int(is_outcome(examples, rows, each).sum()) for each in KINDS}
    enough = [each for each in KINDS if counts[each] >= LEAST_OF_OUTCOME]
    if len(enough) < 2 or len(rows) - sum(counts.values()) < LEAST_LEGITIMATES:
        # One kind of fraud is what the confidence has learned already.
        return LearnedOutcomes((), tuple(_without(each, counts, enough) for each in KINDS))
    sheets = [fit_outcome(examples, rows, each, own, options) for each in enough]
    reports = [
        _measured(examples, rows, each, trial, options, counts[each])
        if each in enough
        else _without(each, counts, enough)
        for each in KINDS
    ]
    return LearnedOutcomes(tuple(sheets), tuple(reports))


def _known(examples: Examples) -> Rows:
    """The rows of which it is known what they were, in order of time."""
    everything = np.arange(len(examples))
    labels, kinds = np.array(examples.labels, np.int8), np.array(examples.kinds, np.int8)
    rows = everything[(labels != UNKNOWN) | (kinds != NO_KIND)]
    ordered: Rows = rows[np.argsort(examples.times(rows), kind="stable")]
    return ordered


def _without(
    outcome: ScoredOutcome, counts: dict[ScoredOutcome, int], enough: list[ScoredOutcome]
) -> OutcomeScoreReport:
    """Why an outcome has no score."""
    count = counts[outcome]
    if outcome in enough:
        return OutcomeScoreReport(
            outcome, count, why=OUTCOME_ALONE(count=count, least=LEAST_OF_OUTCOME)
        )
    return OutcomeScoreReport(outcome, count, why=OUTCOME_FEW(count=count, least=LEAST_OF_OUTCOME))


def _measured(
    examples: Examples,
    rows: Rows,
    outcome: ScoredOutcome,
    trial: TrialOutcomes | None,
    options: FitOptions,
    count: int,
) -> OutcomeScoreReport:
    """How well a score does that knows nothing of the requests it is measured on."""
    if trial is None:
        return OutcomeScoreReport(outcome, count, learned=True, why=OUTCOME_UNTRIED(count=0))
    known = _known(trial.examples)
    until_s = trial.begin_s - trial.options.label_delay_ms / _SECOND_MS
    past = known[trial.examples.times(known) < until_s]
    before = int(is_outcome(trial.examples, past, outcome).sum())
    if before < LEAST_OF_OUTCOME // 2:
        return OutcomeScoreReport(outcome, count, learned=True, why=OUTCOME_UNTRIED(count=before))
    sheet = fit_outcome(trial.examples, past, outcome, trial.own, options)
    held = rows[examples.times(rows) >= trial.begin_s]
    had = is_outcome(examples, held, outcome)
    return OutcomeScoreReport(
        outcome,
        count,
        learned=True,
        score=_figures(had, outcome_risk(sheet, trial.own, examples, held)),
        confidence=_figures(had, risk_of(totals(trial.own, examples, held))),
    )


def _figures(had: NDArray[np.bool_], risk: Values) -> Figures:
    found = measure(had, risk)
    rounded = {
        name: round(value, _DIGITS)
        for name, value in msgspec.structs.asdict(found).items()
        if isinstance(value, float)
    }
    return msgspec.structs.replace(found, **rounded)
