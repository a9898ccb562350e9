"""Trains a model on recorded requests, and measures it beside the one in force.

Labels come late, so only requests are used that have been waiting for theirs long enough. Time is
split and not the requests: a trial model learns from what was known when the newest part began, and
both models are measured on that part. The model itself then learns from everything, so it should do
no worse than its trial.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Final, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from gatehouse.core.errors import InvalidInput
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import said_by
from gatehouse.decisions.record import UnreadableRecord, read_outline
from gatehouse.decisions.recorded_event import RecordedEvent
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.outcomes import OUTCOME_OF
from gatehouse.sentry.records.event import MEASURED_IN, measured_in
from gatehouse.sentry.scorecard import Sheet
from gatehouse.store.decisions.records import KeptRecord, RecordCounts, RecordSpan
from gatehouse.store.feedback.feedback_history import KnownLabel
from gatehouse.training.evaluation import doubts_about, evaluate, part_of, term_shapes
from gatehouse.training.examples import FRAUD, UNKNOWN, Examples, Paid, Rows
from gatehouse.training.model_fitting import FitOptions, Fitted, fit
from gatehouse.training.outcome_training import TrialOutcomes, learn_outcomes
from gatehouse.training.presuming import Presumed, known_at, presume
from gatehouse.training.report.phrases import (
    LEFT_OUT,
    NOT_MEASURED,
    OTHER_METHOD,
    SET_BY_ALL,
    TRAINING_NONE,
    TRAINING_UNLABELLED,
    percent_text,
    span_text,
)
from gatehouse.training.report.report import (
    Curves,
    ModelComparison,
    ModelReport,
    Source,
    ThresholdInUse,
)
from gatehouse.training.score_meaning import keep_meaning
from gatehouse.training.thresholds import OrderValues

"""The operations whose records hold Sentry's features."""
LABEL_DELAY_MS: Final = 30 * 86_400_000
HOLDOUT: Final = 0.2


class TrainingOptions(msgspec.Struct, frozen=True):
    """How a model is trained."""

    fit: FitOptions
    label_delay_ms: Annotated[int, Meta(ge=0)] = LABEL_DELAY_MS
    """How long labels are waited for."""
    holdout: Annotated[float, Meta(gt=0, lt=1)] = HOLDOUT
    """The share of the requests, the newest ones, that models are measured on."""
    presume: bool = True
    """Whether a request without a label counts as legitimate, where that may be."""
    source: Source = "records"


class Trained(msgspec.Struct, frozen=True):
    """A model and its report."""

    sheet: Sheet
    report: ModelReport


def settled(span: RecordSpan, until_ms: int, options: TrainingOptions) -> RecordSpan:
    """The part of a span whose labels should be known by now."""
    return span._replace(until_ms=min(span.until_ms, until_ms - options.label_delay_ms))


def gather(
    batches: Iterable[Sequence[KeptRecord]], labels: Mapping[str, KnownLabel]
) -> tuple[Examples, RecordCounts]:
    """What Sentry measured in these records, with the labels that are known."""
    examples, gathered = Examples(tuple(BY_CODE)), RecordCounts()
    for batch in batches:
        for record in batch:
            _gather(record, labels, examples, gathered)
    return examples, gathered


def _gather(
    record: KeptRecord, labels: Mapping[str, KnownLabel], examples: Examples, gathered: RecordCounts
) -> None:
    try:
        kept = read_outline(record.text) if record.operation in MEASURED_IN else None
        measured = None if kept is None else measured_in(kept)
    except UnreadableRecord:
        gathered.unreadable += 1
        return
    if kept is None or measured is None:
        gathered.skipped += 1
        return
    gathered.records += 1
    label = labels.get(record.request_id)
    add_example(
        examples,
        MeasuredRequest(record.at_ms, kept.decision, measured.values, measured.event, label),
    )


class MeasuredRequest(NamedTuple):
    """What an example is made of."""

    at_ms: int
    decision: str | None
    values: dict[str, float]
    event: RecordedEvent | None
    label: KnownLabel | None


def add_example(examples: Examples, found: MeasuredRequest) -> None:
    """Append a request with its label."""
    event, label = found.event, found.label
    # Time is split by when orders were made; some reach us days later, and not in their order.
    at_s = found.at_ms / 1000 if event is None else event.at
    doubtful = _is_doubtful(found.decision, event)
    entities = () if event is None else zip(event.kinds, event.values, strict=False)
    row = examples.add(
        at_s, found.values, doubtful=doubtful, paid=paid_in(event), entities=entities
    )
    if label is not None:
        known_s, outcome = label.known_at_ms / 1000, OUTCOME_OF.get(label.label)
        examples.set_label(row, label.fraud, known_s, outcome)


def paid_in(event: RecordedEvent | MemoryEvent | None) -> Paid | None:
    """What an order is about; None without an amount or its currency."""
    if event is None or event.amount is None or event.currency is None:
        return None
    return event.amount, event.currency


