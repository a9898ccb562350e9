"""What the jobs of each kind do. They are run in a process of their own."""

import contextlib
import csv
import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from gatehouse.admin.jobs.types import (
    BacktestOrder,
    BulkOrder,
    ErasureOrder,
    ImportOrder,
    JobKind,
    LabelAuditOrder,
    MonthOrder,
    NamedPerson,
    OutcomeImportOrder,
    TrainingOrder,
    WhatIfOrder,
)
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.records import RecordSpan

Reached = Callable[[int | None, int | None, str], None]
"""Takes how much is done, of how much, and what is being done."""

MOST_BAD_ROWS: Final = 1000
"""Rows that are reported with what is wrong with them; the others are counted."""


class Work(msgspec.Struct, frozen=True):
    """A job at work."""

    session: AdminSession
    """Acts as the one who asked for the job."""
    account_id: str
    order: Any
    content: bytes
    reached: Reached


def backtest(work: Work) -> Any:
    """Try a rule set on recorded requests."""
    from gatehouse.admin.rule_sets.use_cases import rule_backtest
    from gatehouse.rules.authoring import read_rule_set

    order: BacktestOrder = work.order
    rule_set = read_rule_set(order.document.encode())
    span = RecordSpan(work.account_id, order.since_ms, order.until_ms)
    options = rule_backtest.BacktestOptions(order.lists_now, order.examples)
    return rule_backtest.backtest(
        work.session,
        rule_set,
        span,
        options,
        lambda done, total: work.reached(done, total, "reading records"),
    )


def what_if(work: Work) -> Any:
    """Try what a rule set would do to the networks' programmes."""
    from gatehouse.admin.programmes.use_cases.replaying import replay
    from gatehouse.rules.authoring import read_rule_set

    order: WhatIfOrder = work.order
    rule_set = read_rule_set(order.document.encode())
    span = RecordSpan(work.account_id, order.since_ms, order.until_ms)
    return replay(
        work.session,
        rule_set,
        span,
        lambda done, total: work.reached(done, total, "reading records"),
    )


def estimate_enumeration(work: Work) -> Any:
    """Estimate how many authorizations of a month were cards being tried out."""
    from gatehouse.admin.programmes.use_cases import enumeration

    order: MonthOrder = work.order
    work.reached(None, None, "reading decisions")
    return enumeration.estimate_now(work.session, work.account_id, order.month)


def train(work: Work) -> Any:
    """Train a model on recorded requests, and keep it as a new version."""
    from gatehouse.training.extra_packages import require_extra

    require_extra()
    from gatehouse.admin.models.use_cases.training import TrainingJob, train_model
    from gatehouse.training.model_fitting import FitOptions
    from gatehouse.training.model_training import TrainingOptions

    order: TrainingOrder = work.order
    options = TrainingOptions(
        FitOptions(method=order.method),
        label_delay_ms=order.label_delay_ms,
        holdout=order.holdout,
        presume=order.presume,
    )
    span = RecordSpan(work.account_id, order.since_ms, order.until_ms)
    done = train_model(work.session, TrainingJob(span, options, order.note), _Trainer(work.reached))
    report = done.report
    return {
        **{"version": done.version, "method": report.method, "records": report.records},
        **{"frauds": report.frauds, "figures": report.figures, "warnings": report.warnings},
    }


def audit_labels(work: Work) -> Any:
    """Check the labels of recorded requests for what flatters or spoils a model."""
    from gatehouse.training.extra_packages import require_extra

    require_extra()
    from gatehouse.admin.models.use_cases.label_audit import audit_records
    from gatehouse.admin.models.use_cases.training import TrainingJob
    from gatehouse.training.model_fitting import FitOptions
    from gatehouse.training.model_training import TrainingOptions

    order: LabelAuditOrder = work.order
    options = TrainingOptions(
        FitOptions(),
        label_delay_ms=order.label_delay_ms,
        holdout=order.holdout,
        presume=order.presume,
    )
    span = RecordSpan(work.account_id, order.since_ms, order.until_ms)
    return audit_records(work.session, TrainingJob(span, options), _Trainer(work.reached))


def try_model(work: Work) -> Any:
    """Compare a model with the one in force on recorded requests."""
    from gatehouse.admin.model_trials.use_cases.trials import carry_out

    return carry_out(work.session, work.account_id, work.order, _Trainer(work.reached))


class _Trainer:
    """Tells how far a training is."""

    def __init__(self, reached: Reached) -> None:
        self._reached = reached

    def reading(self, done: int, total: int) -> None:
        self._reached(done, total, "reading records")

    def checking(self, lines: int) -> None:
        self._reached(lines, None, "reading lines")

    def replaying(self, done: int, total: int) -> None:
        self._reached(done, total, "replaying")

    def learning(self, requests: int) -> None:
        self._reached(None, None, f"learning from {requests} requests")


