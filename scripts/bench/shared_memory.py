"""What the shared memory costs: `python -m scripts.bench.shared_memory`.

Prints the processor time of a server and of Valkey for each request, next to the memory of one
process in the same run, and how much memory Valkey takes for each entity.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from typing import Final

import msgspec
import uvloop
from tests.valkeys import start_valkey

from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.connectors.valkey.store import ValkeyStore
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.intel.networks import load_networks
from gatehouse.operations.installation import system_clock
from gatehouse.sentry.entities import EntityHasher, event_of
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.policy import DEFAULT_POLICY
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.request_view import view_request
from gatehouse.sentry.shared.keys import StableKeys
from gatehouse.sentry.shared.memory_shared import SharedMemory
from scripts.bench.visits import sentry_visit

_PEOPLE: Final = 200_000
_START_S: Final = 1_794_000_000
_ROUND: Final = 4_000


def events_of_visits(first: int, count: int) -> list[MemoryEvent]:
    """The events of some visits."""
    book, hasher = Feeds(load_networks(), None, lambda: 0), EntityHasher(b"k" * 32)
    decode = msgspec.json.Decoder(SentryRequest).decode
    found = []
    for number in range(first, first + count):
        body = json.dumps(sentry_visit(number, f"t-{number}", _PEOPLE))
        view = view_request(decode(body), _START_S + number * 2.0, book, None)
        event = event_of("acct_1", view, DEFAULT_POLICY, hasher)
        found.append(msgspec.structs.replace(event, request_id=f"req_{number}"))
    return found


class _Meter:
    """Processor time of this process and of the store since the last look."""

    def __init__(self, store: ValkeyStore) -> None:
        self._store = store
        self._own = self._other = 0.0

    async def look(self) -> tuple[float, float]:
        text = (await self._store.command("INFO", "cpu")).decode()
        lines = dict(line.split(":") for line in text.splitlines() if ":" in line)
        other = float(lines["used_cpu_user"]) + float(lines["used_cpu_sys"])
        own = time.process_time()
        passed = own - self._own, other - self._other
        self._own, self._other = own, other
        return passed


async def _tell(memory: SharedMemory, events: Sequence[MemoryEvent], at_once: int) -> None:
    for start in range(0, len(events), at_once):
        told = events[start : start + at_once]
        await asyncio.gather(*[memory.record_and_recall(event) for event in told])


async def measure_cost(url: str, rounds: int) -> None:
    """Print what a request costs, in batches of several sizes, alternating with one process."""
    store = ValkeyStore(StoreAddress.parse(url), timeout_s=60.0, keep_s=90 * 86_400)
    shared = SharedMemory(store, StableKeys(b"k" * 32), 1_000_000, clock=system_clock)
    alone = LocalMemory(1_000_000)
    await _tell(shared, events_of_visits(0, _ROUND), 16)
    meter, first = _Meter(store), _ROUND
    best: dict[str, list[tuple[float, float]]] = {}
    for _ in range(rounds):
        for at_once in (0, 1, 16):
            events = events_of_visits(first, _ROUND)
            first += _ROUND
            await meter.look()
            if at_once:
                await _tell(shared, events, at_once)
            else:
                for event in events:
                    alone.note(event)
            own, other = await meter.look()
            name = f"shared, {at_once} at once" if at_once else "in one process"
            best.setdefault(name, []).append((own / _ROUND * 1e6, other / _ROUND * 1e6))
    for name, figures in best.items():
        own, other = min(figures)
        print(f"{name:20} server {own:6.1f} µs a request, Valkey {other:6.1f} µs")
    await store.close()


async def measure_size(url: str, entities: int) -> None:
    """Print how much memory Valkey takes for each entity."""
    store = ValkeyStore(StoreAddress.parse(url), timeout_s=60.0, keep_s=90 * 86_400)
    shared = SharedMemory(store, StableKeys(b"s" * 32), 1_000_000, clock=system_clock)

    async def used() -> int:
        text = (await store.command("INFO", "memory")).decode()
        return next(int(x[12:]) for x in text.splitlines() if x.startswith("used_memory:"))

    before, first = await used(), 0
    while shared.state().entities < entities:
        await _tell(shared, events_of_visits(first, 1000), 64)
        first += 1000
    kept, grown = shared.state().entities, await used() - before
    keys = await store.command("DBSIZE")
    print(f"{kept} entities of {first} events: {grown / 1e6:.1f} MB in Valkey, {keys} keys,")
    print(f"{grown / kept:.0f} bytes an entity with all that belongs to it")
    await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--entities", type=int, default=100_000)
    chosen = parser.parse_args()
    with start_valkey() as url:
        uvloop.run(measure_cost(url, chosen.rounds))
    with start_valkey() as url:
        uvloop.run(measure_size(url, chosen.entities))


if __name__ == "__main__":
    main()
