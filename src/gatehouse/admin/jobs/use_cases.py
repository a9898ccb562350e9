"""Queues jobs, shows how far they are, and cancels them."""

from collections.abc import Collection
from typing import Any, Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.access.keys import ANY_MANAGE, covers
from gatehouse.access.rights import Right
from gatehouse.admin.jobs.types import (
    ORDERS,
    JobId,
    JobKind,
    JobPage,
    JobResponse,
    JobSearch,
    Order,
    TrainingOrder,
)
from gatehouse.core.clock import Moment, moment
from gatehouse.core.errors import InvalidFields, NotFound
from gatehouse.core.filling import filled
from gatehouse.core.ids import is_id
from gatehouse.core.wording.notes import read_note
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store import jobs
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.admin.use_case import use_case
from gatehouse.store.configured.configurations import check_note
from gatehouse.store.jobs import NewJob, StoredJob

# What the store returns, for faces.
__all__ = ["StoredJob"]

_NOT_FOR_KEY: Final = Phrase("refused.job_of_key", "no such job for this key")
_SCOPES: Final = {
    JobKind.BACKTEST: "manage:rules",
    JobKind.TRAINING: "manage:models",
    JobKind.LABEL_AUDIT: "manage:models",
    JobKind.MODEL_TRIAL: "manage:models",
    JobKind.IDENTITY_IMPORT: "manage:identities",
    JobKind.FEEDBACK_IMPORT: "manage:feedback",
    JobKind.ERASURE: "manage:identities",
    JobKind.WHAT_IF: "manage:rules",
    JobKind.ENUMERATION: "manage:feedback",
    JobKind.OUTCOME_IMPORT: "manage:feedback",
    JobKind.MONTH_REPORT: "manage:account",
    JobKind.BULK: "manage:feedback",
    JobKind.EXPLORATION: "manage:rules",
}
"""What a key needs to start a job of a kind, and to see it."""
_OF_DECISIONS: Final = frozenset(JobKind) - {
    *(JobKind.IDENTITY_IMPORT, JobKind.FEEDBACK_IMPORT, JobKind.OUTCOME_IMPORT, JobKind.BULK),
}
"""Kinds that read decisions; a bulk change asks where it does."""


def start_job(
    session: AdminSession,
    account_id: str,
    kind: JobKind,
    order: Order,
    content: bytes = b"",
) -> StoredJob:
    """Queue a job; a server takes it within seconds. `content` is sealed until it ends."""
    assert isinstance(order, ORDERS[kind])
    if isinstance(order, TrainingOrder):
        order = msgspec.structs.replace(order, note=check_note(order.note))
    session.actor.check_account(account_id)
    if kind in _OF_DECISIONS:
        session.actor.check(Right.DECISIONS)
    new = NewJob(kind.value, msgspec.json.encode(order).decode(), content)
    with session.change(unseen=True) as change:
        accounts.get_open(change.connection, account_id)
        return jobs.add(change, account_id, new)


def get_job(session: AdminSession, account_id: str, job_id: str) -> StoredJob:
    """One job of the account."""
    with session.account_reading(account_id) as connection:
        return jobs.get(connection, account_id, job_id)


def list_jobs(
    session: AdminSession,
    account_id: str,
    kinds: Collection[JobKind] = tuple(JobKind),
    before: str | None = None,
    limit: int = 20,
) -> list[StoredJob]:
    """Jobs of the account, newest first."""
    with session.account_reading(account_id) as connection:
        return jobs.page(connection, account_id, [kind.value for kind in kinds], before, limit)


@use_case("GET /jobs", scope=ANY_MANAGE, operation="listJobs", answers="jobsResponse")
def show_jobs(reading: Reading, account_id: str, wanted: JobSearch) -> JobPage:
    """List jobs.

    The account's jobs that the key may see, newest first. They are kept for 30 days after their
    end.
    """
    before, limit = wanted.starting_after, wanted.limit
    if before is not None and not is_id(before, "job"):
        raise InvalidFields({"startingAfter": ["must be a jobId, as in the last job of a page"]})
    actor = reading.session.actor
    kinds = [each.value for each in JobKind if _may_see(actor, each)]
    found = jobs.page(reading.connection, account_id, kinds, before, limit + 1)
    return JobPage([_shown_to(actor, each) for each in found[:limit]], len(found) > limit)


@use_case("GET /jobs/{jobId}", scope=ANY_MANAGE, operation="getJob", answers="jobResponse")
def show_job(reading: Reading, account_id: str, job_id: JobId) -> JobResponse:
    """Show a job.

    How far a job is, and its result or why it failed. Ask again every second or so while it is
    `QUEUED` or `RUNNING`.
    """
    job = jobs.get(reading.connection, account_id, job_id)
    return _shown_to(reading.session.actor, job)


@use_case("POST /jobs/{jobId}/cancel", scope=ANY_MANAGE, answers="jobResponse")
def cancel_job(session: AdminSession, account_id: str, job_id: JobId) -> JobResponse:
    """Cancel a job.

    Ends a job that waits. One that runs is ended within seconds; what an import has stored by then
    stays.
    """
    with session.change(unseen=True) as change:
        _shown_to(change.actor, jobs.get(change.connection, account_id, job_id))
        return _shown_to(change.actor, jobs.cancel(change, account_id, job_id))


def _may_see(actor: Actor, kind: JobKind) -> bool:
    """Whether the actor could have started a job."""
    if kind in _OF_DECISIONS and not actor.may(Right.DECISIONS):
        return False
    return actor.scopes is None or covers(actor.scopes, _SCOPES[kind])


def _shown_to(actor: Actor, job: StoredJob) -> JobResponse:
    """The job, if the actor could have started it."""
    if not _may_see(actor, JobKind(job.kind)):
        raise NotFound(_NOT_FOR_KEY())
    return shown_job(job)


def shown_job(job: StoredJob) -> JobResponse:
    """A job as faces show it."""
    return filled(
        JobResponse,
        job,
        job_id=job.id,
        started_by=job.actor,
        created_at=Moment(job.created_at_ms),
        started_at=moment(job.started_at_ms),
        finished_at=moment(job.finished_at_ms),
        result=None if job.result is None else _said(msgspec.json.decode(job.result)),
    )


def _said(value: Any) -> Any:
    """A result with its sentences in English; it keeps them so that pages can say them too."""
    if isinstance(value, str):
        return str(read_note(value))
    if isinstance(value, dict):
        return {name: _said(each) for name, each in value.items()}
    return [_said(each) for each in value] if isinstance(value, list) else value
