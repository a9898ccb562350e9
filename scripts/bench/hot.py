"""Two servers on one busy account beside two accounts, and a lone request on a slow disk."""

import contextlib
import os
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from tests.databases import start_postgres

from scripts.bench.client import drive, drive_together
from scripts.bench.servers import Shop, gatehouse_server, second_account
from scripts.bench.subjects import FeedbackSubject

LEAST_SHARE: Final = 0.9
"""Of the rate on two accounts that two servers reach on one."""
MOST_SYNCS: Final = 1.5
"""That a lone request without a payment waits for; half of one is room for noise."""
SLOW_MS: Final = 2
SLOWEST_MS: Final = 10
_TURNS: Final = 3
_SLOW_SYNC: Final = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
static int slowly(const char *name, int file) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  usleep(DELAY_US);
  return sync(file);
}
int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
"""


class Lone(NamedTuple):
    """The median latency of a request that comes alone, with a slow disk and a slower one.

    Both are slow, because a processor that slept through a sync has to warm up again: beside a disk
    that syncs at once that would count as a part of the sync.
    """

    database: str
    slow_ms: float
    slowest_ms: float

    @property
    def syncs(self) -> float:
        """How often the request waits for the disk."""
        return (self.slowest_ms - self.slow_ms) / (SLOWEST_MS - SLOW_MS)


def _slow_postgres(delay_ms: int) -> str:
    """The leader of a group of commits sleeps before it writes, as if the disk took longer."""
    return f"commit_delay = {delay_ms * 1000}\ncommit_siblings = 0\n"


def rates(
    subject: FeedbackSubject, folder: Path, rounds: int, seconds: float, connections: int
) -> tuple[list[float], list[float]]:
    """Requests per second of two servers together: on one account, and on two, in turn.

    The disk is a slow one: whatever is locked while it syncs is locked for long. Each server has as
    many callers as in the other measurements. With half of them, servers are not full: they do
    nothing while all their callers wait for a commit, and only how long that takes is compared.
    """
    one: list[float] = []
    two: list[float] = []
    with start_postgres(quick=False, settings=_slow_postgres(SLOW_MS)) as postgres:
        shop = subject.shop(folder / "hot", GATEHOUSE_DATABASE_URL=postgres.empty())
        other = second_account(shop)
        hot, beside = subject.requests(shop.key), subject.requests(other.key)
        with gatehouse_server(shop) as first, gatehouse_server(shop) as second:
            for turn in range(rounds + 1):
                # The tables grow, so who comes first in one turn comes second in the next.
                order = ((one, hot), (two, beside))[:: -1 if turn % 2 else 1]
                for found, requests in order:
                    sides = [(first.port, hot), (second.port, requests)]
                    load = drive_together(sides, connections=connections, seconds=seconds)
                    if load.failures:
                        raise SystemExit(f"{load.failures} of {load.requests} requests failed")
                    if turn:
                        found.append(load.rate)
    return one, two


def lone_requests(subject: FeedbackSubject, folder: Path, seconds: float) -> Iterator[Lone]:
    """A lone request on each database."""
    delays = (SLOW_MS, SLOWEST_MS)
    with contextlib.ExitStack() as running:
        shops = []
        for delay_ms in delays:
            settings = _slow_postgres(delay_ms)
            postgres = running.enter_context(start_postgres(quick=False, settings=settings))
            url = postgres.empty()
            shops.append(subject.shop(folder / f"alone-{delay_ms}", GATEHOUSE_DATABASE_URL=url))
        yield Lone("PostgreSQL", *_alone_ms(subject, shops, seconds))
    compiler = shutil.which("cc")
    if compiler is not None:
        shops = [
            _with_slow_disk(subject.shop(folder / f"alone-sqlite-{delay_ms}"), compiler, delay_ms)
            for delay_ms in delays
        ]
        yield Lone("SQLite", *_alone_ms(subject, shops, seconds))


def _with_slow_disk(shop: Shop, compiler: str, delay_ms: int) -> Shop:
    """The same shop, whose servers wait longer for the disk."""
    library = shop.home / "slow.so"
    words = [compiler, f"-DDELAY_US={delay_ms * 1000}", "-shared", "-fPIC", "-x", "c", "-"]
    subprocess.run([*words, "-o", str(library), "-ldl"], input=_SLOW_SYNC.encode(), check=True)
    preload = f"{library} {os.environ.get('LD_PRELOAD', '')}".strip()
    return replace(shop, environment=shop.environment | {"LD_PRELOAD": preload})


def _alone_ms(subject: FeedbackSubject, shops: list[Shop], seconds: float) -> list[float]:
    """The median latencies on the shops, which are asked in turn."""
    times: list[list[float]] = [[] for _ in shops]
    with contextlib.ExitStack() as running:
        servers = [running.enter_context(gatehouse_server(shop)) for shop in shops]
        requests = [subject.requests(shop.key) for shop in shops]
        for turn in range(_TURNS + 1):
            for side, server in enumerate(servers):
                load = drive(server.port, requests[side], connections=1, seconds=seconds)
                if turn:
                    times[side] += load.latencies_s
    return [statistics.median(each) * 1000 for each in times]
