"""Trains a model on recorded requests, and measures it beside the one in force.

Labels come late, so only requests are used that have been waiting for theirs long enough. Time is
split and not the requests: a trial model learns from what was known when the newest part began, and
both models are measured on that part. The model itself then learns from everything, so it should do
no worse than its trial.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.outcomes import Outcome
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import LARGEST_TOTAL, Sheet
from gatehouse.sentry.spec import SENTRY
from gatehouse.store.database import Database
from gatehouse.store.decisions.records import KeptRecord, RecordSpan, stream
from gatehouse.store.feedback.label_times import KnownLabel
from gatehouse.training.examples import FRAUD, UNKNOWN, Examples, Rows, Values
from gatehouse.training.metrics import Figures, calibration, measure, precision_recall
from gatehouse.training.model_fitting import FitOptions, Fitted, fit, totals
from gatehouse.training.presuming import Presumed, known_at, presume
from gatehouse.training.report import (
    LEAST_FRAUDS,
    Curves,
    ModelComparison,
    ModelReport,
    ReportPeriod,
    TermShape,
    span_text,
)

OPERATIONS: Final = ("sentry", "pipeline")
"""Whose records keep what Sentry measured."""
LABEL_DELAY_MS: Final = 30 * 86_400_000
HOLDOUT: Final = 0.2
_MANY_FRAUDS: Final = 0.2
"""Where more of the requests than this are fraud, somebody has chosen what to label."""
_ANSWERED_DIGITS: Final = 4
_DIGITS: Final = 6


class TrainingOptions(msgspec.Struct, frozen=True):
    """How a model is trained."""

    fit: FitOptions
    label_delay_ms: Annotated[int, Meta(ge=0)] = LABEL_DELAY_MS
    """How long labels are waited for."""
    holdout: Annotated[float, Meta(gt=0, lt=1)] = HOLDOUT
    """The share of the requests, the newest ones, that models are measured on."""
    presume: bool = True
    """Whether a request without a label counts as legitimate, where that may be."""


class Trained(msgspec.Struct, frozen=True):
    """A model and what is told about it."""

    sheet: Sheet
    report: ModelReport


class RecordCounts(msgspec.Struct):
    """How many records there were."""

    records: int = 0
    """Those that say what Sentry measured."""
    skipped: int = 0
    """Those of other operations, and those in which Sentry did not complete."""
    unreadable: int = 0

    @property
    def looked_at(self) -> int:
        """All of them."""
        return self.records + self.skipped + self.unreadable


class Measured(NamedTuple):
    """What a record says of a request for training."""

    signals: Mapping[str, float]
    doubtful: bool
    """Whether nobody would have complained, whatever it was: it was refused, waits for a person, or
    repeats another."""


class _Event(msgspec.Struct, frozen=True):
    counted: bool = True
    declined: bool = False


class _Result(msgspec.Struct, frozen=True):
    signals: dict[str, float] | None = None
    event: _Event | None = None


class _Stage(msgspec.Struct, frozen=True):
    name: str
    completed: bool
    result: msgspec.Raw = msgspec.Raw(b"{}")


class _Record(msgspec.Struct, frozen=True):
    stages: list[_Stage]
    decision: str | None = None
    event: _Event | None = None


_decode_record: Final = msgspec.json.Decoder(_Record).decode
_decode_result: Final = msgspec.json.Decoder(_Result).decode


def settled(span: RecordSpan, until_ms: int, options: TrainingOptions) -> RecordSpan:
    """The part of a span whose labels are in by now."""
    return span._replace(until_ms=min(span.until_ms, until_ms - options.label_delay_ms))


def gather(
    database: Database,
    span: RecordSpan,
    labels: Mapping[str, KnownLabel],
    until_ms: int,
    options: TrainingOptions,
    progress: Callable[[RecordCounts], None],
) -> Examples:
    """What Sentry measured in the records of a span, with their labels as far as there are any.

    Only requests are taken that had come in long enough before `until_ms` for their labels.
    """
    examples, gathered = Examples(tuple(BY_CODE)), RecordCounts()
    span = settled(span, until_ms, options)
    if span.since_ms < span.until_ms:
        for batch in stream(database, span):
            for record in batch:
                _gather(record, labels, examples, gathered)
            progress(gathered)
    return examples


def _gather(
    record: KeptRecord, labels: Mapping[str, KnownLabel], examples: Examples, gathered: RecordCounts
) -> None:
    try:
        measured = measured_in(record)
    except msgspec.MsgspecError:
        gathered.unreadable += 1
        return
    if measured is None:
        gathered.skipped += 1
        return
    gathered.records += 1
    row = examples.add(record.at_ms / 1000, measured.signals, doubtful=measured.doubtful)
    label = labels.get(record.request_id)
    if label is not None:
        examples.set_label(row, label.fraud, label.known_at_ms / 1000)


def measured_in(record: KeptRecord) -> Measured | None:
    """What Sentry measured of a request; None when it was not asked, or could not complete."""
    if record.operation not in OPERATIONS:
        return None
    kept = _decode_record(record.text)
    for stage in kept.stages:
        if stage.name == SENTRY.name and stage.completed:
            result = _decode_result(stage.result)
            if result.signals is None:
                return None
            event = kept.event or result.event or _Event()
            # A review labels its request; without a label it is still open.
            stopped = kept.decision in {Outcome.DECLINE, Outcome.REVIEW}
            return Measured(result.signals, stopped or event.declined or not event.counted)
    return None


def train(
    examples: Examples,
    base: Sheet,
    current: Sheet,
    version: str,
    options: TrainingOptions,
    reported_since_s: float | None = None,
) -> Trained:
    """Fit a model to the examples, and measure how well one does on those it has not seen.

    What has no label is labelled legitimate here, if the options say so and it came no earlier than
    the first request that anything was reported of; None: than the first that has a label here.
    """
    presumed = presume(examples, reported_since_s) if options.presume else Presumed()
    rows = _in_order(examples)
    if not len(rows):
        raise InvalidInput(_nothing(examples, options))
    # The model itself comes first: if there is too little for it, nothing else need be done.
    final = fit(examples, rows, base, version, options.fit)
    held = rows[min(int(len(rows) * (1 - options.holdout)), len(rows) - 1) :]
    begin_s = float(examples.times(held[:1])[0])
    past = known_at(examples, rows, begin_s, options.label_delay_ms, presume=options.presume)
    trial, failure = _try(past.examples, past.rows, base, options)
    whole, kept_back = part_of(examples, rows), part_of(examples, held)
    fraud = examples.outcomes(held) == FRAUD
    current_risk = risk_of(totals(current, examples, held))
    trial_risk = None if trial is None else risk_of(totals(trial.sheet, examples, held))
    report = ModelReport(
        method=final.method,
        since=whole.since,
        until=whole.until,
        label_delay_ms=options.label_delay_ms,
        records=whole.records,
        frauds=whole.frauds,
        presumed=presumed.legitimates,
        doubtful=presumed.doubtful,
        early=presumed.early,
        training=None if trial is None else part_of(past.examples, past.rows),
        holdout=kept_back,
        figures=ModelComparison(
            None if trial_risk is None else _figures(fraud, trial_risk),
            _figures(fraud, current_risk),
        ),
        current_version=current.version,
        terms=_terms(final.sheet, base, examples, rows),
        candidate=Curves() if trial_risk is None else _curves(fraud, trial_risk),
        current=_curves(fraud, current_risk),
        warnings=(
            *failure,
            *past.warnings,
            *_differences(trial, final),
            *_doubts(whole, kept_back),
        ),
    )
    return Trained(final.sheet, report)


def risk_of(total: Values) -> Values:
    """The risk that the log-odds of being legitimate stand for, bounded and rounded as in answers:
    what is the same there can be told apart by nobody.
    """
    risk: Values = 1 / (1 + np.exp(np.clip(total, -LARGEST_TOTAL, LARGEST_TOTAL)))
    return risk.round(_ANSWERED_DIGITS)


def part_of(examples: Examples, rows: Rows) -> ReportPeriod:
    """From when to when these rows are, in order of time, and how many."""
    first, last = (round(1000 * at_s) for at_s in examples.times(rows[[0, -1]]))
    frauds = int((examples.outcomes(rows) == FRAUD).sum())
    return ReportPeriod(iso_time(first), iso_time(last), len(rows), frauds)


def _in_order(examples: Examples) -> Rows:
    """The rows with a label, oldest first."""
    everything = np.arange(len(examples))
    rows = everything[examples.outcomes(everything) != UNKNOWN]
    ordered: Rows = rows[np.argsort(examples.times(rows), kind="stable")]
    return ordered


def _try(
    examples: Examples, known: Rows, base: Sheet, options: TrainingOptions
) -> tuple[Fitted | None, list[str]]:
    """A model that knows nothing of the requests it is measured on; None, and why, if there is too
    little for one.
    """
    try:
        return fit(examples, known, base, "trial", options.fit), []
    except InvalidInput as error:
        return None, [
            f"the model was not measured: a trial model could not learn from the {len(known):,} "
            f"requests that came {span_text(options.label_delay_ms)} or more before the newest "
            f"{options.holdout:.0%} ({error}); wait for more, or see --since, --holdout and "
            "--label-delay"
        ]


def _figures(fraud: NDArray[np.bool_], risk: Values) -> Figures:
    found = measure(fraud, risk)
    rounded = {
        name: round(value, _DIGITS)
        for name, value in msgspec.structs.asdict(found).items()
        if isinstance(value, float)
    }
    return msgspec.structs.replace(found, **rounded)


def _curves(fraud: NDArray[np.bool_], risk: Values) -> Curves:
    return Curves(
        tuple(
            (round(predicted, _DIGITS), round(observed, _DIGITS), events)
            for predicted, observed, events in calibration(fraud, risk)
        ),
        tuple(
            (round(threshold, _DIGITS), round(precision, _DIGITS), round(recall, _DIGITS))
            for threshold, precision, recall in precision_recall(fraud, risk)
        ),
    )


def _terms(sheet: Sheet, base: Sheet, examples: Examples, rows: Rows) -> tuple[TermShape, ...]:
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


def _differences(trial: Fitted | None, final: Fitted) -> list[str]:
    """In what the model is not quite what its trial was, or is made to be."""
    found = []
    if trial is not None and trial.method != final.method:
        found.append(
            f"the figures are those of a trial model fitted with {trial.method}, because it had "
            f"fewer requests; the model itself was fitted with {final.method}"
        )
    if final.doubt is not None:
        found.append(
            f"{final.doubt}: so its confidence was set by all requests, where otherwise the newest "
            "say how much fraud there is now; look whether something else is reported than before"
        )
    return found


def _doubts(whole: ReportPeriod, held: ReportPeriod) -> list[str]:
    """What whoever reads the figures must know."""
    doubts = []
    if held.frauds in {0, held.records}:
        doubts.append(
            f"{'none' if not held.frauds else 'all'} of the newest {held.records:,} requests, on "
            "which models are measured, are fraud: there is nothing to tell apart; see --holdout, "
            "or report more of what became of requests (gatehouse feedback import)"
        )
    elif held.frauds < LEAST_FRAUDS:
        doubts.append(
            f"only {held.frauds} of the {held.records:,} requests that were measured are fraud: "
            f"with fewer than {LEAST_FRAUDS} the figures mean little"
        )
    share = whole.frauds / whole.records
    if share > _MANY_FRAUDS:
        doubts.append(
            f"{share:.0%} of the requests it learned from are fraud; if that is not so of all that "
            "you get, its confidence will be too low"
        )
    return doubts


def _nothing(examples: Examples, options: TrainingOptions) -> str:
    delay = span_text(options.label_delay_ms)
    if not len(examples):
        return (
            f"there are no requests older than {delay} that Sentry has judged; "
            "see --since, and --label-delay for how long labels are waited for"
        )
    return (
        f"none of the {len(examples):,} requests older than {delay} has a label; tell what became "
        "of them: gatehouse feedback import"
    )
