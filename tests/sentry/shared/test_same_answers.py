"""One stream through the memory of one process and through shared ones: every answer is equal."""

import asyncio
from collections.abc import Iterable
from hashlib import sha1
from typing import Any

import msgspec
import pytest

from gatehouse.connectors.valkey import call
from gatehouse.sentry import kinds
from gatehouse.sentry.features.catalogue import measure_features
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.memory.recalled import History
from gatehouse.sentry.request_view import RequestView
from gatehouse.sentry.shared import following, packing
from gatehouse.sentry.shared.memory_shared import SharedMemory
from tests.sentry.shared.servers import servers
from tests.sentry.streams import Step, stream
from tests.sentry.visits import DAY, NOW

VISITS = 700
OFTEN = 200


def answers(view: RequestView, history: History) -> tuple[dict[str, float], dict[str, Any]]:
    # A view keeps what it has asked for, so each memory gets one of its own.
    own = msgspec.structs.replace(view, history=history)
    return measure_features(own), history.velocity()


def tell_alone(memory: LocalMemory, step: Step) -> None:
    if step.what == "retract":
        memory.retract(step.event)
    elif step.what == "decline":
        memory.note_decline(step.event)
    elif step.what == "label":
        memory.note_label(step.event, fraud=step.fraud, previous=step.previous)
    else:
        memory.forget(step.event, counted=True, declined=step.declined)


async def tell(memories: list[SharedMemory], number: int, step: Step) -> None:
    """Tell one server what is learned; what all servers hear of is told to all."""
    memory = memories[number % len(memories)]
    if step.what == "retract":
        memory.retract(step.event)
    elif step.what == "decline":
        memory.note_decline(step.event)
    elif step.what == "label":
        for each in memories:
            each.note_label(step.event, fraud=step.fraud, previous=step.previous)
    else:
        for each in memories:
            each.forget(step.event, counted=True, declined=step.declined)
            await each.flush()
    await memory.flush()


async def serve_all(alone: LocalMemory, installations: Iterable[list[SharedMemory]]) -> None:
    """One order of each merchant at each server: rings are followed of those that it serves."""
    for merchant in ("shop", "bakery", "garage"):
        for number in range(2):
            entities = [(kinds.USER, f"first-{number}"), (kinds.CARD, f"first-{number}")]
            event = MemoryEvent(merchant, NOW - 61 * DAY, entities, request_id=f"req_f{number}")
            alone.note(event)
            for memories in installations:
                await memories[number % len(memories)].record_and_recall(event)


async def compare(url: str) -> None:
    alone = LocalMemory(limit=200_000)
    async with servers(url) as many, servers(url) as forgetful:
        # Two servers in turn, and one that drops most histories before it needs them again.
        installations = (
            [many.start(100_000), many.start(100_000)],
            [forgetful.start(64, labels=100_000)],
        )
        await serve_all(alone, installations)
        for number, step in enumerate(stream(VISITS)):
            if step.view is None:
                tell_alone(alone, step)
                for memories in installations:
                    await tell(memories, number, step)
                continue
            expected = answers(step.view, alone.note(step.event))
            for memories in installations:
                memory = memories[number % len(memories)]
                for each in memories:
                    await each.follow_rings()
                await memory.follow_rings(all_served=True)
                found = answers(step.view, await memory.record_and_recall(step.event))
                assert found == expected, f"event {number}: {step.event}"


def test_shared_memories_answer_as_the_memory_of_one_process_would(
    valkey: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A log becomes a snapshot after four entries, and not after seventy.
    often = packing.SCRIPT.replace(f"12, {following.LONG}", f"12, {OFTEN}")
    assert often != packing.SCRIPT
    monkeypatch.setattr(call, "SCRIPT", often)
    monkeypatch.setattr(call, "_SHA", sha1(often.encode()).hexdigest())
    monkeypatch.setattr(following, "LONG", OFTEN)
    asyncio.run(compare(valkey))
