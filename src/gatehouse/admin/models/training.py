"""Train a model on an account's recorded requests, and store it as a new version.

The model is not used until somebody promotes it.
"""

from typing import Protocol

import msgspec

from gatehouse.admin.models.versions import LiveModel, live_model
from gatehouse.sentry.scorecard import Sheet, encode_sheet, load_sheet
from gatehouse.sentry.spec import LEARNED
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.store.configured.configurations import check_note
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.feedback import feedback_history
from gatehouse.training.model_training import TrainingOptions, gather, settled, train
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


def train_model(
    session: AdminSession,
    span: RecordSpan,
    options: TrainingOptions,
    note: str | None,
    watcher: TrainingWatcher,
) -> TrainedModel:
    """Fit a model to the records of a span, measure it beside the live one, and store it."""
    session.actor.check_account(span.account_id)
    check_note(note)
    current = live_model(session, span.account_id)
    wanted = settled(span, session.clock(), options)
    with session.reading() as connection:
        labels = feedback_history.labels_with_times(connection, *wanted)
        reported_ms = feedback_history.reported_since(connection, span.account_id)
        total = records.count(connection, wanted)
    watcher.reading(0, total)
    batches = records.stream(
        session.database, wanted, session.fingerprints, lambda done: watcher.reading(done, total)
    )
    examples, counts = gather(batches, labels)
    watcher.learning(len(examples))
    reported_s = None if reported_ms is None else reported_ms / 1000
    trained = train(examples, load_sheet(), current.sheet, options, reported_s)
    report = _with_warnings(trained.report, counts.unreadable, current)
    return TrainedModel(_store(session, span.account_id, trained.sheet, report, note), report)


def _with_warnings(report: ModelReport, unreadable: int, current: LiveModel) -> ModelReport:
    warnings = [*report.warnings]
    if unreadable:
        warnings.append(f"records that cannot be read were left out: {unreadable:,}")
    warnings += current.remarks
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
        return encode_sheet(msgspec.structs.replace(sheet, version=f"{LEARNED}-{version}"))

    with session.change(unseen=True) as change:
        return models.keep(change, account_id, lambda _: encode_report(report), program, note=note)
