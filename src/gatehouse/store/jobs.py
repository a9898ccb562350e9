"""Jobs: long work that is queued, taken by one server at a time, and reported on.

A server that takes a job holds a lease on it and renews it. A job whose lease has ended is queued
again, because its server is gone, or fails after some attempts.
"""

from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.job_state import JobState
from gatehouse.core.secrets.keyring import JOBS as PURPOSE
from gatehouse.core.secrets.sealing import Sealer
from gatehouse.core.wording.sentences import Phrase, phrases_of
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.counting import count_rows
from gatehouse.store.database import struct_from
from gatehouse.store.identities.identities import overwrite_deleted
from gatehouse.store.notices import ChangeNotice, notify
from gatehouse.store.tables import JOBS

_JOB_DIED: Final = Phrase(
    "refused.job_died", "the process that worked on it ended unexpectedly, {count} times"
)

_JOBS_MANY: Final = Phrase(
    "refused.jobs_many", "an account has at most {most} jobs that are not finished"
)
_NO_JOB: Final = Phrase("refused.no_job", "no job {job}")
_JOB_ENDED: Final = Phrase("refused.job_ended", "job {job} has ended already: {state}")

MOST_UNFINISHED: Final = 20
"""Jobs of one account that wait or run."""
MOST_ATTEMPTS: Final = 3
LEASE_MS: Final = 30_000
KEPT_MS: Final = 30 * 86_400_000
_LONGEST_ERROR: Final = 2000
_C: Final = JOBS.c
_STATES: Final = phrases_of("word.job", {each.value: each.value for each in JobState})


class TooManyJobs(Conflict):
    """The account has as many unfinished jobs as it may have."""


class StoredJob(msgspec.Struct, frozen=True):
    """A job without what it works on."""

    id: str
    account_id: str
    kind: str
    state: JobState
    actor: str
    parameters: str
    """As JSON, without anything secret or personal."""
    created_at_ms: int
    started_at_ms: int | None
    finished_at_ms: int | None
    done: int | None
    total: int | None
    attempts: int
    canceled: int
    """Whether somebody asked for its end."""
    step: str | None
    """What it is doing, in words."""
    result: str | None
    """As JSON."""
    error: str | None

    @property
    def is_finished(self) -> bool:
        """Whether it has come to an end, good or bad."""
        return self.finished_at_ms is not None


class NewJob(NamedTuple):
    """A job to queue: what it does, how, and what on."""

    kind: str
    parameters: str
    content: bytes = b""
    """Sealed until the job ends, and with it what was ordered."""


_ORDERED: Final = ("id", "account_id", "kind", "actor", "parameters")
"""What the content of a job is bound to."""
_COLUMNS: Final = [_C[name] for name in StoredJob.__struct_fields__]


def add(change: Change, account_id: str, new: NewJob) -> StoredJob:
    """Queue a job."""
    unfinished = _C.account_id == account_id, _C.finished_at_ms.is_(None)
    if count_rows(change.connection, JOBS, *unfinished) >= MOST_UNFINISHED:
        raise TooManyJobs(_JOBS_MANY(most=MOST_UNFINISHED))
    job_id = change.new_id("job")
    ordered = (job_id, account_id, new.kind, str(change.actor), new.parameters)
    sealer, label = Sealer(change.ring, PURPOSE), msgspec.json.encode(ordered)
    version, sealed = sealer.seal(new.content, label, change.random_bytes)
    row = {
        **dict(zip(_ORDERED, ordered, strict=True)),
        **{"state": JobState.QUEUED.value, "key_version": version, "sealed": sealed},
        **{"created_at_ms": change.now_ms, "attempts": 0, "canceled": 0},
    }
    change.connection.execute(JOBS.insert(), row)
    notify(change.connection, ChangeNotice.JOBS)
    change.audit("job.start", account_id, jobId=job_id, kind=new.kind)
    return get(change.connection, account_id, job_id)


def get(connection: sa.Connection, account_id: str, job_id: str) -> StoredJob:
    """One job of an account; or `NotFound`."""
    query = sa.select(*_COLUMNS).where(_C.id == job_id, _C.account_id == account_id)
    row = connection.execute(query).first()
    if row is None:
        raise NotFound(_NO_JOB(job=recordable(job_id)))
    return struct_from(row, StoredJob)


def page(
    connection: sa.Connection, account_id: str, kinds: list[str], before: str | None, limit: int
) -> list[StoredJob]:
    """Jobs of an account, newest first."""
    query = sa.select(*_COLUMNS).where(_C.account_id == account_id, _C.kind.in_(kinds))
    if before is not None:
        query = query.where(_C.id < before)
    rows = connection.execute(query.order_by(_C.id.desc()).limit(limit))
    return [struct_from(row, StoredJob) for row in rows]


def cancel(change: Change, account_id: str, job_id: str) -> StoredJob:
    """End a job that waits, or ask for the end of one that runs; `Conflict` if it has ended."""
    job = get(change.connection, account_id, job_id)
    if job.is_finished:
        raise Conflict(_JOB_ENDED(job=job_id, state=_STATES[job.state]()))
    if job.state is JobState.QUEUED:
        _end(change.connection, job_id, change.now_ms, state=JobState.CANCELED)
    change.connection.execute(JOBS.update().where(_C.id == job_id).values(canceled=1))
    change.audit("job.cancel", account_id, jobId=job_id)
    return get(change.connection, account_id, job_id)


def needs_a_server(connection: sa.Connection, now_ms: int) -> bool:
    """Whether a job waits, or was left by its server."""
    unfinished = _C.finished_at_ms.is_(None)
    left = (_C.state == JobState.QUEUED) | (_C.lease_until_ms < now_ms)
    return connection.execute(sa.select(_C.id).where(unfinished, left).limit(1)).first() is not None


