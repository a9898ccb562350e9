"""A server that is sent twice as much as it can answer, whether it keeps up or not."""

import subprocess
from pathlib import Path
from typing import Final, NamedTuple

from scripts.bench.client import Load, drive, pace
from scripts.bench.servers import GATEHOUSE, Server, gatehouse_server
from scripts.bench.subjects import SUBJECTS

TIMES: Final = 2
"""As much as it can answer."""
SLOWER_BAR: Final = 2.0
"""Times the p99 of a server that is full and no more."""
SHARE_BAR: Final = 0.85
"""Of what it can answer without the rest; refusing somewhat more takes the remainder."""
_CONNECTIONS: Final = 1500
"""So many that a request almost never waits for one."""


class Overload(NamedTuple):
    """What was found in one round."""

    full: Load
    beyond: Load
    full_cpu_us: float
    """Processor time of the server for one request."""
    beyond_cpu_us: float
    """Of all that it spent beyond that, for one request that it answered."""

    @property
    def answered_per_s(self) -> float:
        """Requests that were answered."""
        return len(self.beyond.latencies_s) / self.beyond.seconds

    @property
    def times_the_p99(self) -> float:
        """How much longer the slowest that were answered took."""
        return self.beyond.percentile_ms(0.99) / self.full.percentile_ms(0.99)

    @property
    def refused_cpu_us(self) -> float:
        """Processor time for a request that was refused, if an answer took as long as before."""
        more = self.beyond_cpu_us - self.full_cpu_us
        return max(0.0, more) * len(self.beyond.latencies_s) / max(1, len(self.beyond.refused_s))

    @property
    def share_by_cpu(self) -> float:
        """The same of as much processor time, whatever else the machine does."""
        return self.full_cpu_us / self.beyond_cpu_us

    @property
    def share(self) -> float:
        """Of what the server answers when it is full."""
        return self.answered_per_s / self.full.rate


def measure(folder: Path, rounds: int, connections: int, seconds: float) -> list[Overload]:
    """Find out how much a server answers, then send it more, some times in turn.

    The ledger must be right after it.
    """
    [subject] = [each for each in SUBJECTS if each.key == "precheck"]
    shop = subject.shop(folder / "overload")
    requests = subject.requests(shop.key)
    with gatehouse_server(shop) as server:
        drive(server.port, requests, connections=connections, seconds=seconds)
        found = [_round(server, requests, connections, seconds) for _ in range(rounds)]
    verify = [*GATEHOUSE, "ledger", "verify"]
    done = subprocess.run(verify, env=shop.environment, check=False, capture_output=True, text=True)
    answered = sum(len(load.latencies_s) for each in found for load in (each.full, each.beyond))
    if done.returncode or "the ledger is right" not in done.stdout:
        raise SystemExit(f"the ledger is wrong after {answered} answers: {done.stdout}")
    return found


def _round(server: Server, requests: list[bytes], connections: int, seconds: float) -> Overload:
    began = server.cpu_s()
    full = drive(server.port, requests, connections=connections, seconds=seconds)
    cpu_us = (server.cpu_s() - began) / full.requests * 1_000_000
    # To accept the connections is no part of it.
    at_first: list[float] = []
    beyond = pace(
        server.port,
        requests,
        connections=_CONNECTIONS,
        rate=full.rate * TIMES,
        seconds=seconds * 2,
        begins=lambda: at_first.append(server.cpu_s()),
    )
    spent_us = (server.cpu_s() - at_first[0]) * 1_000_000
    # Answers that are neither: a request that was lost, or failed.
    if full.failures or beyond.failures != len(beyond.refused_s):
        raise SystemExit(f"{full.failures} and {beyond.failures} requests failed")
    return Overload(full, beyond, cpu_us, spent_us / max(1, len(beyond.latencies_s)))
