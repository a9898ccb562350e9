"""Jobs: queued, taken, done in a process of their own, and never lost."""

import asyncio
import sys
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import (
    BacktestOrder,
    ErasureOrder,
    ImportOrder,
    JobKind,
    JobSearch,
    LabelAuditOrder,
    ModelTrialOrder,
    NamedPerson,
    TrainingOrder,
)
from gatehouse.admin.jobs.use_cases import StoredJob
from gatehouse.admin.jobs.worker.running import run_job
from gatehouse.admin.jobs.worker.worker import JobWorker
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import NewKey
from gatehouse.core.errors import Conflict, NotFound, RightMissing
from gatehouse.core.job_state import JobState
from gatehouse.store import jobs
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.jobs import LEASE_MS, MOST_ATTEMPTS, MOST_UNFINISHED, NewJob, TooManyJobs
from gatehouse.store.tables import EVENTS, IDENTITIES, JOBS
from tests.harness import CARD, PATIENCE_S, make_account

DOCUMENT = "rule_set: mine\nrules:\n  - {name: a, condition: order.amount > 5, outcome: REVIEW}\n"
PEOPLE = f"cardNumber,firstName,lastName\n{CARD},Ann,Archer\nnonsense,Ben,Baker\n"
ROWS = ImportOrder("csv")
OWNER = "srv_1"


@pytest.fixture
def account(session: AdminSession) -> str:
    return make_account(session)


@pytest.fixture
def merchant(session: AdminSession, account: str) -> AdminSession:
    return keyed(session, account)


def keyed(session: AdminSession, account: str, scope: str = "manage") -> AdminSession:
    """The session of a key that may manage everything of an account, or some of it."""
    key_id = keys.issue(session, account, NewKey(scopes=[scope])).issued.key_id
    return session.acting_as(Actor.key(key_id, account, scopes=(scope,)))


def take(session: AdminSession, later_ms: int = 0) -> StoredJob | None:
    with session.database.writing() as connection:
        return jobs.claim(connection, OWNER, session.clock() + later_ms)


def finished(
    session: AdminSession, account: str, kind: JobKind, order: Any, content: bytes = b""
) -> Any:
    """How a job ends that is asked for and run at once."""
    merchant = keyed(session, account)
    job = queue.start_job(merchant, account, kind, order, content)
    assert take(session) is not None
    run_job(session, job.id, OWNER)
    return queue.get_job(merchant, account, job.id)


def test_an_import_reports_its_bad_rows_and_forgets_its_file(
    session: AdminSession, account: str
) -> None:
    done = finished(session, account, JobKind.IDENTITY_IMPORT, ROWS, PEOPLE.encode())
    result = msgspec.json.decode(done.result)
    assert (done.state, result["added"], result["refused"]) == (JobState.SUCCEEDED, 1, 1)
    assert [(row["line"], row["field"]) for row in result["badRows"]] == [(3, "cardNumber")]
    assert done.done == done.total == len(PEOPLE)
    with session.reading() as connection:
        row = connection.execute(sa.select(JOBS)).one()
        event = connection.execute(sa.select(EVENTS).where(EVENTS.c.type != "key.created")).one()
    assert (row.sealed, row.owner, row.actor[:8]) == (None, None, "key:key_")
    assert (event.type, event.actor) == ("import.finished", row.actor)
    assert CARD not in str(row) + str(event)


def test_what_a_job_works_on_is_sealed(merchant: AdminSession, account: str) -> None:
    queue.start_job(merchant, account, JobKind.IDENTITY_IMPORT, ROWS, PEOPLE.encode())
    with merchant.reading() as connection:
        row = connection.execute(sa.select(JOBS)).one()
    assert CARD.encode() not in row.sealed
    assert CARD not in str(row.parameters)


