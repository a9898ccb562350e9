"""What is shown of a model: its figures with intervals, its curves, its thresholds with money."""

import itertools
from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from gatehouse.admin.models.use_cases.versions import ModelEntry, usable_scorecard
from gatehouse.console.charts.charts import (
    Bar,
    Series,
    Words,
    Write,
    bar_chart,
    line_chart,
    stacked_chart,
)
from gatehouse.console.visit import Visit
from gatehouse.core.money import MICROS_PER_UNIT, parse_amount
from gatehouse.sentry.costs import CostTerms
from gatehouse.sentry.explaining import MEANS
from gatehouse.sentry.scorecard import ScorecardError, load_sheet
from gatehouse.training.intervals import Interval, figure_interval, share_interval
from gatehouse.training.report.report import (
    Curves,
    Figures,
    ModelReport,
    OrderValue,
    RecallPoint,
    TermShape,
    learned_terms,
)
from gatehouse.training.report.threshold_costs import measured_curves, threshold_costs

_FIGURES: Final = ("auc", "average_precision", "recall_at_1", "recall_at_5", "ece", "log_loss")
_SHARES: Final = ("recall_at_1", "recall_at_5")
_RECALLS: Final = tuple(place / 20 for place in range(1, 21))
_MOST_BARS: Final = 16
"""Steps of a shape that are drawn as rows; longer ones become a line."""
_STRONGEST: Final = 12


class Shown(NamedTuple):
    """A figure as people read it, and the interval that it is in."""

    value: str
    interval: str | None = None


class FigureRow(NamedTuple):
    """A figure of both models."""

    name: str
    candidate: Shown
    current: Shown


class ThresholdRow(NamedTuple):
    """What declining below a confidence would do."""

    below: str
    declined: str
    share: str
    precision: Shown
    recall: Shown
    false_alarms: str
    money: tuple[str, ...]
    """Fraud stopped and good orders refused, for each currency."""
    cost: str = ""
    """What it costs with the account's costs, if it has set them."""
    best_for: tuple[str, ...] = ()
    """Presets for which it is the cheapest."""


class MeaningRow(NamedTuple):
    """What a threshold in use means with the model before and with this one."""

    configured: str
    name: str
    threshold: str
    before: str
    unmapped: str
    after: str
    changed: str


class OutcomeScoreRow(NamedTuple):
    """How well a score of its own tells one outcome, beside the confidence."""

    name: str
    labelled: str
    figures: tuple[tuple[Shown, Shown], ...]
    """Of the score and of the confidence, for area and average precision."""
    ece: Shown
    why: str


class Charts(NamedTuple):
    """The pictures of a report; None where nothing was measured."""

    calibration: Markup | None
    precision_recall: Markup | None
    histogram: Markup | None
    money: Markup | None


def figure_rows(visit: Visit, report: ModelReport) -> list[FigureRow]:
    """The figures of the model beside those of the one in force then."""
    both = report.figures.candidate, report.figures.current
    return [FigureRow(name, *(figure(visit, each, name) for each in both)) for name in _FIGURES]


def figure(visit: Visit, figures: Figures | None, name: str) -> Shown:
    """One figure with its interval."""
    value = None if figures is None else getattr(figures, name)
    if figures is None or value is None:
        return Shown("–")
    interval = figure_interval(figures, name)
    if name in _SHARES:
        return _share(visit, value, interval)
    return Shown(visit.number(value, 4), _between(visit, interval, share=False))


