"""The report of a model in words and tables, for a terminal."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from gatehouse.core.wording.sentences import number_text
from gatehouse.intel.places import minor_digits, shown_amount
from gatehouse.sentry.costs import CostTerms
from gatehouse.training.intervals import figure_interval
from gatehouse.training.report.audit_text import audit_summary
from gatehouse.training.report.phrases import span_text
from gatehouse.training.report.report import (
    Curves,
    ModelReport,
    OrderValue,
    OutcomeScoreReport,
    TermShape,
    Threshold,
    Verdict,
    judge,
    learned_terms,
)
from gatehouse.training.report.threshold_costs import (
    ThresholdCost,
    measured_curves,
    threshold_costs,
)

_MOST_STEPS: Final = 8
"""Of a shape that are written out in one line."""
_USUAL_DIGITS: Final = 2


def as_text(report: ModelReport, costs: CostTerms | None = None) -> str:
    """The whole report for people, with the costs of an account if it has set any."""
    return "\n\n".join([summary(report, costs), terms_text(report)])


def summary(report: ModelReport, costs: CostTerms | None = None) -> str:
    """The report without its terms."""
    parts = [_origin(report), _measured(report), figures_text(report), verdict(report)]
    parts += [thresholds_text(report, costs), meaning_text(report), outcomes_text(report)]
    parts += [*(f"warning: {each}" for each in report.warnings)]
    parts.append("" if report.audit is None else audit_summary(report.audit))
    return "\n\n".join([part for part in parts if part])


def figures_text(report: ModelReport) -> str:
    """The figures of both models, side by side."""
    candidate, current = report.figures.candidate, report.figures.current
    rows: list[tuple[str, ...]] = [("", "THIS MODEL", f"CURRENT ({report.current_version})")]
    for name, field, percent in (
        ("area under the ROC curve (AUC)", "auc", False),
        ("average precision", "average_precision", False),
        ("fraud caught with 1 % false alarms", "recall_at_1", True),
        ("fraud caught with 5 % false alarms", "recall_at_5", True),
        ("calibration error (ECE), less is better", "ece", False),
        ("log loss, less is better", "log_loss", False),
    ):
        values = [None if one is None else getattr(one, field) for one in (candidate, current)]
        rows.append((name, *(_figure(value, percent=percent) for value in values)))
    return "\n".join(_figures_aligned(rows))


def thresholds_text(report: ModelReport, costs: CostTerms | None = None) -> str:
    """What thresholds on the model's confidence would do; nothing where that is not known."""
    name, curves = "this model", measured_curves(report)
    if report.figures.candidate is None:
        name = f"the current model ({report.current_version})"
    if not curves.thresholds:
        return ""
    rows = [_threshold_headings(curves), *map(_threshold_row, curves.thresholds)]
    mapping = None if report.meaning is None else report.meaning.mapping
    if mapping is not None and report.figures.candidate is not None:
        told = ["TOLD AS", *(f"{mapping.tell(each.below):g}" for each in curves.thresholds)]
        rows = [(row[0], cell, *row[1:]) for row, cell in zip(rows, told, strict=True)]
    worked_out = threshold_costs(report, costs)
    if costs is not None and worked_out:
        rows = [
            (*row, *cells)
            for row, cells in zip(rows, _cost_columns(worked_out, costs.currency), strict=True)
        ]
    said = f"if every request were declined in which the confidence of {name} is below:"
    worth = _worth(report)
    return "\n".join([said, *_figures_aligned(rows), *([worth] if worth else [])])


def meaning_text(report: ModelReport) -> str:
    """What becomes of the thresholds in use; nothing where there are none."""
    meaning = report.meaning
    if meaning is None or not meaning.thresholds:
        return ""
    rows: list[tuple[str, ...]] = [
        ("NAMED BY", "BELOW", "BEFORE", "UNMAPPED", "AS TOLD", "CHANGED")
    ]
    for each in meaning.thresholds:
        used = each.in_use
        shares = [f"{share:.2%}" for share in (each.before, each.unmapped, each.after)]
        named = f"{used.configured}, {used.name}"
        rows.append((named, f"{used.threshold:g}", *shares, f"{each.changed:,}"))
    said = (
        f"thresholds in use, and the share of the newest {meaning.requests:,} requests below "
        "them. Scores are told\n"
        f"on the scale of {meaning.meaning}, so that thresholds keep their meaning: "
        f"{meaning.changed:,} requests are on the other\n"
        f"side of one than before, and {meaning.changed_unmapped:,} would be if scores were told "
        "as they are"
    )
    return "\n".join([said, *_figures_aligned(rows)])


