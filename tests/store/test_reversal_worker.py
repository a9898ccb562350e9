"""Payments in doubt are taken back: once each, patiently, and never authorized again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any
from unittest import mock

import pytest

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests import intents
from gatehouse.store.requests.asking_gateway import MOST_ATTEMPTS, wait_ms
from gatehouse.store.requests.intents import IntentState, KeptIntent
from gatehouse.store.requests.reversal_worker import KEPT_MS, ReversalWorker, after_attempt
from gatehouse.store.requests.sweeper import Sweeper
from gatehouse.store.tables import GATEWAY_INTENTS, HOLDS
from gatehouse.workers.due_work import DueWork
from tests.harness import PATIENCE_S

NOW = 1_000_000_000_000


class RecordingGateway:
    """Remembers what it was asked, and does as it is told."""

    def __init__(self, does: Callable[[], Awaitable[Any]] | None = None) -> None:
        self.does = does
        self.reversals: list[Reversal] = []

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        raise AssertionError("nothing is ever authorized again")

    async def reverse(self, reversal: Reversal) -> None:
        self.reversals.append(reversal)
        if self.does is not None:
            await self.does()


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_ms = NOW

    def __call__(self) -> int:
        return self.now_ms


def put(session: AdminSession, request_id: str, **values: Any) -> None:
    row = {
        "request_id": request_id,
        "account_id": "acct_1",
        "amount_minor": 5990,
        "currency": "USD",
        "at_ms": NOW,
        "state": IntentState.REVERSE,
        "attempts": 0,
        "next_at_ms": NOW,
        "changed_at_ms": NOW,
        "detail": "expired",
    }
    with session.database.writing() as connection:
        connection.execute(GATEWAY_INTENTS.insert(), row | values)


def get(session: AdminSession, request_id: str) -> KeptIntent:
    with session.reading() as connection:
        return intents.get(connection, request_id)


def reverser(
    session: AdminSession, gateway: RecordingGateway, clock: Hands | None = None
) -> ReversalWorker:
    return ReversalWorker(session.database, gateway, clock or Hands(), time_limit_ms=50)


def reversals(session: AdminSession, gateway: RecordingGateway) -> DueWork:
    """The part of a server that reverses what is due; it never sweeps here."""
    return DueWork(
        mock.Mock(Sweeper),
        reverser(session, gateway),
        mock.Mock(),
        mock.Mock(),
        mock.Mock(),
        Hands(),
    )


def test_what_is_due_is_reversed_once_and_what_is_not_is_left_alone(session: AdminSession) -> None:
    put(session, "due")
    put(session, "later", next_at_ms=NOW + 1)
    put(session, "open", state=IntentState.OPEN, next_at_ms=None)
    put(session, "failed", state=IntentState.FAILED, next_at_ms=None)
    put(session, "reversed", state=IntentState.REVERSED, next_at_ms=NOW + 1)
    gateway = RecordingGateway()
    asked = [asyncio.run(reverser(session, gateway).reverse_due()) for _ in range(2)]
    assert asked == [1, 0]
    assert gateway.reversals == [Reversal("due", Payment(5990, "USD"), "acct_1")]
    done = get(session, "due")
    assert (done.state, done.attempts, done.next_at_ms) == (IntentState.REVERSED, 1, NOW + KEPT_MS)
    assert done.detail == "expired"


async def _fail() -> None:
    raise ConnectorFailed("down")


async def _hang() -> None:
    await asyncio.get_running_loop().create_future()


async def _break() -> None:
    raise ValueError("a defect")


async def _cancel_itself() -> None:
    raise asyncio.CancelledError


def test_failed_attempts_say_why_and_spoil_no_other(session: AdminSession) -> None:
    failures = {
        "down": (_fail, "connector_failed"),
        "silent": (_hang, "timeout"),
        "broken": (_break, "defect"),
        "gone": (_cancel_itself, "defect"),
    }
    for request_id in (*failures, "good"):
        put(session, request_id)
    gateway = RecordingGateway()

    async def each_in_its_way() -> None:
        asked = gateway.reversals[-1].request_id
        if asked in failures:
            await failures[asked][0]()

    gateway.does = each_in_its_way
    assert asyncio.run(reverser(session, gateway).reverse_due()) == 5
    for request_id, (_, detail) in failures.items():
        bad = get(session, request_id)
        assert (bad.state, bad.attempts, bad.detail) == (IntentState.REVERSE, 1, detail)
        assert bad.next_at_ms == NOW + wait_ms(1)
    assert get(session, "good").state is IntentState.REVERSED


def test_attempts_go_on_with_longer_waits_until_somebody_must_look_after_it(
    sqlite_session: AdminSession, caplog: pytest.LogCaptureFixture
) -> None:
    put(sqlite_session, "r0")
    gateway, clock = RecordingGateway(_fail), Hands()
    keen = reverser(sqlite_session, gateway, clock)
    waits = []
    with caplog.at_level(logging.INFO, logger="gatehouse.store"):
        while (intent := get(sqlite_session, "r0")).state is IntentState.REVERSE:
            assert intent.next_at_ms is not None
            waits.append((intent.next_at_ms - clock.now_ms) // 1000)
            clock.now_ms = intent.next_at_ms
            assert asyncio.run(keen.reverse_due()) == 1
    assert waits == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, *[600] * (MOST_ATTEMPTS - 11)]
    assert (intent.state, intent.attempts) == (IntentState.FAILED, MOST_ATTEMPTS)
    assert intent.next_at_ms is None
    assert len(gateway.reversals) == MOST_ATTEMPTS
    assert [line.levelno for line in caplog.records].count(logging.ERROR) == 1
    assert caplog.records[-1].requestId == "r0"  # type: ignore[attr-defined]  # an extra


def test_servers_that_look_at_the_same_time_ask_once_for_each_payment(
    session: AdminSession,
) -> None:
    for number in range(40):
        put(session, f"r{number:02d}", next_at_ms=NOW - number)
    gateway = RecordingGateway(lambda: asyncio.sleep(0.005))

    async def scenario() -> int:
        servers = [reverser(session, gateway) for _ in range(4)]
        turns = 0
        while asked := sum(await asyncio.gather(*(server.reverse_due() for server in servers))):
            turns += asked
        return turns

    assert asyncio.run(scenario()) == 40
    assert len({each.request_id for each in gateway.reversals}) == len(gateway.reversals) == 40


def test_a_server_that_dies_in_the_middle_leaves_the_payment_to_the_others(
    session: AdminSession,
) -> None:
    put(session, "r0")
    clock = Hands()

    async def dies() -> None:
        task = asyncio.create_task(reverser(session, hanging, clock).reverse_due())
        await _until(lambda: bool(hanging.reversals))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    hanging, other = RecordingGateway(_hang), RecordingGateway()
    asyncio.run(dies())
    assert asyncio.run(reverser(session, other, clock).reverse_due()) == 0
    clock.now_ms += 31_000
    assert asyncio.run(reverser(session, other, clock).reverse_due()) == 1
    assert get(session, "r0").state is IntentState.REVERSED


def test_what_requests_left_behind_is_found_and_what_is_old_is_forgotten(
    session: AdminSession,
) -> None:
    put(session, "left behind", state=IntentState.OPEN, next_at_ms=None)
    put(session, "under way", state=IntentState.OPEN, next_at_ms=None)
    put(session, "old", state=IntentState.REVERSED, next_at_ms=NOW)
    put(session, "not so old", state=IntentState.REVERSED, next_at_ms=NOW + 1)
    put(session, "failed long ago", state=IntentState.FAILED, next_at_ms=None, at_ms=0)
    hold = {"request_id": "under way", "account_id": "acct_1", "amount": 1, "owner": "srv"}
    with session.database.writing() as connection:
        connection.execute(HOLDS.insert(), hold | {"expires_at_ms": NOW})
    asyncio.run(reverser(session, RecordingGateway()).tidy())
    with session.reading() as connection:
        found = {each.request_id: each.state for each in intents.listing(connection, None, None, 9)}
    assert found == {
        "left behind": IntentState.REVERSE,
        "under way": IntentState.OPEN,
        "not so old": IntentState.REVERSED,
        "failed long ago": IntentState.FAILED,
    }


def test_it_runs_until_it_is_stopped(
    sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatehouse.workers.due_work._REVERSE_S", 0.01)
    put(sqlite_session, "first")
    gateway = RecordingGateway()

    async def scenario() -> None:
        task = asyncio.create_task(reversals(sqlite_session, gateway).reverse())
        await _until(lambda: len(gateway.reversals) == 1)
        put(sqlite_session, "second")
        await _until(lambda: len(gateway.reversals) == 2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(scenario(), PATIENCE_S))


def test_trouble_with_the_database_does_not_end_it(
    sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatehouse.workers.due_work._REVERSE_S", 0.01)
    put(sqlite_session, "r0")
    gateway, troubles = RecordingGateway(), iter([RuntimeError("a"), OSError("b")])
    look = intents.anything_due

    def troubled(*arguments: Any) -> bool:
        for trouble in troubles:
            raise trouble
        return look(*arguments)

    monkeypatch.setattr(intents, "anything_due", troubled)

    async def scenario() -> None:
        task = asyncio.create_task(reversals(sqlite_session, gateway).reverse())
        await _until(lambda: get(sqlite_session, "r0").state is IntentState.REVERSED)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(asyncio.wait_for(scenario(), PATIENCE_S))


async def _until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110  # what is waited for happens in a database
        await asyncio.sleep(0.005)


@pytest.mark.parametrize(("attempts", "seconds"), [(1, 1), (2, 2), (10, 512), (11, 600), (99, 600)])
def test_the_wait_doubles_up_to_ten_minutes(attempts: int, seconds: int) -> None:
    assert wait_ms(attempts) == seconds * 1000


def test_an_attempt_too_many_fails_even_when_a_crash_hid_the_one_before() -> None:
    intent = KeptIntent(
        "r0", "acct_1", 1, "USD", NOW, IntentState.REVERSE, MOST_ATTEMPTS + 3, NOW, NOW, None
    )
    assert after_attempt(intent, "timeout", NOW).state is IntentState.FAILED
    assert after_attempt(intent, None, NOW).state is IntentState.REVERSED