@pytest.mark.parametrize("changed", ["account", "actor", "kind", "parameters", "none"])
def test_what_a_job_works_on_serves_for_no_other_order(
    sqlite_session: AdminSession, changed: str
) -> None:
    session = sqlite_session
    account, victim = make_account(session), make_account(session)
    merchant = keyed(session, account)
    dry_run = ImportOrder("csv", dry_run=True)
    job = queue.start_job(merchant, account, JobKind.IDENTITY_IMPORT, dry_run, PEOPLE.encode())
    rows: dict[str, dict[str, Any]] = {
        "account": {"account_id": victim, "actor": "cli:root"},
        "actor": {"actor": "cli:root"},
        "kind": {"kind": JobKind.FEEDBACK_IMPORT.value},
        "parameters": {"parameters": msgspec.json.encode(ROWS).decode()},
        "none": {"kind": JobKind.BULK.value, "sealed": None, "key_version": None},
    }
    with session.database.writing() as connection:
        connection.execute(JOBS.update().values(rows[changed]))
    assert take(session) is not None
    assert run_job(session, job.id, OWNER) is JobState.FAILED
    with session.reading() as connection:
        error = str(connection.scalar(sa.select(JOBS.c.error)))
        assert ("put where it does not belong" in error) == (changed != "none"), error
        assert connection.scalar(sa.select(sa.func.count()).select_from(IDENTITIES)) == 0


def test_every_kind_of_job_comes_to_its_result(sqlite_session: AdminSession) -> None:
    session = sqlite_session
    account = make_account(session)
    now_ms = session.clock()
    labels = b"clientReferenceId,label\norder-1,FRAUD\n"
    kept = finished(session, account, JobKind.FEEDBACK_IMPORT, ROWS, labels)
    assert msgspec.json.decode(kept.result)["badRows"][0]["line"] == 2
    order = BacktestOrder(DOCUMENT, now_ms - 1000, now_ms + 1000)
    tried = finished(session, account, JobKind.BACKTEST, order)
    # There are no records, which is told to the one who asked.
    assert (tried.state, bool(tried.error)) == (JobState.FAILED, True)
    ann = msgspec.json.encode(NamedPerson(user_id="u-1", card_number=CARD))
    erased = finished(session, account, JobKind.ERASURE, ErasureOrder(), ann)
    assert msgspec.json.decode(erased.result)["namedBy"] == ["user", "card"]
    trained = finished(session, account, JobKind.TRAINING, TrainingOrder(0, now_ms, 0))
    assert (trained.state, bool(trained.error)) == (JobState.FAILED, True)
    audited = finished(session, account, JobKind.LABEL_AUDIT, LabelAuditOrder(0, now_ms, 0))
    assert (audited.state, bool(audited.error)) == (JobState.FAILED, True)
    none = finished(session, account, JobKind.MODEL_TRIAL, ModelTrialOrder(0, 0, now_ms))
    assert msgspec.json.decode(none.result)["requests"] == 0


def test_a_job_reaches_no_more_than_its_key(sqlite_session: AdminSession) -> None:
    session = sqlite_session
    account = make_account(session)
    merchant = keyed(session, account, "manage:rules")
    order = BacktestOrder(DOCUMENT, 0, session.clock())
    with pytest.raises(RightMissing, match="the scope decisions"):
        queue.start_job(merchant, account, JobKind.BACKTEST, order)
    # One that was queued before keys were asked.
    text = msgspec.json.encode(order).decode()
    with merchant.change(unseen=True) as change:
        job = jobs.add(change, account, NewJob(JobKind.BACKTEST.value, text))
    assert take(session) is not None
    assert run_job(session, job.id, OWNER) is JobState.FAILED
    assert "the scope decisions" in str(queue.get_job(session, account, job.id).error)


def test_an_account_sees_its_own_jobs_and_cancels_them(
    session: AdminSession, merchant: AdminSession, account: str
) -> None:
    job = queue.start_job(merchant, account, JobKind.FEEDBACK_IMPORT, ROWS, b"label\n")
    other = make_account(session)
    stranger = keyed(session, other)
    for use_case in (queue.get_job, queue.show_job, queue.cancel_job):
        with pytest.raises(NotFound):
            use_case(stranger, other, job.id)
        with pytest.raises(NotFound):
            use_case(stranger, account, job.id)
    assert queue.list_jobs(stranger, other) == []
    assert queue.show_jobs(stranger, other, JobSearch()).jobs == []
    with pytest.raises(NotFound):
        queue.show_jobs(stranger, account, JobSearch())
    assert [each.id for each in queue.list_jobs(merchant, account)] == [job.id]
    seen = queue.show_jobs(merchant, account, JobSearch()).jobs
    assert seen == [queue.show_job(merchant, account, job.id)]
    assert queue.cancel_job(merchant, account, job.id).state is JobState.CANCELED
    with pytest.raises(Conflict, match="CANCELED"):
        queue.cancel_job(merchant, account, job.id)
    assert take(session) is None


