"""Rounds of load on servers in turn, so that all see the same machine, and the bars they meet."""

import argparse
import os
import statistics
import time
from pathlib import Path
from typing import Final

from scripts.bench.client import Load, drive
from scripts.bench.servers import Server

MISSED: Final[list[str]] = []
"""The names of bars that were not met, for the exit code."""


class Round:
    """One round of load on one server."""

    def __init__(self, server: Server, requests: list[bytes], seconds: float, connections: int):
        before = server.cpu_s()
        self.load: Load = drive(server.port, requests, connections=connections, seconds=seconds)
        self.cpu_us = (server.cpu_at_rest_s() - before) / self.load.requests * 1_000_000
        if self.load.failures:
            raise SystemExit(f"{self.load.failures} of {self.load.requests} requests failed")


def alternate(options: argparse.Namespace, *sides: tuple[Server, list[bytes]]) -> list[list[Round]]:
    """Rounds on the servers in turn, after a warm-up, so that all see the same machine."""
    rounds: list[list[Round]] = [[] for _ in sides]
    for turn in range(options.rounds + 1):
        for side, (server, requests) in enumerate(sides):
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
    if not met:
        MISSED.append(name)
    sign = ">=" if at_least else "<="
    return f"  {name:<46} {value:8.3f}   bar {sign} {bar:<6} {'met' if met else 'NOT MET'}"


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
