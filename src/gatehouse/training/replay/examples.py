"""Examples out of a replay: what Sentry would have measured of a history, had it been there."""

from typing import Final

import msgspec

from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.outcomes import OUTCOME_OF
from gatehouse.sentry.records.features import rounded_features
from gatehouse.sentry.stage import ScoredRequest
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.training.examples import Examples
from gatehouse.training.model_training import paid_in
from gatehouse.training.replay.lines import ReplayLine
from gatehouse.training.replay.ordered_lines import OrderedLines
from gatehouse.training.replay.replay import ReplayJudge, ReplayOptions, Watcher, replay
from gatehouse.training.report.report import ModelReport

_SECOND_MS: Final = 1000


class HistoryCounts(msgspec.Struct):
    """What of a history was left out."""

    young: int = 0
    """Requests of the last days, whose labels are still to come."""
    unlabelled: int = 0


class _Gatherer:
    """Keeps what was measured in the requests of a span that have waited long enough."""

    def __init__(self, span: RecordSpan, settled_s: float, delay_ms: int) -> None:
        self.examples: Final = Examples(tuple(BY_CODE))
        self.counts: Final = HistoryCounts()
        self._since_s = span.since_ms / _SECOND_MS
        self._until_s = span.until_ms / _SECOND_MS
        self._settled_s = settled_s
        self._delay_ms = delay_ms

    def add(self, line: ReplayLine, weighed: ScoredRequest) -> None:
        event = weighed.event
        if not self._since_s <= event.at_s < self._until_s:
            return
        if event.at_s > self._settled_s:
            self.counts.young += 1
            return
        values = rounded_features(weighed.values)
        row = self.examples.add(
            event.at_s,
            values,
            doubtful=not weighed.counted,
            paid=paid_in(event),
            entities=event.entities,
        )
        if line.label is None:
            self.counts.unlabelled += 1
        else:
            known_s = line.known_ms(self._delay_ms) / _SECOND_MS
            self.examples.set_label(row, line.fraud, known_s, OUTCOME_OF.get(line.label))


def gather_history(
    lines: OrderedLines,
    judge: ReplayJudge,
    span: RecordSpan,
    options: ReplayOptions,
    watcher: Watcher,
) -> tuple[Examples, HistoryCounts]:
    """Replay all lines, and keep as examples what was measured in those of the span.

    The newest line tells when the history ends. What is younger than the label delay by then is
    left out, as it is when a model learns from records.
    """
    delay_ms = options.label_delay_ms
    gatherer = _Gatherer(span, lines.last_s - delay_ms / _SECOND_MS, delay_ms)
    replay(lines, judge, gatherer.add, options, watcher)
    return gatherer.examples, gatherer.counts


def with_counts(report: ModelReport, counts: HistoryCounts) -> ModelReport:
    """A report that says what of the history was left out."""
    told = report.presumed + report.doubtful + report.early
    unlabelled = counts.unlabelled - told
    return msgspec.structs.replace(report, young=counts.young, unlabelled=unlabelled)
