"""`make bench`: prints the figures of docs/performance/speed.md; bars are ratios within a run."""

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from scripts.bench import backtesting, judging, searching, stage
from scripts.bench.cards import precheck_body
from scripts.bench.client import Load, drive, pace, post
from scripts.bench.growth import fill_with_decisions, fill_with_people, fill_with_visits
from scripts.bench.learned import teach
from scripts.bench.people import idverify_body
from scripts.bench.purchases import apply_rules, pipeline_body
from scripts.bench.remembering import measure_apart
from scripts.bench.servers import (
    Server,
    Shop,
    bare_server,
    first_answer_s,
    gatehouse_server,
    make_shop,
)
from scripts.bench.visits import sentry_body

_CARDS = 20_000
_EARLIER_VISITS = 60_000


class Subject(NamedTuple):
    """An operation that is measured: what it needs, what is sent, and what it may cost."""

    name: str
    operation: str
    body: Callable[[int], bytes]
    prepare: Callable[[Shop], None]
    """Makes a new shop able to answer."""
    grow: Callable[[Shop, int], None]
    """Adds that many records of the kind that grows."""
    kind: str
    least_share: float
    most_times: float
    most_p99_ms: float | None = None
    """At half of the rate that it can reach; None where that is not asked."""

    def shop(self, home: Path) -> Shop:
        """A shop that can answer."""
        shop = make_shop(home)
        self.prepare(shop)
        return shop

    def requests(self, key: str, prefix: str = "/api/v1/") -> list[bytes]:
        """The requests, of which every one is different."""
        headers = {"X-API-KEY": key}
        return [post(prefix + self.operation, self.body(n), headers) for n in range(_CARDS)]


def prepare_sentry(shop: Shop) -> None:
    """People who came before, what became of their orders, and a model that learned from it."""
    fill_with_visits(shop, _EARLIER_VISITS)
    teach(shop)


def prepare_pipeline(shop: Shop) -> None:
    """The same, and fifty rules."""
    apply_rules(shop, shop.home)
    prepare_sentry(shop)


