"""A time limit holds for work that waits, and costs nothing for work that does not."""

import asyncio
from typing import NoReturn

import pytest

from gatehouse.core.limits.timeouts import with_timeout


async def _at_once() -> int:
    return 1


async def _after_waiting() -> int:
    total = 0
    for _ in range(3):
        await asyncio.sleep(0.001)
        total += 1
    return total


async def _never() -> None:
    await asyncio.get_running_loop().create_future()


async def _fails_late() -> NoReturn:
    await asyncio.sleep(0.001)
    raise LookupError("late")


def test_work_that_is_done_at_once_gives_its_result() -> None:
    assert asyncio.run(with_timeout(60, _at_once())) == 1


def test_work_that_waits_several_times_gives_its_result() -> None:
    assert asyncio.run(with_timeout(60, _after_waiting())) == 3


def test_work_that_never_ends_is_cut_off() -> None:
    with pytest.raises(TimeoutError):
        asyncio.run(with_timeout(0.01, _never()))


def test_an_error_after_waiting_comes_through() -> None:
    with pytest.raises(LookupError):
        asyncio.run(with_timeout(60, _fails_late()))


def test_work_can_clean_up_when_it_is_cut_off() -> None:
    cleaned = []

    async def careful() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    with pytest.raises(TimeoutError):
        asyncio.run(with_timeout(0.01, careful()))
    assert cleaned == [True]


def test_cancelling_from_outside_is_a_cancellation_not_a_timeout() -> None:
    async def scenario() -> None:
        task = asyncio.create_task(with_timeout(60, _never()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
