"""What requests hold that lost the database, or were broken off, is given back in seconds."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest

from gatehouse.admin.money.use_cases import money
from gatehouse.core.errors import AuthorizationLost, StoreUnavailable
from gatehouse.core.money import Payment
from gatehouse.pipeline.engine import Engine, EngineOptions
from gatehouse.pipeline.job import Processed
from gatehouse.pipeline.settlement import Claim, StillInFlight
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests.batch_sql import BatchSession, open_batch_session
from gatehouse.store.requests.settlement import Changes, Expire
from gatehouse.store.requests.sweeper import Sweeper
from gatehouse.store.requests.writer import Writer
from tests.harness import Home, make_account
from tests.pipeline.test_engine import MASKER, PlayStage, intents_of, nothing, order, planned

OWNER = "srv_test"
BALANCE, FEE = 100_000, 50_000
TTL_MS = 120_000


class Parts:
    """The parts of a server that hold fees and give them back."""

    def __init__(self, session: AdminSession, open_session: Callable[[], BatchSession]) -> None:
        self.writer = Writer(open_session)
        options = EngineOptions(owner=OWNER, authorization_ttl_ms=TTL_MS, guess_limit=0)
        self.engine = Engine(self.writer, MASKER, session.clock, time.perf_counter, options)
        self.sweeper = Sweeper(session.database, self.writer, session.clock, None)
        self.sweeper.look_after(OWNER, self.engine.under_way)


@contextlib.asynccontextmanager
async def running(
    session: AdminSession, open_session: Callable[[], BatchSession] | None = None
) -> AsyncIterator[Parts]:
    parts = Parts(session, open_session or (lambda: open_batch_session(session.database)))
    parts.writer.start()
    try:
        yield parts
    finally:
        await parts.writer.stop()


async def looks(sweeper: Sweeper, times: int) -> list[int]:
    """How many holds each look ended."""
    return [await sweeper.release_of_ended() for _ in range(times)]


def state(session: AdminSession, account: str) -> tuple[int, int]:
    assert money.verify_ledger(session).problems == []
    with session.reading() as connection:
        found = accounts.state(connection, account)
    return found.balance, found.held


@pytest.fixture
def account(session: AdminSession) -> str:
    return make_account(session, micros=BALANCE)


def losing(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch, part: str, *, committed: bool
) -> Callable[[], BatchSession]:
    """Opens sessions that lose their connection once, before or after they commit such changes."""
    lost: list[str] = []

    def open_session() -> BatchSession:
        opened = open_batch_session(session.database)
        save = opened.save

        def save_and_lose(changes: Changes, *, flush: bool = True) -> None:
            loses = bool(getattr(changes, part)) and not lost
            if committed or not loses:
                save(changes, flush=flush)
            if loses:
                lost.append(part)
                raise StoreUnavailable("the connection was lost")

        monkeypatch.setattr(opened, "save", save_and_lose)
        return opened

    return open_session


@pytest.mark.parametrize(
    ("part", "committed"),
    [
        pytest.param("holds_added", True, id="the answer to its authorization"),
        pytest.param("decisions", False, id="its close"),
    ],
)
def test_a_request_that_lost_the_database_can_be_repeated_after_two_looks(
    session: AdminSession,
    account: str,
    monkeypatch: pytest.MonkeyPatch,
    part: str,
    committed: bool,
) -> None:
    claim = Claim("a key", "a body", session.clock() + 86_400_000)

    async def scenario() -> None:
        async with running(
            session, losing(session, monkeypatch, part, committed=committed)
        ) as parts:

            async def ask() -> object:
                wanted = order(PlayStage("PRECHECK", nothing), account_id=account)
                return await parts.engine.process(msgspec.structs.replace(wanted, claim=claim))

            with pytest.raises(StoreUnavailable):
                await ask()
            assert state(session, account) == (BALANCE, FEE)
            assert isinstance(await ask(), StillInFlight)
            assert await looks(parts.sweeper, 3) == [0, 1, 0]
            assert state(session, account) == (BALANCE, 0)
            assert isinstance(await ask(), Processed)

    asyncio.run(scenario())
    assert state(session, account) == (BALANCE - FEE, 0)


def test_a_hold_whose_flush_failed_is_given_back_and_its_payment_reversed(
    tmp_path: Path, new_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[str] = []

    async def scenario(session: AdminSession) -> None:
        account = make_account(session, micros=BALANCE)
        wanted = planned(
            order(PlayStage("PRECHECK", nothing), account_id=account), intent=Payment(5990, "USD")
        )

        def open_session() -> BatchSession:
            opened = open_batch_session(session.database)
            flush = opened.flush

            def flush_or_lose() -> None:
                if not lost:
                    lost.append("flush")
                    raise StoreUnavailable("the connection was lost")
                flush()

            monkeypatch.setattr(opened, "flush", flush_or_lose)
            return opened

        async with running(session, open_session) as parts:
            with pytest.raises(StoreUnavailable):
                await parts.engine.process(wanted)
            assert state(session, account) == (BALANCE, FEE)
            assert intents_of(session, wanted.request_id) == ["OPEN"]
            assert await looks(parts.sweeper, 2) == [0, 1]
            assert state(session, account) == (BALANCE, 0)
            assert intents_of(session, wanted.request_id) == ["REVERSE"]

    with Home(tmp_path / "home", new_database()).session() as session:
        asyncio.run(scenario(session))


def test_what_a_request_holds_that_was_broken_off_in_its_authorization_is_given_back(
    session: AdminSession, account: str
) -> None:
    async def scenario() -> None:
        async with running(session) as parts:
            wanted = order(PlayStage("PRECHECK", nothing), account_id=account)
            task = asyncio.create_task(parts.engine.process(wanted))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # Orders are settled one after the other, so that the authorization is there after this.
            await parts.writer.release(Expire(account, "req_unknown", session.clock()))
            assert state(session, account) == (BALANCE, FEE)
            assert await looks(parts.sweeper, 2) == [0, 1]

    asyncio.run(scenario())
    assert state(session, account) == (BALANCE, 0)


@contextlib.asynccontextmanager
async def in_the_middle(
    parts: Parts, account: str
) -> "AsyncIterator[tuple[asyncio.Task[object], asyncio.Event]]":
    """A request whose stage waits until it is let go."""
    let_go = asyncio.Event()
    stage = PlayStage("PRECHECK", lambda _case: let_go.wait())
    stage.time_limit_ms = 600_000

    async def ask() -> object:
        return await parts.engine.process(order(stage, account_id=account))

    task = asyncio.create_task(ask())
    while not stage.ran:  # noqa: ASYNC110  # a stage has no event to wait for
        await asyncio.sleep(0)
    try:
        yield task, let_go
    finally:
        # Its writer stops next, and would never answer it.
        let_go.set()
        await asyncio.gather(task, return_exceptions=True)


def test_a_request_under_way_keeps_what_it_holds_however_long_it_takes(
    session: AdminSession, account: str
) -> None:
    async def scenario() -> None:
        async with running(session) as parts, in_the_middle(parts, account) as (task, let_go):
            assert await looks(parts.sweeper, 3) == [0, 0, 0]
            assert state(session, account) == (BALANCE, FEE)
            let_go.set()
            assert isinstance(await task, Processed)
            assert await looks(parts.sweeper, 2) == [0, 0]

    asyncio.run(scenario())
    assert state(session, account) == (BALANCE - FEE, 0)


def test_a_close_that_comes_after_all_charges_nothing(session: AdminSession, account: str) -> None:
    async def scenario() -> None:
        async with running(session) as parts, in_the_middle(parts, account) as (task, let_go):
            mistaken = Sweeper(session.database, parts.writer, session.clock, None)
            mistaken.look_after(OWNER, ())
            assert await looks(mistaken, 2) == [0, 1]
            let_go.set()
            with pytest.raises(AuthorizationLost):
                await task

    asyncio.run(scenario())
    assert state(session, account) == (BALANCE, 0)
