"""The report of a model: what it learned from, how well it does, and what each feature is worth.

A report is stored with its model and read wherever models are shown, so this module needs none of
the packages that training does.
"""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from gatehouse.core.errors import InvalidInput

LEAST_FRAUDS: Final = 20
"""With fewer among the requests it was measured on, a model's figures mean little."""
_DAY_MS: Final = 86_400_000
_MOST_STEPS: Final = 8
"""Of a shape that are written out in one line."""

CalibrationPoint = tuple[float, float, int]
"""Mean risk as predicted, share of fraud as observed, and of how many requests."""
RecallPoint = tuple[float, float, float]
"""Threshold on the risk, precision, recall."""


class Figures(msgspec.Struct, frozen=True, rename="camel"):
    """How well one model did on one set of requests."""

    events: int
    frauds: int
    auc: float | None
    """The probability that a fraud has a higher risk than an honest request; half for a draw."""
    average_precision: float | None
    recall_at_1: float | None
    """The share of fraud above a threshold that at most 1 % of honest requests are above."""
    recall_at_5: float | None
    """The same for 5 %."""
    ece: float | None
    """Expected calibration error: how far risk is from the share of fraud, on average."""
    log_loss: float | None


class ReportPeriod(msgspec.Struct, frozen=True, rename="camel"):
    """Requests of one span of time."""

    since: str
    until: str
    records: int
    frauds: int


class ModelComparison(msgspec.Struct, frozen=True, rename="camel"):
    """The figures of both models on the same requests; None where nothing could be measured."""

    candidate: Figures | None
    current: Figures | None


class Curves(msgspec.Struct, frozen=True, rename="camel"):
    """The points of one model's curves."""

    calibration: tuple[CalibrationPoint, ...] = ()
    precision_recall: tuple[RecallPoint, ...] = ()


class TermShape(msgspec.Struct, frozen=True, rename="camel"):
    """What one feature is worth to a model."""

    code: str
    cuts: tuple[float, ...]
    effects: tuple[float, ...]
    requests: int
    """In how many it was measured."""
    source: Literal["learned", "shipped"]
    shares: tuple[float, ...] = ()
    """Of the requests in which it was measured, how many have each of the effects."""

    @property
    def weight(self) -> float:
        """How much it moves the requests it was measured in, all together."""
        shares = self.shares or (0.0,) * len(self.effects)
        mean = sum(abs(e) * s for e, s in zip(self.effects, shares, strict=True))
        return self.requests * mean


class ModelReport(msgspec.Struct, frozen=True, rename="camel"):
    """Everything that is reported about one trained model."""

    method: str
    since: str
    until: str
    """The first and the last request that it learned from."""
    label_delay_ms: int
    """How long was waited for labels."""
    records: int
    frauds: int
    presumed: int
    """How many requests without a label were taken for legitimate."""
    training: ReportPeriod | None
    """What the trial model learned from that was measured; None when there was none."""
    holdout: ReportPeriod
    """What it was measured on."""
    figures: ModelComparison
    current_version: str
    """Of the scorecard in force at the time, with which it is compared."""
    terms: tuple[TermShape, ...]
    candidate: Curves = Curves()
    current: Curves = Curves()
    warnings: tuple[str, ...] = ()
    doubtful: int = 0
    """How many more have no label and were left out: refused, waiting for a person, or repeated."""
    early: int = 0
    """How many more have no label and came before anything was reported."""


def encode_report(report: ModelReport) -> str:
    """A report as it is stored."""
    return msgspec.json.encode(report).decode()


def decode_report(text: str) -> ModelReport:
    """A stored report."""
    try:
        return msgspec.json.decode(text, type=ModelReport)
    except msgspec.MsgspecError as error:
        raise InvalidInput(f"the model's report cannot be read: {error}") from None


def as_text(report: ModelReport) -> str:
    """The whole report for people."""
    return "\n\n".join([summary(report), terms_text(report)])


def summary(report: ModelReport) -> str:
    """The report without its terms."""
    parts = [_origin(report), _measured(report), figures_text(report), verdict(report)]
    parts += [f"warning: {warning}" for warning in report.warnings]
    return "\n\n".join(parts)


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
    return "\n".join(_aligned(rows))


def verdict(report: ModelReport) -> str:
    """Whether the model is better than the one in force, in one plain sentence."""
    candidate, current, other = (
        report.figures.candidate,
        report.figures.current,
        f"the current model ({report.current_version})",
    )
    if candidate is None or candidate.auc is None or current is None or current.auc is None:
        return f"Whether it is better than {other} could not be measured."
    assert candidate.average_precision is not None
    assert current.average_precision is not None
    by_area = candidate.auc - current.auc
    by_precision = candidate.average_precision - current.average_precision
    if by_area > 0 and by_precision > 0:
        said = f"It tells fraud from honest requests better than {other}."
        if candidate.frauds < LEAST_FRAUDS:
            said += " With so few frauds that may be chance."
        return said
    if by_area <= 0 and by_precision <= 0:
        said = f"It is NOT better than {other} at telling fraud from honest requests."
        if candidate.ece is not None and current.ece is not None and candidate.ece < current.ece:
            return f"{said} Only its confidence is closer to the truth."
        return f"{said} Nothing speaks for promoting it."
    better, worse = "average precision", "area under the curve"
    if by_area > 0:
        better, worse = worse, better
    return f"It is no clear improvement over {other}: its {better} is higher, its {worse} is not."


def learned_terms(report: ModelReport) -> list[TermShape]:
    """The terms that were learned, those first that move the most."""
    learned = [term for term in report.terms if term.source == "learned"]
    return sorted(learned, key=lambda term: (-term.weight, term.code))


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


def span_text(milliseconds: int) -> str:
    """A span of time in the largest unit that it is a whole number of."""
    for size, unit in ((_DAY_MS, "day"), (3_600_000, "hour"), (60_000, "minute")):
        if milliseconds >= size and milliseconds % size == 0:
            number = milliseconds // size
            return f"{number:,} {unit}" + ("" if number == 1 else "s")
    return f"{milliseconds / 1000:,.0f} seconds"


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
    return (
        f"learned from {report.records:,} requests, {report.frauds:,} of them fraud, "
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
        f"from {cut:.6g}: {effect:+.2f}"
        for cut, effect in zip(term.cuts, term.effects[1:], strict=True)
    ]
    if len(steps) > _MOST_STEPS:
        half = _MOST_STEPS // 2
        left_out = len(steps) - _MOST_STEPS
        steps = [*steps[:half], f"({left_out} steps)", *steps[-half:]]
    return ", ".join(steps)


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
