"""Runs one job that a server has taken, from its order to its result."""

import time
from typing import Any, Final

import msgspec

from gatehouse.admin.jobs.types import ORDERS, JobKind
from gatehouse.admin.jobs.worker.works import WORKS, Work
from gatehouse.admin.people.use_cases.actors import actor_named
from gatehouse.core.errors import Conflict, GatehouseError
from gatehouse.core.job_state import JobState
from gatehouse.core.wording.notes import as_note
from gatehouse.core.wording.sentences import said_by
from gatehouse.store import jobs
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.jobs import StoredJob

_REPORT_S: Final = 0.5


def run_job(session: AdminSession, job_id: str, owner: str) -> JobState:
    """Run a job that the owner has taken, and keep its result; how it ended."""
    session.actor.check_installation()
    with session.reading() as connection:
        job = jobs.held(connection, job_id, owner)
    if job is None:
        raise Conflict(f"job {job_id} is not for this process")
    acting = session
    try:
        # With the rights of this moment: who asked for it may have lost some.
        acting = session.acting_as(actor_named(session, job.account_id, job.actor))
        result = _work(acting, job, owner)
    except GatehouseError as refused:
        _finish(acting, job, owner, JobState.FAILED, error=said_by(refused))
        return JobState.FAILED
    text = msgspec.json.encode(result, enc_hook=as_note).decode()
    _finish(acting, job, owner, JobState.SUCCEEDED, result=text)
    return JobState.SUCCEEDED


def _work(session: AdminSession, job: StoredJob, owner: str) -> Any:
    content, kind = jobs.content_of(session, job), JobKind(job.kind)
    return WORKS[kind](
        Work(
            session=session,
            account_id=job.account_id,
            order=msgspec.json.decode(job.parameters, type=ORDERS[kind]),
            content=content,
            reached=_Reporter(session, job, owner).reached,
        )
    )


class _Reporter:
    """Writes how far a job is, at most twice a second."""

    def __init__(self, session: AdminSession, job: StoredJob, owner: str) -> None:
        self._session = session
        self._job = job
        self._owner = owner
        self._step = ""
        self._next = float("-inf")

    def reached(self, done: int | None, total: int | None, step: str) -> None:
        now = time.monotonic()
        if now < self._next and step == self._step:
            return
        self._next, self._step = now + _REPORT_S, step
        with self._session.database.writing() as connection:
            jobs.report(connection, self._job.id, self._owner, done=done, total=total, step=step)


def _finish(
    session: AdminSession, job: StoredJob, owner: str, state: JobState, **told: str
) -> None:
    with session.change(unseen=True) as change:
        jobs.finish(change, job, owner, state, **told)
