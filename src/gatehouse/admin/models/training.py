"""Train a model on an account's recorded requests, and store it as a new version.

The model is not used until somebody promotes it.
"""

from typing import NamedTuple, Protocol

import msgspec

from gatehouse.admin.models.versions import LiveModel, live_model
from gatehouse.sentry.scorecard import Sheet, encode_sheet, load_sheet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.store.configured.configurations import check_note
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import RecordCounts, RecordSpan
from gatehouse.store.feedback import feedback_history
from gatehouse.training.examples import Examples
from gatehouse.training.model_training import Trained, TrainingOptions, gather, settled, train
from gatehouse.training.report import ModelReport, encode_report


class TrainedModel(msgspec.Struct, frozen=True):
    """A model that was stored, and how good it is."""

    version: int
    report: ModelReport


class TrainingWatcher(Protocol):
    """Is told how a training is getting on."""

    def reading(self, done: int, total: int) -> None:
        """So many of the records have been read."""

    def learning(self, requests: int) -> None:
        """All records have been read, and a model is fitted to so many requests."""


class _Material(NamedTuple):
    examples: Examples
    reported_since_s: float | None
    warnings: tuple[str, ...]


def train_model(
    session: AdminSession,
    span: RecordSpan,
    options: TrainingOptions,
    note: str | None,
    watcher: TrainingWatcher,
) -> TrainedModel:
    """Fit a model to the records of a span, measure it beside the live one, and store it."""
    check_note(note)
    current = live_model(session, span.account_id)
    material = _gather(session, span, options, watcher)
    watcher.learning(len(material.examples))
    trained = train(
        material.examples, load_sheet(), current.sheet, options, material.reported_since_s
    )
    report = _with_warnings(trained, material, current)
    return TrainedModel(_store(session, span.account_id, trained.sheet, report, note), report)


def _gather(
    session: AdminSession, span: RecordSpan, options: TrainingOptions, watcher: TrainingWatcher
) -> _Material:
    now_ms = session.clock()
    wanted = settled(span, now_ms, options)
    with session.reading() as connection:
        labels = feedback_history.labels_with_times(connection, *wanted)
        since_ms = feedback_history.reported_since(connection, span.account_id)
        total = records.count(connection, wanted)
    watcher.reading(0, total)
    counts = RecordCounts()

    def progress(so_far: RecordCounts) -> None:
        nonlocal counts
        counts = so_far
        watcher.reading(so_far.looked_at, total)

    examples = gather(session.database, wanted, labels, progress)
    warnings: tuple[str, ...] = ()
    if counts.unreadable:
        warnings = (f"records that cannot be read were left out: {counts.unreadable:,}",)
    return _Material(examples, None if since_ms is None else since_ms / 1000, warnings)


def _with_warnings(trained: Trained, material: _Material, current: LiveModel) -> ModelReport:
    report = trained.report
    warnings = [*report.warnings, *material.warnings, *current.remarks]
    until = current.learned_until
    if until is not None and until >= report.holdout.since:
        warnings.append(
            f"the current model has itself learned from requests up to {until}, so from some "
            "of those that it is measured on here: its figures are better than they should be"
        )
    return msgspec.structs.replace(report, warnings=tuple(warnings))


def _store(
    session: AdminSession, account_id: str, sheet: Sheet, report: ModelReport, note: str | None
) -> int:
    def program(version: int) -> str:
        # Decision records name the model that scored them, so each model has a name of its own.
        return encode_sheet(msgspec.structs.replace(sheet, version=f"learned-{version}"))

    with session.change(unseen=True) as change:
        return models.keep(change, account_id, lambda _: encode_report(report), program, note=note)
