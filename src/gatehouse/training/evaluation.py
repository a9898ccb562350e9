"""Measures a model on requests that it has not learned from, for its report."""

from typing import Final, Literal

import msgspec
import numpy as np

from gatehouse.core.clock import iso_time
from gatehouse.sentry.scorecard import LARGEST_TOTAL, Sheet
from gatehouse.training.examples import FRAUD, Examples, Rows, Values
from gatehouse.training.metrics import calibration, measure, precision_recall
from gatehouse.training.model_fitting import totals
from gatehouse.training.report.phrases import (
    ALL_FRAUD,
    FEW_FRAUDS,
    MANY_FRAUDS,
    NO_FRAUD,
    percent_text,
)
from gatehouse.training.report.report import LEAST_FRAUDS, Curves, Figures, ReportPeriod, TermShape
from gatehouse.training.thresholds import histogram, thresholds

_MANY_FRAUDS: Final = 0.2
"""A larger share of fraud than this means that somebody has chosen what to label."""
_ANSWERED_DIGITS: Final = 4
_DIGITS: Final = 6


def risk_of(total: Values) -> Values:
    """The risk that the log-odds of being legitimate stand for, bounded and rounded as in answers.

    Requests with the same answer must count as equal here.
    """
    risk: Values = 1 / (1 + np.exp(np.clip(total, -LARGEST_TOTAL, LARGEST_TOTAL)))
    return risk.round(_ANSWERED_DIGITS)


def part_of(examples: Examples, rows: Rows) -> ReportPeriod:
    """From when to when these rows are, in order of time, and how many."""
    first, last = (round(1000 * at_s) for at_s in examples.times(rows[[0, -1]]))
    frauds = int((examples.outcomes(rows) == FRAUD).sum())
    return ReportPeriod(iso_time(first), iso_time(last), len(rows), frauds)


def evaluate(sheet: Sheet, examples: Examples, rows: Rows) -> tuple[Figures, Curves]:
    """How well a sheet does on these rows; numbers are rounded as they are stored."""
    fraud = examples.outcomes(rows) == FRAUD
    risk = risk_of(totals(sheet, examples, rows))
    figures = measure(fraud, risk)
    rounded = {
        name: round(value, _DIGITS)
        for name, value in msgspec.structs.asdict(figures).items()
        if isinstance(value, float)
    }
    curves = Curves(
        tuple(
            (round(predicted, _DIGITS), round(observed, _DIGITS), events)
            for predicted, observed, events in calibration(fraud, risk)
        ),
        tuple(
            (round(threshold, _DIGITS), round(precision, _DIGITS), round(recall, _DIGITS))
            for threshold, precision, recall in precision_recall(fraud, risk)
        ),
        histogram(fraud, risk),
        thresholds(examples, rows, risk),
    )
    return msgspec.structs.replace(figures, **rounded), curves


def term_shapes(sheet: Sheet, base: Sheet, examples: Examples, rows: Rows) -> tuple[TermShape, ...]:
    """The shape of every term, and how many of the requests have which of its effects."""
    places = {code: place for place, code in enumerate(examples.codes)}
    counts = {term.code: np.zeros(len(term.effects), np.int64) for term in sheet.terms}
    for _, values in examples.pieces(rows):
        for term in sheet.terms:
            if term.code in places:
                column = values[:, places[term.code]]
                measured = column[~np.isnan(column)]
                steps = np.searchsorted(np.asarray(term.cuts), measured, side="right")
                counts[term.code] += np.bincount(steps, minlength=len(term.effects))
    shipped = set(base.terms)
    shapes = []
    for term in sheet.terms:
        requests = int(counts[term.code].sum())
        shares = tuple(round(int(n) / requests, _DIGITS) for n in counts[term.code] if requests)
        source: Literal["learned", "shipped"] = "shipped" if term in shipped else "learned"
        shapes.append(TermShape(term.code, term.cuts, term.effects, requests, source, shares))
    return tuple(shapes)


def doubts_about(whole: ReportPeriod, held: ReportPeriod) -> list[str]:
    """What a reader of the figures must know."""
    doubts: list[str] = []
    if held.frauds in {0, held.records}:
        doubts.append((ALL_FRAUD if held.frauds else NO_FRAUD)(count=held.records))
    elif held.frauds < LEAST_FRAUDS:
        few = FEW_FRAUDS(frauds=held.frauds, count=held.records, least=LEAST_FRAUDS)
        doubts.append(few)
    share = whole.frauds / whole.records
    if share > _MANY_FRAUDS:
        doubts.append(MANY_FRAUDS(share=percent_text(share, 0)))
    return doubts