def _is_doubtful(decision: str | None, event: RecordedEvent | None) -> bool:
    """Whether a fraud could have gone unreported: it was refused, awaits review, or repeats."""
    # A review labels its request; without a label it is still open.
    stopped = decision in {Outcome.DECLINE, Outcome.REVIEW}
    return stopped or (event is not None and (event.declined or not event.counted))


def train(
    examples: Examples,
    base: Sheet,
    current: Sheet,
    options: TrainingOptions,
    reported_since_s: float | None = None,
    in_use: Sequence[ThresholdInUse] = (),
) -> Trained:
    """Fit a model to the examples, and measure how well one does on those it has not seen.

    Requests without a label count as legitimate if the options say so. Those before anything was
    reported stay unknown: before the first labelled example, or `reported_since_s` if earlier. The
    scores of the model are mapped so that thresholds `in_use` keep their meaning.
    """
    presumed = presume(examples, reported_since_s) if options.presume else Presumed()
    rows = in_order(examples)
    if not len(rows):
        raise InvalidInput(why_nothing(examples, options))
    # The model itself comes first: if there is too little for it, nothing else need be done.
    final = fit(examples, rows, base, "learned", options.fit)
    held = _newest(examples, rows, options.holdout)
    begin_s = float(examples.times(held[:1])[0])
    past = known_at(examples, rows, begin_s, options.label_delay_ms, presume=options.presume)
    trial, failure = _try(past.examples, past.rows, base, options)
    whole, kept_back = part_of(examples, rows), part_of(examples, held)
    doubts = doubts_about(whole, kept_back)
    values, fraud = OrderValues(examples, held), examples.outcomes(held) == FRAUD
    figures, curves = evaluate(current, examples, held)
    trial_figures, trial_curves = (
        (None, Curves()) if trial is None else evaluate(trial.sheet, examples, held)
    )
    mapping, meaning = keep_meaning(examples, current, final.sheet, in_use)
    tried = None if trial is None else TrialOutcomes(past.examples, trial.sheet, begin_s, options)
    outcomes = learn_outcomes(examples, final.sheet, tried, options.fit)
    report = ModelReport(
        meaning=meaning,
        outcomes=outcomes.reports,
        method=final.method,
        since=whole.since,
        until=whole.until,
        label_delay_ms=options.label_delay_ms,
        records=whole.records,
        frauds=whole.frauds,
        presumed=presumed.legitimates,
        doubtful=presumed.doubtful,
        early=presumed.early,
        source=options.source,
        training=None if trial is None else part_of(past.examples, past.rows),
        holdout=kept_back,
        figures=ModelComparison(trial_figures, figures),
        current_version=current.version,
        terms=term_shapes(final.sheet, base, examples, rows),
        candidate=trial_curves,
        current=curves,
        holdout_fraud=values.of(fraud),
        holdout_legitimate=values.of(~fraud),
        holdout_frauds=values.count(fraud),
        warnings=(
            *(*failure, *past.warnings, *_differences(trial, final), *doubts),
            *(LEFT_OUT(currency=each) for each in values.left_out),
        ),
    )
    sheet = msgspec.structs.replace(final.sheet, mapping=mapping, outcomes=outcomes.sheets)
    return Trained(sheet, report)


def in_order(examples: Examples) -> Rows:
    """The rows with a label in order of time."""
    everything = np.arange(len(examples))
    rows = everything[examples.outcomes(everything) != UNKNOWN]
    ordered: Rows = rows[np.argsort(examples.times(rows), kind="stable")]
    return ordered


def _newest(examples: Examples, rows: Rows, share: float) -> Rows:
    """The newest of rows in order of time; requests of one moment stay together."""
    times = examples.times(rows)
    first = min(int(len(rows) * (1 - share)), len(rows) - 1)
    newest: Rows = rows[np.searchsorted(times, times[first]) :]
    return newest


def _try(
    examples: Examples, known: Rows, base: Sheet, options: TrainingOptions
) -> tuple[Fitted | None, list[str]]:
    """A model that knows nothing of the requests it is measured on, or why there is none."""
    try:
        return fit(examples, known, base, "trial", options.fit), []
    except InvalidInput as error:
        delay, share = span_text(options.label_delay_ms), percent_text(options.holdout, 0)
        why = said_by(error)
        return None, [NOT_MEASURED(count=len(known), delay=delay, share=share, why=why)]


def _differences(trial: Fitted | None, final: Fitted) -> list[str]:
    """How the model differs from its trial, and whether its confidence follows all requests."""
    found: list[str] = []
    if trial is not None and trial.method != final.method:
        found.append(OTHER_METHOD(trial=trial.method, method=final.method))
    if final.doubt is not None:
        found.append(SET_BY_ALL(doubt=final.doubt))
    return found


def why_nothing(examples: Examples, options: TrainingOptions) -> str:
    """Why there is nothing to learn from."""
    delay = span_text(options.label_delay_ms)
    if options.source == "file":
        found = f"{len(examples):,} requests {delay} or more before the end of the file"
        return f"there are {found}, and none with a label; look back further"
    if not len(examples):
        return TRAINING_NONE(delay=delay)
    return TRAINING_UNLABELLED(count=len(examples), delay=delay)
