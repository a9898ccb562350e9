"""What runs beside requests: a task that dies is told of and started again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar
from unittest import mock

import httpx
import pytest

from gatehouse.bootstrap import Service
from gatehouse.store.background import repeat
from gatehouse.workers.supervisor import STEADY_S, BackgroundTask, TaskSupervisor, pause_after
from tests.harness import PATIENCE_S, Home
from tests.harness.service import serving

SECRET = "4111111111111111"
T = TypeVar("T")


class Clock:
    """Time passes when a test says so."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Pauses:
    """No pause, after so many deaths."""

    def __init__(self) -> None:
        self.after: list[int] = []

    def __call__(self, deaths: int) -> float:
        self.after.append(deaths)
        return 0.0


class Dying:
    """A task that dies a few times, and then runs on."""

    def __init__(self, times: int, die: Callable[[], Awaitable[object]]) -> None:
        self.starts = 0
        self.lives = asyncio.Event()
        self._times = times
        self._die = die

    async def run(self) -> None:
        self.starts += 1
        if self.starts <= self._times:
            await self._die()
            return
        self.lives.set()
        await asyncio.Event().wait()


async def _raise() -> None:
    raise RuntimeError(SECRET)


async def _end() -> None:
    """Return, as a task should not."""


async def _wait_for_what_is_cancelled() -> None:
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


def _in_time(scenario: Awaitable[T]) -> T:
    async def whole() -> T:
        async with asyncio.timeout(PATIENCE_S):
            return await scenario

    return asyncio.run(whole())


def test_pauses_grow_up_to_a_minute() -> None:
    assert [pause_after(deaths) for deaths in range(1, 9)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert pause_after(10_000) == 60


@pytest.mark.parametrize(
    ("die", "reason"),
    [(_raise, "RuntimeError"), (_end, "returned"), (_wait_for_what_is_cancelled, "CancelledError")],
)
def test_a_task_that_dies_is_started_again_and_told_of(
    die: Callable[[], Awaitable[object]], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    clock, pauses = Clock(), Pauses()

    async def scenario() -> None:
        tasks, dying = TaskSupervisor(pauses, clock), Dying(2, die)
        tasks.start(BackgroundTask("dying", dying.run), BackgroundTask("other", Dying(0, die).run))
        assert tasks.degraded == []
        await dying.lives.wait()
        assert tasks.died == {"dying": 2, "other": 0}
        assert tasks.degraded == ["dying"]
        clock.now += STEADY_S
        assert tasks.degraded == []
        await tasks.stop()

    _in_time(scenario())
    assert pauses.after == [1, 2]
    assert [record.message for record in caplog.records] == [
        "a task died and will be started again"
    ] * 2
    for record in caplog.records:
        assert (record.__dict__["task"], record.__dict__["reason"]) == ("dying", reason)
    assert SECRET not in caplog.text


def test_a_task_that_has_run_for_long_begins_with_the_shortest_pause() -> None:
    clock, pauses = Clock(), Pauses()

    async def long_run() -> None:
        clock.now += STEADY_S

    async def scenario() -> None:
        tasks = TaskSupervisor(pauses, clock)
        dying = Dying(3, long_run)
        tasks.start(BackgroundTask("dying", dying.run))
        await dying.lives.wait()
        await tasks.stop()

    _in_time(scenario())
    assert pauses.after == [1, 1, 1]


def test_a_task_that_may_end_is_done_when_it_returns(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        tasks, ended, dying = TaskSupervisor(lambda _: 0.0), Dying(1, _end), Dying(1, _raise)
        tasks.start(BackgroundTask("ended", ended.run, may_end=True))
        tasks.start(BackgroundTask("dying", dying.run, may_end=True))
        await dying.lives.wait()
        assert (ended.starts, tasks.died) == (1, {"ended": 0, "dying": 1})
        assert tasks.degraded == ["dying"]
        await tasks.stop()

    _in_time(scenario())
    assert len(caplog.records) == 1


def test_the_end_of_the_server_ends_all_tasks_and_is_no_death(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        paused = asyncio.Event()

        def pause_s(_deaths: int) -> float:
            paused.set()
            return 3600.0

        tasks = TaskSupervisor(pause_s)
        living, dying = Dying(0, _raise), Dying(1, _raise)
        tasks.start(BackgroundTask("living", living.run), BackgroundTask("dying", dying.run))
        await paused.wait()
        await tasks.stop()
        assert tasks.died == {"living": 0, "dying": 1}
        assert asyncio.all_tasks() == {asyncio.current_task()}

    _in_time(scenario())
    assert len(caplog.records) == 1


def test_a_server_does_without_most_tasks_and_not_without_those_it_needs() -> None:
    async def scenario() -> None:
        clock = Clock()
        tasks = TaskSupervisor(lambda _: 0.0, clock)
        other, needed = Dying(9, _raise), Dying(2, _raise)
        tasks.start(BackgroundTask("other", other.run))
        tasks.start(BackgroundTask("needed", needed.run, is_needed=True))
        await other.lives.wait()
        await needed.lives.wait()
        assert (tasks.degraded, tasks.serves) == (["other", "needed"], True)
        lost = Dying(3, _raise)
        tasks.start(BackgroundTask("lost", lost.run, is_needed=True))
        await lost.lives.wait()
        assert not tasks.serves
        clock.now += STEADY_S
        assert tasks.serves
        await tasks.stop()

    _in_time(scenario())


def test_work_that_is_repeated_outlives_what_it_waits_for(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        dying = Dying(2, _wait_for_what_is_cancelled)
        repeated = asyncio.create_task(repeat(dying.run, 0.0, "could not work"))
        await dying.lives.wait()
        repeated.cancel()
        with pytest.raises(asyncio.CancelledError):
            await repeated

    _in_time(scenario())
    assert [record.message for record in caplog.records] == ["could not work"] * 2


def test_probes_and_metrics_tell_of_dead_tasks(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    def prepare(service: Service) -> None:
        service.tasks = TaskSupervisor(lambda deaths: 0.0 if deaths < 3 else 3600.0)

    async def until(client: httpx.AsyncClient, status: int, degraded: list[str]) -> str:
        while True:
            told = await client.get("/readyz")
            if told.json()["tasks"]["degraded"] == degraded and told.status_code == status:
                assert told.json()["checks"]["tasks"] is (status == 200)
                return (await client.get("/metrics")).text
            await asyncio.sleep(0.01)

    async def scenario(died: str) -> str:
        with caplog.at_level(logging.ERROR, "gatehouse.workers"):
            async with serving(home, prepare) as service:
                transport = httpx.ASGITransport(service.application)
                async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                    return await until(client, 503 if died == "setups" else 200, [died])

    with mock.patch("gatehouse.admin.audit.worker.AuditWatch.run", _raise_of):
        told = _in_time(scenario("audit"))
    assert 'gatehouse_tasks_died_total{task="audit"}' in told
    assert 'gatehouse_tasks_died_total{task="webhooks"} 0.0' in told
    assert 'gatehouse_check{check="tasks"} 1.0' in told
    with mock.patch("gatehouse.operations.account_setup.Setups.run", _raise_of):
        told = _in_time(scenario("setups"))
    assert 'gatehouse_tasks_died_total{task="setups"} 3.0' in told
    assert 'gatehouse_check{check="tasks"} 0.0' in told
    tasks = {record.__dict__["task"] for record in caplog.records if "task" in record.__dict__}
    assert tasks == {"audit", "setups"}
    assert SECRET not in caplog.text


async def _raise_of(_self: object) -> None:
    raise RuntimeError(SECRET)