def claim(connection: sa.Connection, owner: str, now_ms: int) -> StoredJob | None:
    """Take the oldest job that waits, of an account for which none runs; None without one."""
    _give_back_left(connection, now_ms)
    busy = sa.select(_C.account_id).where(_C.state == JobState.RUNNING, _C.finished_at_ms.is_(None))
    query = (
        sa.select(_C.id)
        .where(_C.state == JobState.QUEUED, _C.finished_at_ms.is_(None))
        .where(_C.account_id.not_in(busy))
        .order_by(_C.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    job_id = connection.scalar(query)
    if job_id is None:
        return None
    taken = {
        **{"state": JobState.RUNNING.value, "owner": owner, "attempts": _C.attempts + 1},
        **{"started_at_ms": now_ms, "lease_until_ms": now_ms + LEASE_MS},
        **{"done": None, "total": None, "step": None},
    }
    connection.execute(JOBS.update().where(_C.id == job_id).values(taken))
    return held(connection, job_id, owner)


def held(connection: sa.Connection, job_id: str, owner: str) -> StoredJob | None:
    """A job that an owner works on; None when it has been taken away or has ended."""
    row = connection.execute(sa.select(*_COLUMNS).where(_held(job_id, owner))).first()
    return None if row is None else struct_from(row, StoredJob)


def renew(connection: sa.Connection, job_id: str, owner: str, now_ms: int) -> StoredJob | None:
    """Keep a job for longer; None when it has been taken away or has ended."""
    lease = JOBS.update().where(_held(job_id, owner)).values(lease_until_ms=now_ms + LEASE_MS)
    connection.execute(lease)
    return held(connection, job_id, owner)


def report(connection: sa.Connection, job_id: str, owner: str, **progress: Any) -> None:
    """Say how far a job is."""
    connection.execute(JOBS.update().where(_held(job_id, owner)).values(progress))


def content_of(session: AdminSession, job: StoredJob) -> bytes:
    """What a job works on; `KeyMissing` or `SealBroken` when it is not as it was ordered."""
    with session.reading() as connection:
        row = connection.execute(sa.select(_C.key_version, _C.sealed).where(_C.id == job.id)).one()
    label = msgspec.json.encode([getattr(job, name) for name in _ORDERED])
    return Sealer(session.ring, PURPOSE).open(row.key_version, row.sealed or b"", label)


def finish(change: Change, job: StoredJob, owner: str, state: JobState, **told: str) -> bool:
    """End a job with its result or error; whether the owner still had it."""
    if held(change.connection, job.id, owner) is None:
        change.audit("job.lost", job.account_id, jobId=job.id, kind=job.kind)
        return False
    _end(change.connection, job.id, change.now_ms, state=state, **told)
    change.audit("job.finish", job.account_id, jobId=job.id, kind=job.kind, state=state.value)
    return True


def give_back(connection: sa.Connection, job_id: str, owner: str, now_ms: int) -> None:
    """Queue a job again that its process has left; after some attempts it fails."""
    row = connection.execute(
        sa.select(_C.attempts, _C.canceled).where(_held(job_id, owner))
    ).first()
    if row is not None:
        _give_back(connection, job_id, row, now_ms)


def release(connection: sa.Connection, owner: str, job_id: str | None = None) -> None:
    """Queue again a job that a stopping server has taken, or all of them; that is no attempt."""
    taken = (_C.owner == owner) & (_C.state == JobState.RUNNING)
    if job_id is not None:
        taken &= _C.id == job_id
    back = {"state": JobState.QUEUED.value, "owner": None, "attempts": _C.attempts - 1}
    connection.execute(JOBS.update().where(taken).values(back))


def delete_old(connection: sa.Connection, now_ms: int) -> None:
    """Delete jobs that ended long ago."""
    connection.execute(JOBS.delete().where(_C.finished_at_ms < now_ms - KEPT_MS))


def _held(job_id: str, owner: str) -> sa.ColumnElement[bool]:
    return (_C.id == job_id) & (_C.owner == owner) & (_C.state == JobState.RUNNING)


def _give_back_left(connection: sa.Connection, now_ms: int) -> None:
    left = sa.select(_C.id, _C.attempts, _C.canceled).where(
        _C.finished_at_ms.is_(None), _C.state == JobState.RUNNING, _C.lease_until_ms < now_ms
    )
    for row in connection.execute(left.with_for_update(skip_locked=True)).all():
        _give_back(connection, row.id, row, now_ms)


def _give_back(connection: sa.Connection, job_id: str, row: Any, now_ms: int) -> None:
    if row.canceled:
        _end(connection, job_id, now_ms, state=JobState.CANCELED)
    elif row.attempts >= MOST_ATTEMPTS:
        error = _JOB_DIED(count=row.attempts)
        _end(connection, job_id, now_ms, state=JobState.FAILED, error=error)
    else:
        back = {"state": JobState.QUEUED.value, "owner": None, "lease_until_ms": None}
        connection.execute(JOBS.update().where(_C.id == job_id).values(back))


def _end(
    connection: sa.Connection, job_id: str, now_ms: int, *, state: JobState, **told: str
) -> None:
    overwrite_deleted(connection)
    if len(told.get("error", "")) > _LONGEST_ERROR:
        told["error"] = recordable(told["error"])[:_LONGEST_ERROR]
    ended = {"state": state.value, "finished_at_ms": now_ms, "lease_until_ms": None}
    gone = {"owner": None, "sealed": None, "key_version": None}
    connection.execute(JOBS.update().where(_C.id == job_id).values(ended | gone | told))
