"""Train a model on an account's recorded requests or on a history, and store it as a new version.

The model is not used until somebody promotes it.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.admin.models.use_cases.replays import for_account
from gatehouse.admin.models.use_cases.thresholds_in_use import thresholds_in_use
from gatehouse.admin.models.use_cases.versions import LiveModel, live_model
from gatehouse.operations import warmup
from gatehouse.sentry.reasons import LEARNED
from gatehouse.sentry.scorecard import Sheet, encode_sheet, load_sheet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.store.configured.configurations import check_note
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import RecordCounts, RecordSpan
from gatehouse.store.feedback import feedback_history
from gatehouse.training.audit.audit import AuditOptions, audit_labels, labels_told
from gatehouse.training.examples import Examples
from gatehouse.training.model_training import TrainingOptions, gather, in_order, settled, train
from gatehouse.training.replay.examples import HistoryCounts, gather_history, with_counts
from gatehouse.training.replay.ordered_lines import ordered_lines
from gatehouse.training.replay.replay import ReplayJudge, ReplayOptions
from gatehouse.training.report.audit import LabelAudit
from gatehouse.training.report.phrases import CURRENT_LEARNED, UNREADABLE
from gatehouse.training.report.report import ModelReport, ThresholdInUse, encode_report


class TrainingJob(msgspec.Struct, frozen=True):
    """What to learn from, and how."""

    span: RecordSpan
    options: TrainingOptions
    note: str | None = None
    archive: str | None = None
    """The archive that records are read from; None reads the database."""


class PastRequests(NamedTuple):
    """Requests from before an account used Sentry, and who measures them."""

    lines: Iterable[bytes]
    """In any order; see `replay_lines` for their form."""
    judge: ReplayJudge
    """With an empty memory."""


class TrainedModel(msgspec.Struct, frozen=True):
    """A model that was stored, and how good it is."""

    version: int
    report: ModelReport


class TrainingWatcher(Protocol):
    """Is told how a training is getting on."""

    def reading(self, done: int, total: int) -> None:
        """So many of the records have been read."""

    def checking(self, lines: int) -> None:
        """So many lines of a history have been read, and can be used."""

    def replaying(self, done: int, total: int) -> None:
        """So many of its requests have been measured."""

    def learning(self, requests: int) -> None:
        """All has been read, and a model is fitted to so many requests."""


def train_model(session: AdminSession, job: TrainingJob, watcher: TrainingWatcher) -> TrainedModel:
    """Fit a model to the records of a span, measure it beside the live one, and store it."""
    span, options = job.span, job.options
    check_note(job.note)
    current = live_model(session, span.account_id)
    found = read_past(session, job, watcher)
    watcher.learning(len(found.examples))
    told = labels_told(found.examples)
    used = in_use(session, span.account_id)
    sheet, reported_s = current.sheet, found.reported_s
    trained = train(found.examples, load_sheet(), sheet, options, reported_s, used)
    report = _with_warnings(trained.report, found.counts.unreadable, current)
    report = msgspec.structs.replace(
        report,
        warnings=(*report.warnings, *found.remarks),
        audit=_audit(found.examples, told, session.clock() / 1000, options),
    )
    return TrainedModel(_store(session, job, trained.sheet, report), report)


def in_use(session: AdminSession, account_id: str) -> tuple[ThresholdInUse, ...]:
    """The thresholds that rules and pipelines compare the confidence with."""
    with session.account_reading(account_id) as connection:
        return thresholds_in_use(connection, account_id)


class Past(NamedTuple):
    """What was found to learn from."""

    examples: Examples
    counts: RecordCounts
    reported_ms: int | None
    """When the oldest request with feedback came."""
    remarks: tuple[str, ...] = ()

    @property
    def reported_s(self) -> float | None:
        """The same in seconds."""
        return None if self.reported_ms is None else self.reported_ms / 1000


def read_past(session: AdminSession, job: TrainingJob, watcher: TrainingWatcher) -> Past:
    """What can be learned from by now in the records of a span, or in an archive."""
    session.actor.check_reads(job.span.account_id)
    wanted = settled(job.span, session.clock(), job.options)
    read = _from_records if job.archive is None else _from_archive
    return read(session, job, wanted, watcher)


def _audit(
    examples: Examples, told: NDArray[np.bool_], now_s: float, options: TrainingOptions
) -> LabelAudit:
    about = AuditOptions(now_s, options.holdout)
    return audit_labels(examples, in_order(examples), told, about)


def _from_records(
    session: AdminSession, job: TrainingJob, wanted: RecordSpan, watcher: TrainingWatcher
) -> Past:
    with session.reading() as connection:
        labels = feedback_history.labels_with_times(connection, *wanted)
        reported_ms = feedback_history.reported_since(connection, job.span.account_id)
        total = records.count(connection, wanted)
    watcher.reading(0, total)
    batches = records.stream(
        session.database, wanted, session.fingerprints, lambda done: watcher.reading(done, total)
    )
    return Past(*gather(batches, labels), reported_ms)


def _from_archive(
    _: AdminSession, job: TrainingJob, wanted: RecordSpan, watcher: TrainingWatcher
) -> Past:
    # Loads DuckDB, which no other use case of this module needs.
    from gatehouse.archive.archived_examples import gather_archived, reported_since
    from gatehouse.archive.days import find_days, first_labelled, on_this_machine
    from gatehouse.archive.places import open_place
    from gatehouse.figures.workspace import open_workspace

    assert job.archive is not None, "only for a training that names an archive"
    place = open_place(job.archive)
    with open_workspace() as workspace:
        locate = on_this_machine(place, workspace.folder)
        archived = find_days(place, wanted, locate)
        watcher.reading(0, archived.decisions)
        examples, counts = gather_archived(
            workspace, archived, lambda done: watcher.reading(done, archived.decisions)
        )
        first = first_labelled(place, wanted.account_id, locate)
        reported_ms = None if first is None else reported_since(workspace, first)
    return Past(examples, counts, reported_ms, archived.remarks)


def train_on_history(
    session: AdminSession, job: TrainingJob, history: PastRequests, watcher: TrainingWatcher
) -> TrainedModel:
    """Replay a history, fit a model to what was measured in its span, and store it.

    Labels become known late, as in any replay, and nothing of the history is recorded. A line that
    cannot be read is a `BadLine`.
    """
    check_note(job.note)
    current = live_model(session, job.span.account_id)
    found = replay_history(session, job, history, watcher)
    examples = found.examples
    watcher.learning(len(examples))
    options = msgspec.structs.replace(job.options, source="file")
    told = labels_told(examples)
    used = in_use(session, job.span.account_id)
    trained = train(examples, load_sheet(), current.sheet, options, in_use=used)
    report = _with_warnings(with_counts(trained.report, found.left), 0, current)
    audit = _audit(examples, told, found.last_s, options)
    report = msgspec.structs.replace(report, audit=audit)
    return TrainedModel(_store(session, job, trained.sheet, report), report)


class ReplayedHistory(NamedTuple):
    """What was measured in a history."""

    examples: Examples
    left: HistoryCounts
    last_s: float
    """When it ends."""


def replay_history(
    session: AdminSession, job: TrainingJob, history: PastRequests, watcher: TrainingWatcher
) -> ReplayedHistory:
    """Replay a history, and keep what was measured in its span."""
    options = ReplayOptions(job.options.label_delay_ms)
    replaying = for_account(session, job.span.account_id, None, options)
    with ordered_lines(history.lines, watcher.checking) as lines:
        warmup.settle()
        progress = _ReplayProgress(watcher, len(lines))
        found = gather_history(lines, history.judge, job.span, replaying, progress)
        return ReplayedHistory(*found, lines.last_s)


class _ReplayProgress:
    """Tells the watcher of a training how far its replay is."""

    def __init__(self, watcher: TrainingWatcher, total: int) -> None:
        self._watcher = watcher
        self._total = total

    def reached(self, requests: int) -> None:
        """So many requests are done."""
        self._watcher.replaying(requests, self._total)

    def say(self, text: str) -> None:
        """Such a replay begins with the shipped scorecard and keeps it, so nothing is said."""


def _with_warnings(report: ModelReport, unreadable: int, current: LiveModel) -> ModelReport:
    warnings = [*report.warnings]
    if unreadable:
        warnings.append(UNREADABLE(count=unreadable))
    warnings += current.remarks
    until = current.learned_until
    if until is not None and until >= report.holdout.since:
        warnings.append(CURRENT_LEARNED(until=until))
    return msgspec.structs.replace(report, warnings=tuple(warnings))


def _store(session: AdminSession, job: TrainingJob, sheet: Sheet, report: ModelReport) -> int:
    def program(version: int) -> str:
        # Decision records name the model that scored them, so each model has a name of its own.
        return encode_sheet(msgspec.structs.replace(sheet, version=f"{LEARNED}-{version}"))

    def document(_: int) -> str:
        return encode_report(report)

    with session.change(unseen=True) as change:
        account_id, source = job.span.account_id, report.source
        return models.keep(change, account_id, document, program, note=job.note, source=source)
