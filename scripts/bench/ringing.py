"""What rings cost: memory for a number of entities, and time for a request.

Runs in a process of its own. People order from home with a card, a mailbox and a device; one in
twenty shares a device with another. Two generations are filled, as after the first period.
"""

import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

import psutil

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.memory import EntityKind
from gatehouse.sentry.memory.ring_generation import MOMENT_SHIFT
from gatehouse.sentry.memory.rings import PERIOD_S, Rings

_START_S: Final = 450 * PERIOD_S
_OF_A_PERSON: Final = (kinds.USER, kinds.CARD, kinds.EMAIL, kinds.DEVICE_ID, kinds.ADDRESS)
_SHARED: Final = 0.05
_AT_ONCE: Final = 1000
_ROUNDS: Final = 40


class RingCost(NamedTuple):
    """What was measured."""

    entities: int
    megabytes: float
    new_us: float
    """For the first request of a customer, as seldom as those are in two periods."""
    known_us: float
    """For a customer who comes back."""


def measure(entities: int) -> RingCost:
    """Fill two generations with so many entities, and see how much larger the process is."""
    people = entities // len(_OF_A_PERSON)
    process, rings = psutil.Process(), Rings(entities + entities // 4)
    before = process.memory_info().rss
    dice = random.Random(7)  # not for secrets
    new, known = [], []
    for start in range(0, people, _AT_ONCE):
        events = [_event(person, people, dice) for person in range(start, start + _AT_ONCE)]
        new.append(_spent(rings, events, _START_S))
    for start in range(0, people, _AT_ONCE):
        events = [_event(person, people, dice) for person in range(start, start + _AT_ONCE)]
        _spent(rings, events, _START_S + PERIOD_S)
    grown = process.memory_info().rss - before
    for _ in range(_ROUNDS):
        events = [_event(dice.randrange(people), people, dice) for _ in range(_AT_ONCE)]
        known.append(_spent(rings, events, _START_S + PERIOD_S))
    return RingCost(entities, grown / 1e6, statistics.median(new), statistics.median(known))


def measure_apart(entities: int) -> RingCost:
    """The same in a new process, where nothing else takes memory."""
    command = [sys.executable, "-m", "scripts.bench.ringing", str(entities)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return RingCost(*json.loads(done.stdout))


def _spent(rings: Rings, events: Sequence[list[int]], at_s: float) -> float:
    born = int(at_s * 1000) << MOMENT_SHIFT
    started = time.process_time()
    for keys in events:
        rings.join(keys, born)
        rings.ring_of(keys, at_s)
    return (time.process_time() - started) / len(events) * 1e6


def _event(person: int, people: int, dice: random.Random) -> list[int]:
    other = dice.randrange(people) if dice.random() < _SHARED else person
    return [_key(kind, other if kind is kinds.DEVICE_ID else person) for kind in _OF_A_PERSON]


def _key(kind: EntityKind, number: int) -> int:
    return hash((number, "acct", int(kind))) & 0x7FFF_FFFF_FFFF_FFE0 | kind


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
