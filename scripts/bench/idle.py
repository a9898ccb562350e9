"""What servers take while nobody asks them anything: processor time and transactions.

Two servers with consoles on PostgreSQL, and one server with a console on SQLite, each with all the
processes that they start. A webhook is there, so that its delivery has something to look after.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import psutil
import psycopg
from tests.databases import start_postgres

from scripts.bench.servers import GATEHOUSE, Shop, free_port, make_shop, running
from scripts.bench.webhooks import subscribe

BAR: Final = 0.01
"""Of a processor, of all servers on a database together."""
SECONDS: Final = 60.0
_SETTLED_S: Final = 45.0
"""Until a started server has done all that it does once."""


class Idle(NamedTuple):
    """What the servers on one database took, per second."""

    database: str
    servers: int
    by_command: dict[str, float]
    """Processor seconds by what the processes do."""
    transactions: float | None
    """On PostgreSQL."""
    megabytes: dict[str, float]
    """Memory by what the processes do, of one of each kind."""

    @property
    def processors(self) -> float:
        """Of all processes together."""
        return sum(self.by_command.values())


def measure(folder: Path, seconds: float = SECONDS) -> Iterator[Idle]:
    """One server on SQLite, then two on PostgreSQL."""
    yield _measure(make_shop(folder / "idle-sqlite"), "SQLite", 1, seconds)
    with start_postgres(quick=False) as postgres:
        url = postgres.empty()
        shop = make_shop(folder / "idle-postgresql", GATEHOUSE_DATABASE_URL=url)
        yield _measure(shop, "PostgreSQL", 2, seconds, url)


def _measure(shop: Shop, database: str, servers: int, seconds: float, url: str = "") -> Idle:
    subscribe(shop, free_port())
    with ExitStack() as stack:
        roots = [stack.enter_context(_with_console(shop)) for _ in range(servers)]
        time.sleep(_SETTLED_S)
        before, counted = _used(roots), _transactions(url)
        time.sleep(seconds)
        after, ended = _used(roots), _transactions(url)
        spent = {name: (after[name] - before.get(name, 0.0)) / seconds for name in after}
        per_second = None if counted is None or ended is None else (ended - counted) / seconds
        return Idle(database, servers, spent, per_second, _memory(roots))


@contextmanager
def _with_console(shop: Shop) -> Iterator[psutil.Process]:
    port, console = free_port(), free_port()
    environment = shop.environment | {"GATEHOUSE_CONSOLE_PORT": str(console)}
    with (shop.home / "server.log").open("ab") as log:
        command = [*GATEHOUSE, "serve", "--port", str(port), "--console"]
        with running(command, port, environment, log) as server:
            yield server.process


def _processes(roots: list[psutil.Process]) -> Iterator[tuple[str, psutil.Process]]:
    for root in roots:
        yield "server", root
        for child in root.children(recursive=True):
            words = child.cmdline()
            yield ("console" if "console" in words else "background"), child


def _used(roots: list[psutil.Process]) -> dict[str, float]:
    used: dict[str, float] = {}
    for name, process in _processes(roots):
        times = process.cpu_times()
        used[name] = used.get(name, 0.0) + times.user + times.system
    return used


def _memory(roots: list[psutil.Process]) -> dict[str, float]:
    return {name: process.memory_info().rss / 1e6 for name, process in _processes(roots)}


def _transactions(url: str) -> float | None:
    """All that were committed or rolled back so far; statistics come a second late at most."""
    if not url:
        return None
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database "
            "WHERE datname = current_database()"
        ).fetchone()
    assert row is not None
    return float(row[0])