def outcomes_text(report: ModelReport) -> str:
    """How well the scores of single outcomes do, or why there are none."""
    found = report.outcomes
    if not any(each.labelled for each in found):
        return ""
    if not any(each.learned for each in found):
        counts = ", ".join(f"{each.outcome} {each.labelled:,}" for each in found)
        return f"no scores of single outcomes: at least two need enough labels. There are: {counts}"
    rows: list[tuple[str, ...]] = [
        ("OUTCOME", "LABELLED", "AUC", "AVERAGE PRECISION", "95 %", "ECE", "BY THE CONFIDENCE")
    ]
    rows += [_outcome_row(each) for each in found if each.learned]
    said = "scores of single outcomes beside the confidence, measured as that is:"
    notes = [f"{each.outcome}: {each.why}" for each in found if each.why]
    return "\n".join([said, *_figures_aligned(rows), *notes])


def _outcome_row(one: OutcomeScoreReport) -> tuple[str, ...]:
    labelled = f"{one.labelled:,}"
    if one.score is None or one.confidence is None:
        return (one.outcome, labelled, *("-",) * 5)
    interval = figure_interval(one.score, "average_precision")
    between = "-" if interval is None else f"{interval[0]:.3f}-{interval[1]:.3f}"
    figures = [getattr(one.score, name) for name in ("auc", "average_precision", "ece")]
    area, precision, ece = (_figure(value, percent=False) for value in figures)
    values = one.confidence.auc, one.confidence.average_precision
    confidence = " / ".join(_figure(value, percent=False) for value in values)
    return (one.outcome, labelled, area, precision, between, ece, confidence)


def _threshold_headings(curves: Curves) -> tuple[str, ...]:
    known = [value.currency for value in curves.thresholds[0].fraud_stopped]
    money = [f"{what} ({each})" for each in known for what in ("FRAUD STOPPED", "GOOD REFUSED")]
    return ("BELOW", "DECLINED", "PRECISION", "RECALL", "FALSE ALARMS", *money)


def _threshold_row(one: Threshold) -> tuple[str, ...]:
    pairs = zip(one.fraud_stopped, one.legitimate_refused, strict=True)
    money = [_units(value) for pair in pairs for value in pair]
    declined = f"{one.declined:,} ({one.declined_share:.2%})"
    shares = [_figure(share, percent=True) for share in (one.precision, one.recall)]
    alarms = "-" if one.false_positive_rate is None else f"{one.false_positive_rate:.2%}"
    return (f"{one.below:g}", declined, *shares, alarms, *money)


def _cost_columns(worked_out: Sequence[ThresholdCost], currency: str) -> Iterator[tuple[str, str]]:
    """What each threshold costs, and for which presets it is the cheapest, below a heading."""
    yield f"COST ({currency})", "BEST FOR"
    for each in worked_out:
        yield shown_amount(each.micros, currency), ", ".join(each.best_for) or "-"


def _worth(report: ModelReport) -> str:
    """What there was to stop and to refuse."""
    pairs = zip(report.holdout_fraud, report.holdout_legitimate, strict=True)
    said = [
        f"fraud of {_units(fraud)} and good orders of {_units(good)} {fraud.currency}"
        for fraud, good in pairs
    ]
    return f"in all there was {'; '.join(said)}" if said else ""


def _units(value: OrderValue) -> str:
    """An amount with the decimals of its currency."""
    digits = minor_digits(value.currency)
    return (
        f"{Decimal(bytes(value.amount).decode()):,.{_USUAL_DIGITS if digits is None else digits}f}"
    )


