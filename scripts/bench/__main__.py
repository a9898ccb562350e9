"""`make bench`: prints the figures of docs/performance.md; the bars are ratios within this run."""

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path

from scripts.bench.client import Load, drive, post
from scripts.bench.growth import fill_with_decisions
from scripts.bench.servers import Server, bare_server, gatehouse_server, make_shop

_STREETS = ("1 Market Street", "22 Acacia Avenue", "7 Rue de Rivoli", "350 Fifth Avenue")


def _luhn_digit(digits: str) -> str:
    total = 0
    for index, char in enumerate(reversed(digits)):
        value = int(char) * (2 if index % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def precheck_bodies(count: int) -> list[bytes]:
    """Bodies of which every one has its own card, address and reference."""
    bodies = []
    for index in range(count):
        stem = f"424242{index * 7919 % 10**9:09d}"
        body = {
            "clientReferenceId": f"order-{index:08d}",
            "cardNumber": stem + _luhn_digit(stem),
            "cardExpiryDate": "2031-12",
            "cardCvv2Value": f"{400 + index % 500}",
            "cardAddress": {
                "postalCode": f"{40000 + index % 9999}",
                "street": _STREETS[index % len(_STREETS)],
            },
        }
        bodies.append(json.dumps(body, separators=(",", ":")).encode())
    return bodies


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


def compare_with_bare(folder: Path, options: argparse.Namespace) -> None:
    """PreCheck, durable and billed, beside the bare endpoint."""
    shop = make_shop(folder / "speed")
    bodies = precheck_bodies(20_000)
    ours = [post("/api/v1/precheck", body, {"X-API-KEY": shop.key}) for body in bodies]
    bare = [post("/", body, {"X-API-KEY": shop.key}) for body in bodies]
    with gatehouse_server(shop) as server, bare_server() as yardstick:
        ours_rounds, bare_rounds = alternate((server, ours), (yardstick, bare), options)
        alone = Round(server, ours, options.seconds, 1).load
    rate, cpu = medians(ours_rounds)
    bare_rate, bare_cpu = medians(bare_rounds)
    print(
        f"PreCheck on SQLite (FULL), {options.connections} connections, "
        f"{options.rounds} rounds of {options.seconds:g} s, medians"
    )
    print(f"  bare endpoint   {bare_rate:8.0f} requests/s  {bare_cpu:6.1f} us CPU")
    print(
        f"  PreCheck        {rate:8.0f} requests/s  {cpu:6.1f} us CPU   "
        f"p50 {ours_rounds[0].load.percentile_ms(0.5):.1f} ms  "
        f"p99 {ours_rounds[0].load.percentile_ms(0.99):.1f} ms"
    )
    print(verdict("share of the bare endpoint's rate", rate / bare_rate, 0.25, at_least=True))
    print(verdict("times its CPU per request", cpu / bare_cpu, 4, at_least=False))
    print(f"One request at a time (disk syncs in {sync_ms(folder):.2f} ms)")
    print(verdict("p50 in ms", alone.percentile_ms(0.5), 5, at_least=False))


def compare_empty_with_full(folder: Path, options: argparse.Namespace) -> None:
    """The same request with no decision records and with a million."""
    empty, full = make_shop(folder / "empty"), make_shop(folder / "full")
    fill_with_decisions(full, options.records)
    bodies = precheck_bodies(20_000)

    def requests(key: str) -> list[bytes]:
        return [post("/api/v1/precheck", body, {"X-API-KEY": key}) for body in bodies]

    with gatehouse_server(empty) as small, gatehouse_server(full) as large:
        rounds = alternate((small, requests(empty.key)), (large, requests(full.key)), options)
    (small_rate, small_cpu), (large_rate, large_cpu) = medians(rounds[0]), medians(rounds[1])
    print(f"PreCheck with {options.records:,} decision records beside none")
    print(f"  none            {small_rate:8.0f} requests/s  {small_cpu:6.1f} us CPU")
    print(f"  {options.records:<15,} {large_rate:8.0f} requests/s  {large_cpu:6.1f} us CPU")
    print(verdict("times the CPU per request", large_cpu / small_cpu, 1.15, at_least=False))
    print(verdict("share of the rate", large_rate / small_rate, 0.85, at_least=True))


def main() -> None:
    """Run the measurements that were asked for."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short rounds, 100,000 records")
    parser.add_argument("--only", choices=("speed", "growth"), help="one measurement alone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--records", type=int, default=1_000_000)
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds, options.records = 3, 2, 100_000
    print(f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="gatehouse-bench-") as folder:
        if options.only in (None, "speed"):
            compare_with_bare(Path(folder), options)
        if options.only in (None, "growth"):
            compare_empty_with_full(Path(folder), options)


if __name__ == "__main__":
    main()
