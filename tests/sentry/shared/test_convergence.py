"""Servers that are busy at once, lose histories and give requests up still come to the same."""

import asyncio
import random
from hashlib import sha1

import pytest

from gatehouse.connectors.valkey import call
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.shared import following, packing
from gatehouse.sentry.shared.memory_shared import SharedMemory
from gatehouse.sentry.shared.snapshot import pack_history
from tests.sentry.shared.servers import Servers, servers
from tests.sentry.streams import stream

VISITS = 400


async def told(memory: SharedMemory, event: MemoryEvent, *, gives_up: bool) -> None:
    task = asyncio.create_task(memory.record_and_recall(event))
    if gives_up:
        await asyncio.sleep(0)
        task.cancel()
    await asyncio.wait([task])


async def histories(memory: SharedMemory, events: list[MemoryEvent]) -> dict[int, bytes]:
    """Every history as a server knows it after it has asked."""
    keys: dict[str, dict[int, None]] = {}
    for event in events:
        layout, numbers, _ = memory._keys.keyed(event)
        known = dict.fromkeys(numbers[place] for place, _, _ in layout.remembered)
        keys.setdefault(event.account_id, {}).update(known)
    found: dict[int, bytes] = {}
    for account_id, wanted in keys.items():
        asked = memory._ask(account_id, list(wanted))
        await asked.wait()
        found |= {key: pack_history(each.history) for key, each in asked.follow().items()}
    return found


async def play(them: Servers) -> None:
    dice = random.Random(11)
    memories = [them.start(100_000), them.start(200), them.start(64)]
    steps = list(stream(VISITS, seed=5))
    place = 0
    while place < len(steps):
        size = dice.randrange(1, 24)
        tasks = []
        for step in steps[place : place + size]:
            memory = dice.choice(memories)
            if step.what == "visit":
                tasks.append(told(memory, step.event, gives_up=dice.random() < 0.1))
            elif step.what == "retract":
                memory.retract(step.event)
            elif step.what == "decline":
                memory.note_decline(step.event)
        await asyncio.gather(*tasks)
        place += size
    for memory in memories:
        await memory.flush()
    events = [step.event for step in steps]
    expected = await histories(them.start(), events)
    assert len(expected) > 300
    for memory in memories:
        assert await histories(memory, events) == expected


def test_servers_that_are_busy_at_once_come_to_the_same_histories(
    valkey: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    often = packing.SCRIPT.replace(f"12, {following.LONG}", "12, 300")
    monkeypatch.setattr(call, "SCRIPT", often)
    monkeypatch.setattr(call, "_SHA", sha1(often.encode()).hexdigest())
    monkeypatch.setattr(following, "LONG", 300)

    async def among_servers() -> None:
        async with servers(valkey) as them:
            await play(them)

    asyncio.run(among_servers())