def test_an_account_cannot_fill_the_queue_or_keep_others_waiting(
    session: AdminSession, merchant: AdminSession, account: str
) -> None:
    mine = [
        queue.start_job(merchant, account, JobKind.FEEDBACK_IMPORT, ROWS, b"x")
        for _ in range(MOST_UNFINISHED)
    ]
    with pytest.raises(TooManyJobs):
        queue.start_job(merchant, account, JobKind.FEEDBACK_IMPORT, ROWS, b"x")
    other = make_account(session)
    theirs = queue.start_job(session, other, JobKind.FEEDBACK_IMPORT, ROWS, b"x")
    taken = [take(session), take(session), take(session)]
    assert [None if each is None else each.id for each in taken] == [mine[0].id, theirs.id, None]


def test_a_job_of_a_dead_server_is_taken_again_and_fails_after_some_attempts(
    session: AdminSession, merchant: AdminSession, account: str
) -> None:
    job = queue.start_job(merchant, account, JobKind.FEEDBACK_IMPORT, ROWS, b"x")
    for attempt in range(MOST_ATTEMPTS):
        later_ms = attempt * (LEASE_MS + 1)
        taken = take(session, later_ms)
        assert taken is not None
        assert (taken.id, taken.attempts) == (job.id, attempt + 1)
        assert take(session, later_ms) is None
    assert take(session, MOST_ATTEMPTS * (LEASE_MS + 1)) is None
    ended = queue.get_job(merchant, account, job.id)
    assert (ended.state, "3 times" in str(ended.error)) == (JobState.FAILED, True)


def test_a_process_that_lost_its_job_changes_nothing_about_it(
    session: AdminSession, merchant: AdminSession, account: str
) -> None:
    job = queue.start_job(merchant, account, JobKind.FEEDBACK_IMPORT, ROWS, b"x")
    assert take(session) is not None
    with pytest.raises(Conflict, match="not for this process"):
        run_job(session, job.id, "srv_2")
    assert queue.get_job(merchant, account, job.id).state is JobState.RUNNING


def supervise(session: AdminSession, account: str, program: str, until: JobState) -> StoredJob:
    """What becomes of a job whose process runs a program, while a worker looks after it."""
    merchant = keyed(session, account)
    job = queue.start_job(merchant, account, JobKind.FEEDBACK_IMPORT, ROWS, b"label\n")

    async def work() -> None:
        worker = JobWorker(session, OWNER, 1, lambda *_: [sys.executable, "-c", program])
        running = asyncio.create_task(worker.run())
        worker.look_now()
        async with asyncio.timeout(PATIENCE_S):
            while queue.get_job(merchant, account, job.id).state is not until:
                seen = queue.get_job(merchant, account, job.id)
                wanted = until is JobState.CANCELED and seen.state is JobState.RUNNING
                if wanted and not seen.canceled:
                    queue.cancel_job(merchant, account, job.id)
                await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(work())
    return queue.get_job(merchant, account, job.id)


def test_a_process_that_ends_without_a_result_is_tried_again_and_then_given_up(
    sqlite_session: AdminSession,
) -> None:
    account = make_account(sqlite_session)
    ended = supervise(sqlite_session, account, "raise SystemExit(9)", JobState.FAILED)
    assert ended.attempts == MOST_ATTEMPTS


def test_a_running_job_ends_when_it_is_cancelled(sqlite_session: AdminSession) -> None:
    account = make_account(sqlite_session)
    ended = supervise(sqlite_session, account, "import sys; sys.stdin.read()", JobState.CANCELED)
    assert (ended.attempts, ended.is_finished) == (1, True)


def test_a_server_that_stops_leaves_its_job_to_the_next(sqlite_session: AdminSession) -> None:
    account = make_account(sqlite_session)
    left = supervise(sqlite_session, account, "import sys; sys.stdin.read()", JobState.RUNNING)
    assert (left.state, left.attempts) == (JobState.QUEUED, 0)