def threshold_rows(
    visit: Visit, report: ModelReport, costs: CostTerms | None = None
) -> list[ThresholdRow]:
    """What thresholds on the confidence would do, each with what it is worth and costs."""
    frauds = report.holdout.frauds
    thresholds = measured_curves(report).thresholds
    worked_out = threshold_costs(report, costs) or (None,) * len(thresholds)
    return [
        ThresholdRow(
            below=visit.number(each.below, 4),
            declined=visit.number(each.declined),
            share=visit.formats.percent(each.declined_share, 2),
            precision=_share(visit, each.precision, share_interval(each.precision, each.declined)),
            recall=Shown("–")
            if each.recall is None
            else _share(visit, each.recall, share_interval(each.recall, frauds)),
            false_alarms="–"
            if each.false_positive_rate is None
            else visit.formats.percent(each.false_positive_rate, 2),
            money=tuple(
                _money(visit, value)
                for pair in zip(each.fraud_stopped, each.legitimate_refused, strict=True)
                for value in pair
            ),
            cost="" if cost is None or costs is None else visit.money(cost.micros, costs.currency),
            best_for=() if cost is None else cost.best_for,
        )
        for each, cost in zip(thresholds, worked_out, strict=True)
    ]


def meaning_rows(visit: Visit, report: ModelReport) -> list[MeaningRow]:
    """The thresholds that were in use when the model was trained."""
    percent = visit.formats.percent
    return [
        MeaningRow(
            each.in_use.configured,
            each.in_use.name,
            visit.number(each.in_use.threshold, 4),
            before=percent(each.before, 2),
            unmapped=percent(each.unmapped, 2),
            after=percent(each.after, 2),
            changed=visit.number(each.changed),
        )
        for each in (() if report.meaning is None else report.meaning.thresholds)
    ]


def outcome_rows(visit: Visit, report: ModelReport) -> list[OutcomeScoreRow]:
    """What there is of each outcome; nothing where no request has any."""
    if not any(each.labelled for each in report.outcomes):
        return []
    return [
        OutcomeScoreRow(
            each.outcome,
            visit.number(each.labelled),
            tuple(
                (figure(visit, each.score, name), figure(visit, each.confidence, name))
                for name in _FIGURES[:2]
            ),
            figure(visit, each.score, "ece"),
            visit.said(each.why) if each.why else "",
        )
        for each in report.outcomes
    ]


def currencies(report: ModelReport) -> list[str]:
    """The currencies of the thresholds, most used first."""
    found = measured_curves(report).thresholds
    return [value.currency for value in found[0].fraud_stopped] if found else []


def charts(visit: Visit, report: ModelReport) -> Charts:
    """The pictures of a report."""
    curves = measured_curves(report)
    return Charts(
        calibration=_calibration(visit, curves) if curves.calibration else None,
        precision_recall=_precision_recall(visit, report) if curves.precision_recall else None,
        histogram=_histogram(visit, curves) if curves.histogram else None,
        money=_money_chart(visit, curves) if currencies(report) else None,
    )


def shapes(entry: ModelEntry) -> list[TermShape]:
    """What each feature is worth: those that were learned first, the strongest on top."""
    report = entry.report
    if report is None:
        try:
            sheet = load_sheet() if entry.stored is None else usable_scorecard(entry.stored).sheet
        except ScorecardError:
            return []
        return [TermShape(t.code, t.cuts, t.effects, 0, "shipped") for t in sheet.terms]
    learned = learned_terms(report)
    return [*learned, *(each for each in report.terms if each.source != "learned")]


def weights_chart(visit: Visit, found: Sequence[TermShape]) -> Markup:
    """How much the strongest features move the requests, on average."""
    most = max((each.requests for each in found), default=0) or 1
    bars = [Bar(each.code, each.weight / most) for each in found[:_STRONGEST]]
    return bar_chart(_words(visit, "weights", lambda value: visit.number(value, 3)), bars)


def shape_chart(visit: Visit, shape: TermShape) -> Markup:
    """The effect of each step of a feature on the log-odds of being legitimate."""
    labels = steps(visit, shape)
    words = _words(visit, "shape", lambda value: signed(visit, value))
    if len(labels) <= _MOST_BARS:
        return bar_chart(words, [Bar(*pair) for pair in zip(labels, shape.effects, strict=True)])
    return line_chart(words, labels, [Series(visit.text("models.effect"), shape.effects)])


