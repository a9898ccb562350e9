"""The memory is filled beside the requests, whatever happens on the way."""

import asyncio
import contextlib
import itertools
import logging

import msgspec
import pytest

from gatehouse.admin.memory.queries.memory_rebuild import MemoryRebuild, RecordText
from gatehouse.core.errors import StoreUnavailable
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from gatehouse.sentry.records.event import recorded_event
from tests.harness import PATIENCE_S


def _record(
    user: str, *, completed: bool = True, counted: bool = True, declined: bool = False
) -> RecordText:
    event = recorded_event(
        MemoryEvent("acct_1", 1000.0, [(EntityKind.USER, user)], 9.5, "USD"),
        counted=counted,
        declined=declined,
    )
    stage = {"name": "Sentry", "completed": completed, "result": {"event": event}}
    return "acct_1", msgspec.json.encode({"stages": [stage]}).decode()


class Archive:
    """Gives its steps one after another; an exception among them is raised once."""

    def __init__(self, *steps: list[RecordText] | Exception) -> None:
        self.steps = list(steps)

    def read(self) -> list[RecordText] | None:
        if not self.steps:
            return None
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step


class Notes:
    """What was noted, by user; each note takes half a millisecond of its own stopwatch."""

    def __init__(self) -> None:
        self.users: list[str] = []

    def note(self, event: MemoryEvent) -> None:
        self.users += [value for kind, value in event.entities if kind is EntityKind.USER]

    def stopwatch(self) -> float:
        return len(self.users) * 0.0005


def _idle() -> bool:
    return False


def _remember(archive: Archive) -> list[str]:
    notes = Notes()
    asyncio.run(MemoryRebuild(archive.read, notes.note, _idle, retry_s=0).run())
    return notes.users


def test_all_events_are_noted_in_order() -> None:
    archive = Archive([_record("ann"), _record("ben")], [], [_record("cat")])
    assert _remember(archive) == ["ann", "ben", "cat"]


def test_what_did_not_count_then_does_not_count_now() -> None:
    archive = Archive(
        [_record("ann", counted=False), _record("ben", completed=False), ("acct_1", "{}"),
         ("acct_1", "no JSON"), _record("cat")]
    )  # fmt: skip
    assert _remember(archive) == ["cat"]


def test_refusals_are_noted_whether_their_events_count_or_not() -> None:
    archive = Archive(
        [_record("ann", declined=True), _record("ben")],
        [_record("cat", declined=True, completed=False), _record("dan", counted=False)],
    )
    notes, declines = Notes(), Notes()
    rebuild = MemoryRebuild(archive.read, notes.note, _idle, note_decline=declines.note, retry_s=0)
    asyncio.run(rebuild.run())
    assert notes.users == ["ann", "ben"]
    assert declines.users == ["ann", "cat"]


def test_a_store_that_fails_now_and_then_costs_time_and_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    away = StoreUnavailable("the database is away")
    archive = Archive(away, [_record("ann")], away, away, [_record("ben")])
    assert _remember(archive) == ["ann", "ben"]
    assert [one.message for one in caplog.records].count("could not read earlier events") == 3


def test_a_defect_is_logged_and_not_the_end(caplog: pytest.LogCaptureFixture) -> None:
    archive = Archive([_record("ann")], RuntimeError("a defect"), [_record("ben")])
    assert _remember(archive) == ["ann", "ben"]
    assert any(one.levelno == logging.ERROR for one in caplog.records)


@pytest.mark.parametrize("is_busy", [False, True])
def test_requests_get_their_turn_meanwhile(is_busy: bool) -> None:
    notes = Notes()
    archive = Archive(*([_record(f"user{n}") for n in range(100)] for _ in range(3)))
    given = 0

    def busy() -> bool:
        nonlocal given
        given += 1
        return is_busy

    async def scene() -> float:
        rebuild = MemoryRebuild(archive.read, notes.note, busy, stopwatch=notes.stopwatch)
        task = asyncio.create_task(rebuild.run())
        longest, last = 0.0, notes.stopwatch()
        while not task.done():
            await asyncio.sleep(0)
            now = notes.stopwatch()
            longest, last = max(longest, now - last), now
        return longest

    # A step of a hundred takes fifty milliseconds; no request waits for more than a slice of it.
    assert asyncio.run(scene()) < 0.002
    assert len(notes.users) == 300
    # Requests that are being answered get several turns for each slice, others one.
    assert (given > 500) is is_busy


def test_it_can_be_stopped_at_any_time() -> None:
    endless = itertools.repeat([_record("ann")])
    notes = Notes()

    async def scene() -> None:
        task = asyncio.create_task(MemoryRebuild(lambda: next(endless), notes.note, _idle).run())
        while not notes.users:  # noqa: ASYNC110  # it is noted by the task itself
            await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))
    assert notes.users
