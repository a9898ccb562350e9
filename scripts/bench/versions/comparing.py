"""The table of this version beside an earlier one, measured in many short rounds in turn.

On a machine that does other work, too, one round says little. Neighbouring rounds see much the same
machine, so each round of this version is compared with that of the earlier one beside it, and the
median of these ratios counts. Half of the ratios lie within the spread that is printed with it: a
change that is smaller than that needs more rounds.
"""

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from scripts.bench.client import percentile_ms
from scripts.bench.rounds import Round, verdict
from scripts.bench.servers import Server, bare_server, gatehouse_server
from scripts.bench.subjects import SUBJECTS, FeedbackSubject
from scripts.bench.versions.earlier import EarlierVersion, NoVersion, earlier_version, last_release

MOST_TIMES: Final = 1.05
"""Of the earlier version's processor time: more is a regression."""
_SECONDS: Final = 1.0
_ROUNDS_PER_ROUND: Final = 3
"""Short rounds for each that the other measurements have."""
_LINE: Final = "  {:<16}{:>8}{:>8}{:>8}{:>18}{:>8}{:>8}{:>9}{:>8}{:>12}{:>12}"


class Ratio(NamedTuple):
    """How many times as much, in the middle of all pairs of rounds, and half of them around it."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, ours: Sequence[float], theirs: Sequence[float]) -> "Ratio":
        """The ratios of what was measured in turn."""
        ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
        low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
        return cls(median, low, high)

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f}-{self.high:.2f})"


class Compared(NamedTuple):
    """The rounds of an operation."""

    subject: FeedbackSubject
    bare: list[Round]
    earlier: list[Round]
    now: list[Round]

    @property
    def cpu(self) -> Ratio:
        """Processor time of this version, as times that of the earlier one."""
        return Ratio.of(_cpu(self.now), _cpu(self.earlier))


def measure(folder: Path, options: argparse.Namespace) -> None:
    """Compare with the last release, or with the version that was named."""
    try:
        with earlier_version(options.beside or last_release()) as earlier:
            plan = options.rounds, options.connections
            chosen = [each for each in SUBJECTS if options.operation in (None, each.key)]
            print_table(earlier, [compare(each, earlier, folder, plan) for each in chosen])
    except NoVersion as nothing:
        if options.only == "versions" or options.beside:
            sys.exit(str(nothing))
        print(nothing)


def compare(
    subject: FeedbackSubject, earlier: EarlierVersion, folder: Path, plan: tuple[int, int]
) -> Compared:
    """Load this version, an earlier one and the bare endpoint in turn; `plan`: rounds, connections.

    Which comes first changes from turn to turn.
    """
    rounds, connections = plan
    ours = subject.shop(folder / f"{subject.key}-now")
    theirs = earlier.shop(subject, folder / f"{subject.key}-earlier")
    with (
        bare_server() as bare,
        gatehouse_server(theirs) as before,
        gatehouse_server(ours) as now,
    ):
        sides: list[tuple[Server, list[bytes]]] = [
            (bare, subject.requests(ours.key, "/")),
            (before, subject.requests(theirs.key)),
            (now, subject.requests(ours.key)),
        ]
        found: list[list[Round]] = [[] for _ in sides]
        for turn in range(rounds * _ROUNDS_PER_ROUND + 1):
            order = range(len(sides)) if turn % 2 else reversed(range(len(sides)))
            for side in order:
                done = Round(*sides[side], _SECONDS, connections)
                if turn:
                    found[side].append(done)
    return Compared(subject, *found)


def print_table(earlier: EarlierVersion, found: Sequence[Compared]) -> None:
    """What was found, and whether a regression is among it."""
    print(
        f"This version beside {earlier.name}: us CPU of the server and the processes that it "
        f"starts, medians of {len(found[0].now)} rounds of {_SECONDS:g} s in turn"
    )
    print(
        _LINE.format(
            *("", "bare", "earlier", "now", "times", "x bare", "x bare"),
            *("per s", "per s", "p50, p99 ms", "p50, p99 ms"),
        )
    )
    print(_LINE.format("", "", "", "", "(half of them)", *("earlier", "now") * 3))
    for each in found:
        print(_line(each))
    for each in found:
        name = f"{each.subject.key}, times the CPU of the earlier"
        print(verdict(name, each.cpu.median, MOST_TIMES, at_least=False))


def _line(each: Compared) -> str:
    bare, before, now = (statistics.median(_cpu(side)) for side in each[1:])
    # Ratios to the bare endpoint are those of neighbouring rounds, too.
    sides = each.earlier, each.now
    times = [Ratio.of(_cpu(side), _cpu(each.bare)).median for side in sides]
    rates = [statistics.median([done.load.rate for done in side]) for side in sides]
    return _LINE.format(
        each.subject.key,
        *(f"{bare:.0f}", f"{before:.0f}", f"{now:.0f}", str(each.cpu)),
        *(f"{value:.2f}" for value in times),
        *(f"{value:.0f}" for value in rates),
        *(_latencies(side) for side in sides),
    )


def _latencies(rounds: list[Round]) -> str:
    """Medians over the rounds, because one round in which the machine stood still says nothing."""
    shares = (
        statistics.median([percentile_ms(done.load.latencies_s, share) for done in rounds])
        for share in (0.5, 0.99)
    )
    return ", ".join(f"{value:.0f}" for value in shares)


def _cpu(rounds: list[Round]) -> list[float]:
    return [done.cpu_us for done in rounds]
