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
from typing import Any, Final, NamedTuple

import msgspec
import psutil

from scripts.soak import invariants
from scripts.soak.books import read_books, wait_for_quiet, wait_until
from scripts.soak.faults import Ended, Fault, all_faults
from scripts.soak.ground import AUTHORIZATION_TTL_S, Ground, prepare
from scripts.soak.invariants import Invariant
from scripts.soak.load import Outcome, Plan
from scripts.soak.probing import Prober, Strangers
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


class ProcessorUse(NamedTuple):
    """Shares of the machine's processor time while the load ran."""

    busy: float
    stolen: float
    """What other virtual machines on the same hardware took while something here could run."""


class Cost(NamedTuple):
    """Processor time that a request took, of all processes of a kind."""

    of: str
    ms: float


class Result(NamedTuple):
    """What came out of a run."""

    wish: Wish
    outcomes: list[Outcome]
    ended: list[Ended]
    samples: dict[str, list[int]]
    processor: ProcessorUse
    costs: list[Cost]
    """Of a run without faults: processes that ended cannot be asked any more."""
    invariants: list[Invariant]
    defects: list[str]
    """Lines of the servers' logs about requests that failed for no known reason."""

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
        prober, strangers = Prober(ground, servers), Strangers(ground, servers)
        faults = all_faults(servers, postgres, valkey, chance)
        with running(servers):
            processes = {
                "servers": [each.pid() for each in servers],
                "PostgreSQL": [postgres.pid()],
                "Valkey": [valkey.pid()],
            }
            before, spent_s = psutil.cpu_times(), _spent_s(processes)
            with (
                _sampling(servers) as samples,
                strangers.knocking(),
                _loading(ground, servers, wish) as load,
            ):
                ended = _cause(faults, chance, prober, wish)
                if load.wait():
                    raise SystemExit("the load failed, so there is nothing to judge by")
            processor = _processor_use(before, psutil.cpu_times())
            outcomes = _outcomes(ground)
            costs = [] if ended else _costs(spent_s, _spent_s(processes), len(outcomes))
            wait_for_quiet(ground.environment, _QUIET_S)
            now_ms = int(time.time() * 1000)
            books = read_books(ground.environment, now_ms)
            expected = {event for event, _ in books.events}
            wait_until(lambda: expected <= receiver.accepted, _DELIVERED_S)
            defects = [line for each in servers for line in each.defects()]
            died = [each.name for each in servers if each.ended_by_itself or each.has_ended()]
    found = [
        *invariants.of_answers(outcomes, may_retry=bool(ended)),
        *invariants.of_money([*outcomes, *prober.outcomes], books),
        invariants.of_repeats([*outcomes, *prober.outcomes], books),
        invariants.of_strangers(strangers.answers),
        *invariants.of_events(books, receiver.accepted),
        Invariant("no server ended by itself", len(servers), died),
    ]
    if wish.every_s is None:
        found.append(invariants.of_memory(samples))
    else:
        found.append(invariants.of_recovery(ended))
    return Result(wish, outcomes, ended, samples, processor, costs, found, defects)


def _processor_use(before: Any, after: Any) -> ProcessorUse:
    passed = {name: getattr(after, name) - getattr(before, name) for name in after._fields}
    # The time of guests is part of that of users.
    whole = sum(spent for name, spent in passed.items() if not name.startswith("guest"))
    stolen = passed.get("steal", 0.0)
    waited = passed["idle"] + passed.get("iowait", 0.0)
    return ProcessorUse((whole - waited - stolen) / whole, stolen / whole)


def _spent_s(processes: dict[str, list[int]]) -> dict[str, float]:
    """What each kind of process and its children have taken so far, also those that ended."""
    return {kind: sum(map(_family_s, pids)) for kind, pids in processes.items()}


def _family_s(pid: int) -> float:
    process = psutil.Process(pid)
    spent_s = float(sum(process.cpu_times()[:4]))
    for child in process.children(recursive=True):
        # One that ends meanwhile is among those that its parent counts.
        with contextlib.suppress(psutil.NoSuchProcess):
            spent_s += sum(child.cpu_times()[:2])
    return spent_s


def _costs(before_s: dict[str, float], after_s: dict[str, float], requests: int) -> list[Cost]:
    return [Cost(kind, (after_s[kind] - before_s[kind]) / requests * 1000) for kind in after_s]


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
        recovered = prober.recovery_s(fault.probe)
        ended.append(Ended(fault.name, begun - started, over - begun, recovered))
        print(f"{begun - started:6.0f} s  {ended[-1]}", flush=True)
        next_at = max(next_at + wish.every_s, time.monotonic())
    return ended
