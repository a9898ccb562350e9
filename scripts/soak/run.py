"""One run: start everything, load it, let faults happen, wait for quiet, look at what holds."""

import contextlib
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from scripts.soak import invariants
from scripts.soak.books import read_books, wait_for_quiet, wait_until
from scripts.soak.faults import Ended, Fault, all_faults
from scripts.soak.ground import AUTHORIZATION_TTL_S, Ground, prepare
from scripts.soak.invariants import Invariant
from scripts.soak.load import Outcome, Plan
from scripts.soak.probing import Prober
from scripts.soak.receiver import EventReceiver
from scripts.soak.servers import SoakServer, running
from scripts.soak.stores import durable_postgres, durable_valkey

_SAMPLE_S: Final = 2.0
_QUIET_S: Final = AUTHORIZATION_TTL_S + 60.0
_DELIVERED_S: Final = 180.0


class Wish(NamedTuple):
    """What kind of run it is to be."""

    minutes: float
    rate: float
    seed: int
    every_s: float | None = None
    """How often something goes wrong; None: never."""
    only: frozenset[str] = frozenset()
    """The keys of the faults that may happen; none: all."""


class Result(NamedTuple):
    """What came out of a run."""

    wish: Wish
    outcomes: list[Outcome]
    ended: list[Ended]
    samples: dict[str, list[int]]
    invariants: list[Invariant]

    @property
    def holds(self) -> bool:
        """Whether every invariant held."""
        return all(each.holds for each in self.invariants)

    @property
    def faults(self) -> Counter[str]:
        """How many faults there were of each kind."""
        return Counter(each.name for each in self.ended)


def run(wish: Wish) -> Result:
    """The whole run."""
    receiver = EventReceiver()
    with (
        tempfile.TemporaryDirectory(prefix="gatehouse-soak-") as folder,
        durable_postgres() as postgres,
        durable_valkey() as valkey,
        receiver.running(),
    ):
        ground = prepare(Path(folder), postgres.url, valkey.url, receiver.url)
        servers = [SoakServer(f"server-{n}", ground.home, ground.environment) for n in (1, 2)]
        chance = random.Random(wish.seed)  # not for secrets
        prober = Prober(ground, servers)
        faults = all_faults(servers, postgres, valkey, chance)
        with running(servers):
            with _sampling(servers) as samples, _loading(ground, servers, wish) as load:
                ended = _cause(faults, chance, prober, wish)
                load.wait()
            outcomes = _outcomes(ground)
            wait_for_quiet(ground.environment, _QUIET_S)
            now_ms = int(time.time() * 1000)
            books = read_books(ground.environment, now_ms)
            expected = {event for event, _ in books.events}
            wait_until(lambda: expected <= receiver.accepted, _DELIVERED_S)
            died = [each.name for each in servers if each.has_ended()]
    found = [
        *invariants.of_answers(outcomes, may_retry=bool(ended)),
        *invariants.of_money([*outcomes, *prober.outcomes], books),
        invariants.of_repeats(outcomes, books),
        *invariants.of_events(books, receiver.accepted),
        Invariant("no server ended by itself", len(servers), died),
    ]
    if wish.every_s is None:
        found.append(invariants.of_memory(samples))
    else:
        found.append(invariants.of_recovery(ended))
    return Result(wish, outcomes, ended, samples, found)


def _plan(ground: Ground) -> Path:
    return ground.home / "plan.json"


def _journal(ground: Ground) -> Path:
    return ground.home / "journal.jsonl"


@contextlib.contextmanager
def _loading(
    ground: Ground, servers: list[SoakServer], wish: Wish
) -> Iterator["subprocess.Popen[bytes]"]:
    ports = [server.port for server in servers]
    plan = Plan(ports, ground.keys, wish.rate, wish.minutes * 60, wish.seed)
    _plan(ground).write_bytes(msgspec.json.encode(plan))
    command = [sys.executable, "-m", "scripts.soak.load", str(_plan(ground)), str(_journal(ground))]
    process = subprocess.Popen(command)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _outcomes(ground: Ground) -> list[Outcome]:
    read = msgspec.json.Decoder(Outcome).decode
    return [read(line) for line in _journal(ground).read_bytes().splitlines()]


@contextlib.contextmanager
def _sampling(servers: list[SoakServer]) -> Iterator[dict[str, list[int]]]:
    samples: dict[str, list[int]] = {server.name: [] for server in servers}
    stop = threading.Event()

    def sample() -> None:
        while not stop.wait(_SAMPLE_S):
            for server in servers:
                # It may have been killed at this moment.
                with contextlib.suppress(Exception):
                    samples[server.name].append(server.resident_bytes())

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        stop.set()
        thread.join()


def _cause(faults: list[Fault], chance: random.Random, prober: Prober, wish: Wish) -> list[Ended]:
    """Let faults happen at random, one each so many seconds, each kind before any comes again."""
    if wish.every_s is None:
        return []
    ended: list[Ended] = []
    faults = [each for each in faults if not wish.only or each.key in wish.only]
    waiting: list[Fault] = []
    started = time.monotonic()
    ends_at = started + wish.minutes * 60
    next_at = started + wish.every_s
    while next_at < ends_at:
        time.sleep(max(0.0, next_at - time.monotonic()))
        waiting = waiting or chance.sample(faults, len(faults))
        fault, begun = waiting.pop(), time.monotonic()
        fault.happen()
        over = time.monotonic()
        recovered = prober.recovery_s()
        ended.append(Ended(fault.name, begun - started, over - begun, recovered))
        print(f"{begun - started:6.0f} s  {ended[-1]}", flush=True)
        next_at = max(next_at + wish.every_s, time.monotonic())
    return ended