SUBJECTS = (
    Subject(
        "PreCheck",
        "precheck",
        precheck_body,
        prepare=lambda shop: None,
        grow=fill_with_decisions,
        kind="decision records",
        least_share=0.25,
        most_times=4,
    ),
    Subject(
        "ID Verify",
        "idverify",
        idverify_body,
        prepare=lambda shop: fill_with_people(shop, range(_CARDS)),
        grow=lambda shop, count: fill_with_people(shop, range(_CARDS, _CARDS + count // 2)),
        kind="identity records",
        least_share=0.15,
        most_times=6,
    ),
    Subject(
        "Sentry",
        "sentry",
        sentry_body,
        prepare=prepare_sentry,
        grow=fill_with_decisions,
        kind="decision records",
        least_share=0.15,
        most_times=6,
        most_p99_ms=25,
    ),
    Subject(
        "Pipeline",
        "pipeline",
        pipeline_body,
        prepare=prepare_pipeline,
        grow=fill_with_decisions,
        kind="decision records",
        least_share=0.09,
        most_times=10,
    ),
)


class Round:
    """One round of load on one server."""

    def __init__(self, server: Server, requests: list[bytes], seconds: float, connections: int):
        before = server.cpu_s()
        self.load: Load = drive(server.port, requests, connections=connections, seconds=seconds)
        self.cpu_us = (server.cpu_s() - before) / self.load.requests * 1_000_000
        if self.load.failures:
            raise SystemExit(f"{self.load.failures} of {self.load.requests} requests failed")


def sync_ms(folder: Path) -> float:
    """How long this disk takes to make a small write durable."""
    times = []
    with (folder / "sync").open("wb") as file:
        for _ in range(100):
            file.write(b"x" * 4096)
            file.flush()
            started = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def alternate(
    left: tuple[Server, list[bytes]], right: tuple[Server, list[bytes]], options: argparse.Namespace
) -> tuple[list[Round], list[Round]]:
    """Rounds on both servers in turn, after a warm-up, so that both see the same machine."""
    rounds: tuple[list[Round], list[Round]] = ([], [])
    for turn in range(options.rounds + 1):
        for side, (server, requests) in enumerate((left, right)):
            done = Round(server, requests, options.seconds, options.connections)
            if turn:
                rounds[side].append(done)
    return rounds


def medians(rounds: list[Round]) -> tuple[float, float]:
    """Median rate and median processor time per request."""
    rate = statistics.median(each.load.rate for each in rounds)
    return rate, statistics.median(each.cpu_us for each in rounds)


def verdict(name: str, value: float, bar: float, *, at_least: bool) -> str:
    """One line with the bar and whether it is met."""
    met = value >= bar if at_least else value <= bar
    sign = ">=" if at_least else "<="
    return f"  {name:<46} {value:8.3f}   bar {sign} {bar:<6} {'met' if met else 'NOT MET'}"


def compare_with_bare(subject: Subject, folder: Path, options: argparse.Namespace) -> None:
    """An operation, durable and billed, beside the bare endpoint."""
    shop = subject.shop(folder / f"{subject.operation}-speed")
    ours, bare = subject.requests(shop.key), subject.requests(shop.key, "/")
    with gatehouse_server(shop) as server, bare_server() as yardstick:
        rounds, bare_rounds = alternate((server, ours), (yardstick, bare), options)
        alone = Round(server, ours, options.seconds, 1).load
        top_rate = medians(rounds)[0]
        steady = pace(
            server.port,
            ours,
            connections=options.connections,
            rate=top_rate / 2,
            seconds=options.seconds * 2,
        )
    if steady.failures:
        raise SystemExit(f"{steady.failures} of {steady.requests} requests failed")
    (rate, cpu), (bare_rate, bare_cpu) = medians(rounds), medians(bare_rounds)
    print(
        f"{subject.name} on SQLite (FULL), {options.connections} connections, "
        f"{options.rounds} rounds of {options.seconds:g} s, medians"
    )
    print(f"  bare endpoint   {bare_rate:8.0f} requests/s  {bare_cpu:6.1f} us CPU")
    print(
        f"  {subject.name:<15} {rate:8.0f} requests/s  {cpu:6.1f} us CPU   "
        f"p50 {rounds[0].load.percentile_ms(0.5):.1f} ms  "
        f"p99 {rounds[0].load.percentile_ms(0.99):.1f} ms"
    )
    share, times = rate / bare_rate, cpu / bare_cpu
    print(verdict("share of the bare endpoint's rate", share, subject.least_share, at_least=True))
    print(verdict("times its CPU per request", times, subject.most_times, at_least=False))
    print(f"One request at a time (disk syncs in {sync_ms(folder):.2f} ms)")
    print(verdict("p50 in ms", alone.percentile_ms(0.5), 5, at_least=False))
    print(f"At half of its top rate ({steady.rate:.0f} requests/s)")
    p50, p99 = steady.percentile_ms(0.5), steady.percentile_ms(0.99)
    if subject.most_p99_ms is None:
        print(f"  p50 {p50:.1f} ms  p99 {p99:.1f} ms")
    else:
        print(verdict(f"p99 in ms (p50 {p50:.1f})", p99, subject.most_p99_ms, at_least=False))


def compare_empty_with_full(subject: Subject, folder: Path, options: argparse.Namespace) -> None:
    """The same requests with none of the records that grow and with a million of them."""
    empty = subject.shop(folder / f"{subject.operation}-empty")
    full = subject.shop(folder / f"{subject.operation}-full")
    subject.grow(full, options.records)
    small_load, large_load = subject.requests(empty.key), subject.requests(full.key)
    with gatehouse_server(empty) as small, gatehouse_server(full) as large:
        rounds = alternate((small, small_load), (large, large_load), options)
    (small_rate, small_cpu), (large_rate, large_cpu) = medians(rounds[0]), medians(rounds[1])
    print(f"{subject.name} with {options.records:,} more {subject.kind} beside none")
    print(f"  none            {small_rate:8.0f} requests/s  {small_cpu:6.1f} us CPU")
    print(f"  {options.records:<15,} {large_rate:8.0f} requests/s  {large_cpu:6.1f} us CPU")
    print(verdict("times the CPU per request", large_cpu / small_cpu, 1.15, at_least=False))
    print(verdict("share of the rate", large_rate / small_rate, 0.85, at_least=True))


def time_the_start(folder: Path) -> None:
    """How soon a server serves."""
    shop = make_shop(folder / "start")
    times = [first_answer_s(shop) for _ in range(7)]
    print(f"From the start of the process to the first answer, {len(times)} times, median")
    print(verdict("seconds", statistics.median(times), 2, at_least=False))


def weigh_memory(entities: int) -> None:
    """How much memory it takes to remember."""
    found = measure_apart(entities)
    print(
        f"Sentry's memory, {found.entities:,} entities of {found.events:,} events, "
        f"{found.note_us:.0f} us to note one"
    )
    print(verdict("gigabytes", found.gigabytes, 1.5 * entities / 1_000_000, at_least=False))


def time_the_stage() -> None:
    """How much of a Sentry request is the stage itself."""
    found = stage.measure()
    print("Sentry's stage alone, us CPU of a request")
    print(f"  {found.shipped_us:.0f} with the shipped scorecard")
    print(f"  {found.learned_us:.0f} with every earlier visit labelled and a scorecard of its own")


def time_the_rules() -> None:
    """How long judging takes: one live request, and a million recorded ones."""
    print("Judging one live request by rules of the starter kind")
    for rules, bar in judging.BARS_US.items():
        found = judging.measure(rules)
        print(verdict(f"us for {rules} rules", found.judge_us, bar, at_least=False))
        print(f"  {found.compile_ms:.0f} ms to make them ready")


def time_the_backtest(requests: int) -> None:
    """How long a rule set takes over recorded requests."""
    found = backtesting.measure(requests)
    print(
        f"Backtest of {found.rules} rules over {found.requests:,} requests: loaded in "
        f"{found.fill_s:.0f} s, {found.gigabytes:.2f} GB at most"
    )
    print(verdict("seconds after loading", found.judge_s, backtesting.BAR_S, at_least=False))


def time_the_search(decisions: int) -> None:
    """How long a page of a search takes with few decisions and with many."""
    for database, found in searching.measure(decisions):
        print(f"A page on {database}, {searching.FEW:,} decisions beside {decisions:,}, ms")
        for each in found:
            name = f"{each.kind} ({each.few_ms:.2f}, {each.many_ms:.2f})"
            print(verdict(name, each.ratio, searching.BAR, at_least=False))


def main() -> None:
    """Run the measurements that were asked for."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short rounds, 100,000 records")
    parser.add_argument(
        "--only",
        choices=("speed", "growth", "memory", "start", "stage", "rules", "backtest", "search"),
        help="one measurement alone",
    )
    operations = [subject.operation for subject in SUBJECTS]
    parser.add_argument("--operation", choices=operations, help="one operation alone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--records", type=int, default=1_000_000)
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds, options.records = 3, 2, 100_000
    print(f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="gatehouse-bench-") as folder:
        for subject in SUBJECTS:
            if options.operation not in (None, subject.operation):
                continue
            if options.only in (None, "speed"):
                compare_with_bare(subject, Path(folder), options)
            if options.only in (None, "growth"):
                compare_empty_with_full(subject, Path(folder), options)
        if options.only == "start" or (options.only is None and options.operation is None):
            time_the_start(Path(folder))
    if options.only == "rules" or (options.only is None and options.operation is None):
        time_the_rules()
    if options.only == "backtest" or (options.only is None and options.operation is None):
        time_the_backtest(options.records)
    if options.only == "search" or (options.only is None and options.operation is None):
        time_the_search(options.records)
    if options.only in (None, "stage") and options.operation in (None, "sentry"):
        time_the_stage()
    if options.only in (None, "memory") and options.operation in (None, "sentry"):
        weigh_memory(options.records)


if __name__ == "__main__":
    main()