def import_identities(work: Work) -> Any:
    """Import records of who holds which card."""
    from gatehouse.admin.identities.use_cases import import_records
    from gatehouse.admin.identities.use_cases.rows import identity_file

    order: ImportOrder = work.order
    content = work.content
    with tempfile.TemporaryDirectory() as folder:
        rejects = Path(folder) / "rejects.csv"
        with contextlib.closing(identity_file(io.BytesIO(content), order.format)) as file:
            job = import_records.IdentityImport(work.account_id, file, rejects, order.dry_run)
            done = import_records.import_identities(
                work.session, job, _Importer(work.reached, len(content))
            )
        bad = _bad_rows(rejects)
    if done.error is not None:
        raise done.error
    return {
        **{"dryRun": order.dry_run, "lines": done.run.at.line},
        **msgspec.structs.asdict(done.run.tally),
        "badRows": bad,
    }


def import_feedback(work: Work) -> Any:
    """Import what requests turned out to be."""
    from gatehouse.admin.feedback.use_cases import import_labels
    from gatehouse.admin.feedback.use_cases.statements import feedback_file

    order: ImportOrder = work.order
    content = work.content
    with contextlib.closing(feedback_file(io.BytesIO(content), order.format)) as file:
        done = import_labels.import_feedback(
            work.session,
            work.account_id,
            file,
            _Importer(work.reached, len(content)),
            dry_run=order.dry_run,
        )
    if done.error is not None:
        raise done.error
    bad = [{"line": each.line, "field": "record", "reason": each.message} for each in done.flaws]
    return {"dryRun": order.dry_run, **done.counts(), "badRows": bad}


def import_outcomes(work: Work) -> Any:
    """Import what became of payments."""
    from gatehouse.admin.acquirer_files.use_cases import import_files
    from gatehouse.admin.acquirer_files.use_cases.import_jobs import chosen_mapping

    order: OutcomeImportOrder = work.order
    content, mapping = work.content, chosen_mapping(order.mapping)
    opened = import_files.open_outcome_file(None, order.format, mapping, content)
    with contextlib.closing(opened) as file:
        done = import_files.import_outcomes(
            work.session,
            work.account_id,
            import_files.OutcomeImport(file, mapping, dry_run=order.dry_run),
            _Importer(work.reached, len(content)),
        )
    if done.error is not None:
        raise done.error
    bad = [{"line": each.line, "field": "record", "reason": each.message} for each in done.flaws]
    return {"dryRun": order.dry_run, **done.counts, "badRows": bad}


def make_report(work: Work) -> Any:
    """Make the report on a month, on a copy of its decisions."""
    from gatehouse.admin.reports.use_cases.making import make_report_now

    order: MonthOrder = work.order
    work.reached(None, None, "reading decisions")
    report = make_report_now(work.session, work.account_id, order.month)
    return {"month": report.month, "orders": report.counts.orders}


def erase(work: Work) -> Any:
    """Erase a person from everything that the account has."""
    from gatehouse.admin.privacy.use_cases.erasure import ErasureOptions, erase_person
    from gatehouse.admin.privacy.use_cases.person import PersonNamed

    order: ErasureOrder = work.order
    named = msgspec.json.decode(work.content, type=NamedPerson)
    number = named.card_number
    person = PersonNamed(
        user_id=named.user_id,
        username=named.username,
        email=named.email,
        phone=named.phone,
        card=None if number is None else CardNumber.parse(number),
    )
    work.reached(None, None, "erasing")
    # Clearing unused space locks the whole database, which is for the operator to choose.
    options = ErasureOptions(order.lists, order.dry_run, compact=False)
    return erase_person(work.session, work.account_id, person, options)


def change_many(work: Work) -> Any:
    """Carry out a change of many decisions, or its undo."""
    from gatehouse.admin.workload.use_cases.bulk import carry_out

    order: BulkOrder = work.order
    done = carry_out(
        work.session,
        work.account_id,
        order.bulk_id,
        lambda reached, total: work.reached(reached, total, "changing decisions"),
    )
    return {"bulkId": order.bulk_id, "done": done.done, "refused": done.refused}


def explore(work: Work) -> Any:
    """Count decisions in groups, on a copy of them."""
    from gatehouse.admin.explore.use_cases.by_job import explore_by_order

    work.reached(None, None, "reading decisions")
    return explore_by_order(work.session, work.account_id, work.order)


class _Importer:
    """Tells how far an import is, in bytes."""

    def __init__(self, reached: Reached, total: int) -> None:
        self._reached = reached
        self._total = total

    def reached(self, done: int, note: str) -> None:
        self._reached(done, self._total, note)

    def say(self, text: str) -> None:
        """Bad rows are reported at the end."""


def _bad_rows(rejects: Path) -> list[dict[str, Any]]:
    with rejects.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{**row, "line": int(row["line"])} for row in rows[:MOST_BAD_ROWS]]


WORKS: Final[dict[JobKind, Callable[[Work], Any]]] = {
    JobKind.BACKTEST: backtest,
    JobKind.TRAINING: train,
    JobKind.LABEL_AUDIT: audit_labels,
    JobKind.MODEL_TRIAL: try_model,
    JobKind.IDENTITY_IMPORT: import_identities,
    JobKind.FEEDBACK_IMPORT: import_feedback,
    JobKind.ERASURE: erase,
    JobKind.WHAT_IF: what_if,
    JobKind.ENUMERATION: estimate_enumeration,
    JobKind.OUTCOME_IMPORT: import_outcomes,
    JobKind.MONTH_REPORT: make_report,
    JobKind.BULK: change_many,
    JobKind.EXPLORATION: explore,
}
