"""Whether people at the console delay payments: PreCheck without and with ten of them beside it.

`python -m scripts.bench.beside_console [DECISIONS] [--home FOLDER]` prints it with the bar. The
requests are recorded in the home, so that its account has some more decisions afterwards.
"""

import argparse
import os
import statistics
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from scripts.bench.client import Load, drive, pace
from scripts.bench.console_browser import Browser, console, peak_gigabytes, wait_for_figures
from scripts.bench.console_home import ADMINISTRATOR, ConsoleHome, opened
from scripts.bench.console_people import Visits, people_at
from scripts.bench.servers import Server, Shop, gatehouse_server
from scripts.bench.subjects import SUBJECTS

BAR: Final = 1.2
"""The p99 with people may be so many times that without."""
PEOPLE: Final = 10

_SETTINGS: Final = {"GATEHOUSE_RATE_LIMIT_PER_SECOND": "0", "GATEHOUSE_MEMORY_DAYS": "0"}
"""PreCheck asks nothing that Sentry remembers, so a start need not wait for that."""


class BesideOptions(NamedTuple):
    """How long is measured."""

    rounds: int = 5
    seconds: float = 10
    connections: int = 64
    people: int = PEOPLE


class BesideRound(NamedTuple):
    """Some seconds of requests at a steady rate."""

    p50_ms: float
    p99_ms: float
    server_cpu: float
    console_cpu: float
    """Processors in use, 1 for a whole one."""


class Beside(NamedTuple):
    """Rounds without people and with them, in turns."""

    without: list[BesideRound]
    beside: list[BesideRound]

    @property
    def ratio(self) -> float:
        """How many times the p99 with people is that without, in the middle of the rounds."""
        return p99(self.beside) / p99(self.without)

    @property
    def line(self) -> str:
        """One line with the bar and whether it is met."""
        met = "met" if self.ratio <= BAR else "NOT MET"
        return f"  {'times the p99 without people':<46} {self.ratio:8.3f}   bar <= {BAR} {met}"


def p99(rounds: list[BesideRound]) -> float:
    """The p99 in the middle of some rounds."""
    return statistics.median(each.p99_ms for each in rounds)


class Payments:
    """A server under load, beside the console."""

    def __init__(
        self, server: Server, pages: Server, requests: list[bytes], options: BesideOptions
    ) -> None:
        self._server = server
        self._pages = pages
        self._requests = requests
        self._options = options

    def top_rate(self) -> float:
        """How many requests a second the server can answer."""
        each = {"connections": self._options.connections, "seconds": self._options.seconds / 2}
        loads = [drive(self._server.port, self._requests, **each) for _ in range(3)]  # type: ignore[arg-type]  # both are numbers
        return statistics.median(_checked(load).rate for load in loads[1:])

    def round_at(self, rate: float) -> BesideRound:
        """Some seconds at a steady rate."""
        options, before = self._options, (self._server.cpu_s(), self._pages.cpu_s())
        load = _checked(
            pace(
                self._server.port,
                self._requests,
                connections=options.connections,
                rate=rate,
                seconds=options.seconds,
            )
        )
        used = self._server.cpu_s() - before[0], self._pages.cpu_s() - before[1]
        times = load.percentile_ms(0.5), load.percentile_ms(0.99)
        return BesideRound(*times, *(each / load.seconds for each in used))


def _checked(load: Load) -> Load:
    if load.failures:
        raise SystemExit(f"{load.failures} of {load.requests} requests failed")
    return load


def run(home: Path, made: ConsoleHome, options: BesideOptions) -> None:
    """Measure in turns, and print what it took."""
    environment = {**os.environ, "GATEHOUSE_HOME": str(home), **_SETTINGS}
    shop = Shop(home, environment, made.account_id, made.key)
    [subject] = [each for each in SUBJECTS if each.key == "precheck"]
    with gatehouse_server(shop) as server, console(home) as pages:
        browser = Browser(pages.port, ADMINISTRATOR)
        wait_for_figures(browser, made.account_id)
        browser.close()
        payments = Payments(server, pages, subject.requests(shop.key), options)
        rate = payments.top_rate() / 2
        found = Beside([], [])
        for turn in range(options.rounds + 1):
            alone = payments.round_at(rate)
            with people_at(home, pages.port, options.people) as visits:
                beside = payments.round_at(rate)
            if turn:
                found.without.append(alone)
                found.beside.append(beside)
        _print(found, rate, options)
        _print_pages(visits)
        wal = (home / "sandbox.db-wal").stat().st_size / 1e6
        print(f"  memory of the console {peak_gigabytes(pages.process):.2f} GB, WAL {wal:.0f} MB")


def _print(found: Beside, rate: float, options: BesideOptions) -> None:
    print(
        f"PreCheck at half of its top rate ({rate:.0f} requests/s) beside {options.people} people "
        f"at the console, {options.rounds} rounds of {options.seconds:g} s, medians"
    )
    for name, rounds in (("without", found.without), ("with people", found.beside)):
        p50, _, server, pages = (statistics.median(each) for each in zip(*rounds, strict=True))
        print(
            f"  {name:<15} p50 {p50:.1f} ms  p99 {p99(rounds):.1f} ms   "
            f"processors: server {server:.2f}, console {pages:.2f}"
        )
    print(found.line)


def _print_pages(visits: Visits) -> None:
    shown = ", ".join(f"{name} {ms:.0f}" for name, ms in visits.medians_ms.items())
    print(f"  in the last round {visits.pages} pages, ms: {shown}")


def measure(decisions: int, kept: Path | None, options: BesideOptions) -> None:
    """Make so many decisions, unless they are kept in a folder, and measure beside them."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-bench-") as folder:
        home = kept or Path(folder)
        run(home, opened(home, decisions), options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("decisions", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--home", type=Path, help="a folder to keep the decisions in")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    options = BesideOptions(given.rounds, given.seconds)
    measure(given.decisions, given.home, options)


if __name__ == "__main__":
    main()
