"""Which requests without a label count as legitimate, and which labels were known when.

Most legitimate orders are never labelled. So a missing label counts as legitimate, but only where a
fraud would have been reported: not for refused orders, nor before the first report.
"""

from typing import Final

import msgspec
import numpy as np

from gatehouse.training.examples import FRAUD, LEGITIMATE, NO_KIND, UNKNOWN, Examples, Rows
from gatehouse.training.model_fitting import LEAST_FRAUDS
from gatehouse.training.report.phrases import LATE_LABELS, TOLD_ALL, span_text

_SECOND_MS: Final = 1000
_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 86_400_000


class Presumed(msgspec.Struct, frozen=True):
    """What became of the requests without a label."""

    legitimates: int = 0
    doubtful: int = 0
    """How many stay unknown because they were refused, await review, or repeat another."""
    early: int = 0
    """How many others stay unknown because they came before the first report."""


class Hindsight(msgspec.Struct, frozen=True):
    """What could be learned from at an earlier moment."""

    examples: Examples
    rows: Rows
    warnings: tuple[str, ...] = ()


def presume(examples: Examples, reported_since_s: float | None) -> Presumed:
    """Label requests without a label as legitimate, where a fraud would have been reported.

    That is so from the first of these on that has a label, or from `reported_since_s` on, if
    something was reported of an earlier request.
    """
    rows = np.arange(len(examples))
    outcomes, times = examples.outcomes(rows), examples.times(rows)
    # Of what is known to be abuse, nothing is presumed.
    unlabelled = (outcomes == UNKNOWN) & (np.array(examples.kinds, np.int8) == NO_KIND)
    earliest = np.inf if reported_since_s is None else reported_since_s
    reporting_s = float(times[~unlabelled].min(initial=earliest))
    doubtful = unlabelled & (np.array(examples.doubtful, np.int8) != 0)
    early = unlabelled & ~doubtful & (times < reporting_s)
    chosen = np.flatnonzero(unlabelled & ~doubtful & ~early)
    for row in chosen.tolist():
        examples.set_label(row, fraud=False)
    return Presumed(len(chosen), int(doubtful.sum()), int(early.sum()))


def known_at(
    examples: Examples, rows: Rows, moment_s: float, delay_ms: int, *, presume: bool
) -> Hindsight:
    """The rows and labels that could be learned from at a moment, given the delay of labels.

    Rows that were reported later have no label yet, and count as legitimate where allowed.
    """
    before = rows[examples.times(rows) < moment_s - delay_ms / _SECOND_MS]
    labels = np.array(examples.labels, np.int8)
    late = np.array(examples.known_s) > moment_s
    kinds = np.array(examples.kinds, np.int8)
    labels[late], kinds[late] = UNKNOWN, NO_KIND
    if presume:
        labels[late & (np.array(examples.doubtful, np.int8) == 0)] = LEGITIMATE
    everything = int((examples.outcomes(before) == FRAUD).sum())
    known = int((labels[before] == FRAUD).sum())
    if known < LEAST_FRAUDS <= everything:
        return Hindsight(examples, before, (TOLD_ALL(all=everything, known=known),))
    warnings = _lateness(examples, rows, delay_ms)
    known_then = examples.with_labels(labels, kinds)
    return Hindsight(known_then, before[labels[before] != UNKNOWN], warnings)


def _lateness(examples: Examples, rows: Rows, delay_ms: int) -> tuple[str, ...]:
    frauds = rows[examples.outcomes(rows) == FRAUD]
    if not len(frauds):
        return ()
    took_s = np.array(examples.known_s)[frauds] - examples.times(frauds)
    median_ms = round(float(np.median(took_s)) * _SECOND_MS)
    if median_ms <= delay_ms:
        return ()
    unit = _DAY_MS if median_ms > 2 * _DAY_MS else _HOUR_MS if median_ms > _HOUR_MS else _SECOND_MS
    late = span_text(median_ms // unit * unit)
    return (LATE_LABELS(late=late, delay=span_text(delay_ms)),)
