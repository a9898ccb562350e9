"""Sweeps and reversals run when a look has found something for them, and not otherwise."""

import asyncio
from unittest import mock

from gatehouse.store.lookout import SeenChanges
from gatehouse.workers.due_work import DueWork

NOW_MS = 1000


def _work() -> tuple[DueWork, mock.Mock, mock.Mock]:
    sweeper, reverser = mock.Mock(), mock.Mock()
    for name in ("release_orphans", "release_of_ended", "release_of_dead"):
        setattr(sweeper, name, mock.AsyncMock(return_value=0))
    reverser.reverse_due, reverser.tidy = mock.AsyncMock(return_value=0), mock.AsyncMock()
    mocks = mock.Mock(), mock.Mock(), mock.Mock()
    return DueWork(sweeper, reverser, *mocks, lambda: NOW_MS), sweeper, reverser


def test_nothing_is_swept_while_nothing_is_held() -> None:
    work, sweeper, _ = _work()

    async def scenario() -> None:
        work.saw(SeenChanges(holds=False))
        await work.release()
        assert not sweeper.release_orphans.called
        work.saw(SeenChanges(holds=True))
        await work.release()
        assert sweeper.release_orphans.called
        assert sweeper.release_of_ended.called

    asyncio.run(scenario())


def test_dead_servers_are_looked_for_while_one_is_silent_and_once_more() -> None:
    work, sweeper, _ = _work()

    async def looks(*silences: bool) -> list[bool]:
        asked = []
        for silent in silences:
            work.saw(SeenChanges(silent=silent))
            sweeper.release_of_dead.reset_mock()
            await work.release_of_dead()
            asked.append(sweeper.release_of_dead.called)
        return asked

    # At the start nothing is known of what was before.
    found = asyncio.run(looks(False, False, True, True, False, False))
    assert found == [True, False, True, True, True, False]


def test_a_payment_is_reversed_as_soon_as_a_look_finds_that_it_is_due() -> None:
    work, _, reverser = _work()
    asked = asyncio.Event()

    async def reverse_due() -> int:
        asked.set()
        return 0

    async def scenario() -> None:
        reverser.reverse_due = reverse_due
        reversing = asyncio.create_task(work.reverse())
        await asked.wait()
        asked.clear()
        work.saw(SeenChanges(reversal_due_ms=NOW_MS + 1))
        assert not work._reversal_due.is_set()
        work.saw(SeenChanges(reversal_due_ms=NOW_MS))
        await asked.wait()
        reversing.cancel()
        await asyncio.gather(reversing, return_exceptions=True)

    with asyncio.Runner() as runner:
        runner.run(asyncio.wait_for(scenario(), 60))
