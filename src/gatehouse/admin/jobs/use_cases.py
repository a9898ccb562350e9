"""Queues jobs, shows how far they are, and cancels them."""

from collections.abc import Collection

import msgspec

from gatehouse.admin.jobs.types import ORDERS, JobKind, JobResponse, Order, TrainingOrder
from gatehouse.core.clock import Moment, moment
from gatehouse.store import jobs
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.scopes import account_reading
from gatehouse.store.configured.configurations import check_note
from gatehouse.store.jobs import NewJob, StoredJob

# What the store returns, for faces.
__all__ = ["StoredJob"]


def start_job(
    session: AdminSession,
    account_id: str,
    kind: JobKind,
    order: Order,
    content: bytes | None = None,
) -> StoredJob:
    """Queue a job; a server takes it within seconds. `content` is sealed until it ends."""
    assert isinstance(order, ORDERS[kind])
    if isinstance(order, TrainingOrder):
        order = msgspec.structs.replace(order, note=check_note(order.note))
    session.actor.check_account(account_id)
    new = NewJob(kind.value, msgspec.json.encode(order).decode(), content)
    with session.change(unseen=True) as change:
        accounts.get_open(change.connection, account_id)
        return jobs.add(change, account_id, new)


def get_job(session: AdminSession, account_id: str, job_id: str) -> StoredJob:
    """One job of the account."""
    with account_reading(session, account_id) as connection:
        return jobs.get(connection, account_id, job_id)


def list_jobs(
    session: AdminSession,
    account_id: str,
    kinds: Collection[JobKind] = tuple(JobKind),
    before: str | None = None,
    limit: int = 20,
) -> list[StoredJob]:
    """Jobs of the account, newest first."""
    with account_reading(session, account_id) as connection:
        return jobs.page(connection, account_id, [kind.value for kind in kinds], before, limit)


def cancel_job(session: AdminSession, account_id: str, job_id: str) -> StoredJob:
    """End a job that waits; one that runs is ended within seconds."""
    session.actor.check_account(account_id)
    with session.change(unseen=True) as change:
        return jobs.cancel(change, account_id, job_id)


def shown_job(job: StoredJob) -> JobResponse:
    """A job as faces show it."""
    return JobResponse(
        job_id=job.id,
        kind=job.kind,
        state=job.state,
        started_by=job.actor,
        created_at=Moment(job.created_at_ms),
        started_at=moment(job.started_at_ms),
        finished_at=moment(job.finished_at_ms),
        done=job.done,
        total=job.total,
        step=job.step,
        error=job.error,
        result=None if job.result is None else msgspec.json.decode(job.result),
    )