def steps(visit: Visit, shape: TermShape) -> list[str]:
    """The steps of a feature in words."""
    cuts = [visit.number(cut, 4) for cut in shape.cuts]
    if not cuts:
        return [visit.text("models.steps.any")]
    between = [
        visit.text("models.steps.between", low=low, high=high)
        for low, high in itertools.pairwise(cuts)
    ]
    first = visit.text("models.steps.below", high=cuts[0])
    return [first, *between, visit.text("models.steps.from", low=cuts[-1])]


def signed(visit: Visit, value: float) -> str:
    """An effect with its sign."""
    return visit.formats.signed(value)


def meaning(visit: Visit, code: str) -> str:
    """What a feature means when it counts."""
    return visit.said(MEANS[code]()) if code in MEANS else ""


def _share(visit: Visit, value: float, interval: Interval | None) -> Shown:
    return Shown(visit.formats.percent(value), _between(visit, interval, share=True))


def _between(visit: Visit, interval: Interval | None, *, share: bool) -> str | None:
    if interval is None:
        return None
    low, high = (
        visit.formats.percent(each) if share else visit.number(each, 3) for each in interval
    )
    return visit.text("models.between", low=low, high=high)


def _money(visit: Visit, value: OrderValue) -> str:
    return visit.money(_micros(value), value.currency)


def _micros(value: OrderValue) -> int:
    return parse_amount(bytes(value.amount).decode())


def _words(visit: Visit, name: str, write: Write | None = None, **values: str) -> Words:
    return Words(
        title=visit.text(f"models.charts.{name}.title"),
        description=visit.text(f"models.charts.{name}.words", **values),
        label=visit.text(f"models.charts.{name}.label"),
        table=visit.text("common.data"),
        write=write or visit.number,
    )


def _calibration(visit: Visit, curves: Curves) -> Markup:
    labels = [visit.formats.percent(predicted, 2) for predicted, _, _ in curves.calibration]
    series = [
        Series(visit.text("models.predicted"), [each[0] for each in curves.calibration], "plain"),
        Series(visit.text("models.observed"), [each[1] for each in curves.calibration]),
    ]
    return line_chart(_words(visit, "calibration", visit.formats.percent), labels, series)


def _precision_recall(visit: Visit, report: ModelReport) -> Markup:
    labels = [visit.formats.percent(recall, 0) for recall in _RECALLS]
    series = []
    if report.candidate.precision_recall:
        points = report.candidate.precision_recall
        series.append(Series(visit.text("models.this"), _precisions(points)))
    if report.current.precision_recall:
        points = report.current.precision_recall
        series.append(
            Series(visit.text("models.current"), _precisions(points), is_before=bool(series))
        )
    return line_chart(_words(visit, "precision_recall", visit.formats.percent), labels, series)


def _precisions(points: Sequence[RecallPoint]) -> list[float | None]:
    """The best precision with which at least each share of the fraud is caught."""
    return [
        max((precision for _, precision, recall in points if recall >= wanted), default=None)
        for wanted in _RECALLS
    ]


def _histogram(visit: Visit, curves: Curves) -> Markup:
    labels = [visit.number(low, 2) for low, _, _ in curves.histogram]
    series = [
        Series(visit.text("models.honest"), [each[1] for each in curves.histogram], "plain"),
        Series(visit.text("models.frauds"), [each[2] for each in curves.histogram], "bad"),
    ]
    return stacked_chart(_words(visit, "histogram"), labels, series)


def _money_chart(visit: Visit, curves: Curves) -> Markup:
    """Of the currency with most requests."""
    found = curves.thresholds
    currency = found[0].fraud_stopped[0].currency
    labels = [visit.number(each.below, 4) for each in found]
    stopped = [_micros(each.fraud_stopped[0]) / MICROS_PER_UNIT for each in found]
    refused = [_micros(each.legitimate_refused[0]) / MICROS_PER_UNIT for each in found]
    series = [
        Series(visit.text("models.fraud_stopped"), stopped, "good"),
        Series(visit.text("models.good_refused"), refused, "bad"),
    ]

    words = _words(visit, "money", lambda value: visit.number(value, 0), currency=currency)
    return line_chart(words, labels, series)
