"""Audit the labels of an account's recorded requests or of a history, without training anything."""

import msgspec

from gatehouse.admin.models.use_cases.training import (
    PastRequests,
    TrainingJob,
    TrainingWatcher,
    read_past,
    replay_history,
)
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.training.audit.auditing import audit_examples
from gatehouse.training.report.audit import LabelAudit

_SECOND_MS = 1000


def audit_records(session: AdminSession, job: TrainingJob, watcher: TrainingWatcher) -> LabelAudit:
    """What flatters or spoils a model that learns from the records of a span."""
    found = read_past(session, job, watcher)
    watcher.learning(len(found.examples))
    now_s = session.clock() / _SECOND_MS
    return audit_examples(found.examples, job.options, now_s, found.reported_s)


def audit_history(
    session: AdminSession, job: TrainingJob, history: PastRequests, watcher: TrainingWatcher
) -> LabelAudit:
    """The same for a history; a line that cannot be read is a `BadLine`."""
    session.actor.check_account(job.span.account_id)
    found = replay_history(session, job, history, watcher)
    watcher.learning(len(found.examples))
    options = msgspec.structs.replace(job.options, source="file")
    return audit_examples(found.examples, options, found.last_s, None)
