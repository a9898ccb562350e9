"""How much memory a number of remembered entities takes; runs in a process of its own."""

import json
import subprocess
import sys
import time
from typing import Final, NamedTuple

import msgspec
import psutil

from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.intel.networks import load_networks
from gatehouse.sentry.entities import EntityHasher, event_of
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.policy import DEFAULT_POLICY
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.request_view import view_request
from scripts.bench.visits import sentry_visit

_PEOPLE: Final = 200_000
_START_S: Final = 1_794_000_000
_BETWEEN: Final = 1000


class Remembered(NamedTuple):
    """What was measured."""

    entities: int
    events: int
    gigabytes: float
    note_us: float


def measure(entities: int) -> Remembered:
    """Fill a memory until it holds so many entities, and see how much larger the process is."""
    book = Feeds(load_networks(), None, lambda: 0)
    hasher, memory = EntityHasher(b"k" * 32), LocalMemory(entities)
    decode = msgspec.json.Decoder(SentryRequest).decode
    process = psutil.Process()
    before, events, noting = process.memory_info().rss, 0, 0.0
    # Some tables are full a little before others.
    while memory.state().entities < entities * 0.995:
        for _ in range(_BETWEEN):
            body = json.dumps(sentry_visit(events, f"t-{events}", _PEOPLE))
            view = view_request(decode(body), _START_S + events * 2.0, book, None)
            event = event_of("acct_1", view, DEFAULT_POLICY, hasher)
            started = time.perf_counter()
            memory.note(event)
            noting += time.perf_counter() - started
            events += 1
    grown = process.memory_info().rss - before
    return Remembered(memory.state().entities, events, grown / 1e9, noting / events * 1e6)


def measure_apart(entities: int) -> Remembered:
    """The same in a new process, where nothing else takes memory."""
    command = [sys.executable, "-m", "scripts.bench.remembering", str(entities)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Remembered(*json.loads(done.stdout))


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