_VERDICTS: Final = {
    Verdict.UNKNOWN: "Whether it is better than {other} could not be measured.",
    Verdict.BETTER: "It tells fraud from honest requests better than {other}.",
    Verdict.MAYBE_BETTER: (
        "It tells fraud from honest requests better than {other}. With so few frauds that may be "
        "chance."
    ),
    Verdict.BETTER_CALIBRATED: (
        "It is NOT better than {other} at telling fraud from honest requests. Only its confidence "
        "is closer to the truth."
    ),
    Verdict.NOT_BETTER: (
        "It is NOT better than {other} at telling fraud from honest requests. Nothing speaks for "
        "promoting it."
    ),
    Verdict.HIGHER_AREA: (
        "It is no clear improvement over {other}: its area under the curve is higher, its average "
        "precision is not."
    ),
    Verdict.HIGHER_PRECISION: (
        "It is no clear improvement over {other}: its average precision is higher, its area under "
        "the curve is not."
    ),
}


def verdict(report: ModelReport) -> str:
    """Whether the model is better than the one in force, in one plain sentence."""
    return _VERDICTS[judge(report)].format(other=f"the current model ({report.current_version})")


def terms_text(report: ModelReport) -> str:
    """What each learned feature is worth."""
    learned = learned_terms(report)
    shipped = len(report.terms) - len(learned)
    rest = f"{shipped:,} more signals say too little in this data and are as they were shipped"
    if not learned:
        return rest
    rows = [("SIGNAL", "MEASURED", "LOG-ODDS OF BEING LEGITIMATE")]
    rows += [(term.code, f"{term.requests:,}", _steps(term)) for term in learned]
    return "\n".join([*_aligned(rows), rest] if shipped else _aligned(rows))


def _origin(report: ModelReport) -> str:
    presumed = (
        f"{report.presumed:,} of them have no label and count as legitimate, "
        f"being older than {span_text(report.label_delay_ms)}"
        if report.presumed
        else "all of them are labelled"
    )
    if report.doubtful:
        presumed += (
            f"\n{report.doubtful:,} more have no label and were left out, because they were "
            "refused, wait for a review, or repeat another"
        )
    if report.early:
        presumed += (
            f"\n{report.early:,} more were left out, because they came before the first request "
            "that anything was reported of"
        )
    if report.unlabelled:
        presumed += f"\n{report.unlabelled:,} more have no label and were left out"
    if report.young:
        presumed += (
            f"\n{report.young:,} more were left out, because they came less than "
            f"{span_text(report.label_delay_ms)} before the end of the file"
        )
    origin = "" if report.source == "records" else " of a file"
    return (
        f"learned from {report.records:,} requests{origin}, {report.frauds:,} of them fraud, "
        f"with method {report.method}\n"
        f"from {report.since} to {report.until}\n{presumed}"
    )


def _measured(report: ModelReport) -> str:
    held = report.holdout
    said = f"{held.records:,} requests, {held.frauds:,} of them fraud, {held.since} to {held.until}"
    if report.training is None:
        return f"not measured; these would have been for it: {said}"
    trial = report.training
    return (
        f"measured on the newest {said},\n"
        f"with a trial model that learned only from the {trial.records:,} requests "
        f"({trial.frauds:,} fraud) up to {trial.until},\n"
        f"{span_text(report.label_delay_ms)} before these, when labels would have been known; "
        "the model itself learned from all"
    )


def _figure(value: float | None, *, percent: bool) -> str:
    if value is None:
        return "-"
    return f"{value:.1%}" if percent else f"{value:.4f}"


def _steps(term: TermShape) -> str:
    """A shape in one line; the middle of a long one is left out."""
    steps = [f"{term.effects[0]:+.2f}"]
    steps += [
        f"from {number_text(cut)}: {effect:+.2f}"
        for cut, effect in zip(term.cuts, term.effects[1:], strict=True)
    ]
    if len(steps) > _MOST_STEPS:
        half = _MOST_STEPS // 2
        left_out = len(steps) - _MOST_STEPS
        steps = [*steps[:half], f"({left_out} steps)", *steps[-half:]]
    return ", ".join(steps)


def _figures_aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows of a name and figures, which stand on the right so that they can be compared."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
