"""The report of a model: what it learned from, how well it does, and what each feature is worth.

A report is stored with its model and read wherever models are shown, so this module needs none of
the packages that training does.
"""

from enum import StrEnum
from typing import Final, Literal

import msgspec

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.notes import as_note, read_note
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.sentry.score_mapping import ScoreMapping
from gatehouse.training.report.audit import LabelAudit, read_findings

_REPORT_UNREADABLE: Final = Phrase(
    "refused.report_unreadable", "the model's report cannot be read: {why}"
)

LEAST_FRAUDS: Final = 20
"""With fewer among the requests it was measured on, a model's figures mean little."""

CalibrationPoint = tuple[float, float, int]
"""Mean risk as predicted, share of fraud as observed, and of how many requests."""
RecallPoint = tuple[float, float, float]
"""Threshold on the risk, precision, recall."""
Source = Literal["records", "file"]
"""Whether a model learned from decision records, or from a file that was replayed."""
ScoreBin = tuple[float, int, int]
"""Where a bin of confidence begins, how many honest requests are in it, and how many frauds."""


class Figures(CamelStruct):
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


class ReportPeriod(CamelStruct):
    """Requests of one span of time."""

    since: str
    until: str
    records: int
    frauds: int


class ModelComparison(CamelStruct):
    """The figures of both models on the same requests; None where nothing could be measured."""

    candidate: Figures | None
    current: Figures | None


class OrderValue(msgspec.Struct, frozen=True):
    """What some orders are worth together, in one currency."""

    currency: str
    amount: msgspec.Raw
    """An exact decimal number, as money is written everywhere."""


class Threshold(CamelStruct):
    """What happens if all requests with less confidence than this are declined."""

    below: float
    declined: int
    declined_share: float
    precision: float
    """The share of fraud among what is declined."""
    recall: float | None
    """The share of all fraud that is declined; None without any fraud."""
    false_positive_rate: float | None
    """The share of all honest requests that is declined; None without any."""
    fraud_stopped: tuple[OrderValue, ...] = ()
    legitimate_refused: tuple[OrderValue, ...] = ()
    frauds_stopped: tuple[int, ...] = ()
    """How many frauds are stopped in each of the currencies; reports of earlier versions do not
    say."""


class Curves(CamelStruct):
    """The points of one model's curves, and what thresholds on its confidence do."""

    calibration: tuple[CalibrationPoint, ...] = ()
    precision_recall: tuple[RecallPoint, ...] = ()
    histogram: tuple[ScoreBin, ...] = ()
    thresholds: tuple[Threshold, ...] = ()


class TermShape(CamelStruct):
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


class ThresholdInUse(CamelStruct):
    """A threshold on the confidence that a rule, or a stage of a pipeline, compares it with."""

    source: Literal["rule", "pipeline"]
    configured: str
    """The rule set, or the number of the pipeline."""
    name: str
    """The rule, or the stage."""
    threshold: float


class ThresholdMeaning(CamelStruct):
    """The share of recent requests below a threshold, with the model before and with the new one.

    What is `changed` is on the other side of the threshold than it was.
    """

    in_use: ThresholdInUse
    before: float
    unmapped: float
    """With the scores of the new model as they are."""
    after: float
    """With its scores as they are told."""
    changed: int
    changed_unmapped: int


class ScoreMeaning(CamelStruct):
    """How a model's scores are told, and what becomes of the thresholds that were in use."""

    meaning: str
    """The scorecard whose scores they mean when they are told so."""
    requests: int
    """On how many recent ones the models were compared."""
    changed: int
    """How many of them are on the other side of some threshold than before."""
    changed_unmapped: int
    """How many would be if scores were told as they are."""
    thresholds: tuple[ThresholdMeaning, ...]
    mapping: ScoreMapping | None = None


class OutcomeScoreReport(CamelStruct):
    """What is known of one outcome, and how well a score of its own tells it from all others."""

    outcome: str
    labelled: int
    """How many requests had it."""
    learned: bool = False
    """Whether the model has a score for it."""
    score: Figures | None = None
    """Of the score; None where nothing could be measured. Those with the outcome are its frauds."""
    confidence: Figures | None = None
    """Of the one confidence, for the same question about the same requests."""
    why: str = ""
    """Why it has no score, or was not measured."""


class ModelReport(CamelStruct):
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
    source: Source = "records"
    young: int = 0
    """Of a file, how many more were younger than the label delay at its end."""
    unlabelled: int = 0
    """Of a file, how many more have no label and do not count as legitimate."""
    holdout_fraud: tuple[OrderValue, ...] = ()
    """What all frauds are worth that it was measured on."""
    holdout_legitimate: tuple[OrderValue, ...] = ()
    audit: LabelAudit | None = None
    """What was found in the labels that it learned from; None in reports of earlier versions."""
    holdout_frauds: tuple[int, ...] = ()
    """How many frauds there were in each of the currencies."""
    meaning: ScoreMeaning | None = None
    """What becomes of thresholds in use; None in reports of earlier versions."""
    outcomes: tuple[OutcomeScoreReport, ...] = ()
    """What there is of scores for single outcomes; nothing in reports of earlier versions."""


class Verdict(StrEnum):
    """Whether a model is better than the one in force when it was trained."""

    UNKNOWN = "unknown"
    BETTER = "better"
    MAYBE_BETTER = "maybe_better"
    """It was measured on so few frauds that it may be chance."""
    BETTER_CALIBRATED = "better_calibrated"
    """Only its confidence is closer to the truth."""
    NOT_BETTER = "not_better"
    HIGHER_AREA = "higher_area"
    HIGHER_PRECISION = "higher_precision"


def judge(report: ModelReport) -> Verdict:
    """Whether a model was better than the one in force when it was trained."""
    return judge_figures(report.figures)


def judge_figures(figures: ModelComparison) -> Verdict:
    """Compare the figures of both models."""
    candidate, current = figures.candidate, figures.current
    if candidate is None or candidate.auc is None or current is None or current.auc is None:
        return Verdict.UNKNOWN
    assert candidate.average_precision is not None
    assert current.average_precision is not None
    by_area = candidate.auc > current.auc
    by_precision = candidate.average_precision > current.average_precision
    if by_area and by_precision:
        is_few = candidate.frauds < LEAST_FRAUDS
        return Verdict.MAYBE_BETTER if is_few else Verdict.BETTER
    if by_area or by_precision:
        return Verdict.HIGHER_AREA if by_area else Verdict.HIGHER_PRECISION
    if candidate.ece is not None and current.ece is not None and candidate.ece < current.ece:
        return Verdict.BETTER_CALIBRATED
    return Verdict.NOT_BETTER


def encode_report(report: ModelReport) -> str:
    """A report as it is stored."""
    return msgspec.json.encode(report, enc_hook=as_note).decode()


def decode_report(text: str) -> ModelReport:
    """A stored report."""
    try:
        report = msgspec.json.decode(text, type=ModelReport)
    except msgspec.MsgspecError as error:
        raise InvalidInput(_REPORT_UNREADABLE(why=said_by(error))) from None
    outcomes = [
        msgspec.structs.replace(each, why=read_note(each.why)) if each.why else each
        for each in report.outcomes
    ]
    return msgspec.structs.replace(
        report,
        warnings=tuple(map(read_note, report.warnings)),
        audit=read_findings(report.audit),
        outcomes=tuple(outcomes),
    )


def learned_terms(report: ModelReport) -> list[TermShape]:
    """The terms that were learned, those first that move the most."""
    learned = [term for term in report.terms if term.source == "learned"]
    return sorted(learned, key=lambda term: (-term.weight, term.code))
