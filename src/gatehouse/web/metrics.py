"""Metrics for Prometheus: requests by route and status, their duration, commits, Sentry's memory.

The request path only counts; the library's objects are made when metrics are read.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from gatehouse.sentry.memory import MemoryState
from gatehouse.store.configured.refusals import Refusals

CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
_PER_COMMIT: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class _Histogram:
    """Counts of values by the bucket they fall into."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def cumulative(self) -> list[tuple[str, float]]:
        buckets, so_far = [], 0
        for bound, count in zip((*map(str, self.bounds), "+Inf"), self.counts, strict=True):
            so_far += count
            buckets.append((bound, float(so_far)))
        return buckets


class Metrics:
    """The counters of one server process."""

    def __init__(
        self,
        version: str,
        environment: str,
        memory: Callable[[], MemoryState],
        refusals: Refusals,
    ) -> None:
        self._about = (version, environment)
        self._memory = memory
        self._refusals = refusals
        self._requests: dict[tuple[str, int], int] = {}
        self._seconds: dict[str, _Histogram] = {}
        self._commits = _Histogram(_PER_COMMIT)
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def request(self, route: str, status: int, seconds: float) -> None:
        """Count one answered request; routes are templates, so the labels stay few."""
        key = (route, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        histogram = self._seconds.get(route)
        if histogram is None:
            histogram = self._seconds[route] = _Histogram(_SECONDS)
        histogram.observe(seconds)

    def commit(self, settlements: int) -> None:
        """Count one commit."""
        self._commits.observe(settlements)

    def page(self) -> bytes:
        """All metrics in the text format."""
        return generate_latest(self.registry)

    def collect(self) -> Iterator[Metric]:
        """All metrics as the library's objects; the library calls this."""
        requests = CounterMetricFamily(
            "gatehouse_requests", "Requests by route and HTTP status.", labels=["route", "status"]
        )
        for (route, status), count in list(self._requests.items()):
            requests.add_metric([route, str(status)], count)
        yield requests
        seconds = HistogramMetricFamily(
            "gatehouse_request_seconds",
            "Time from the head to the answer.",
            labels=["route"],
        )
        for route, histogram in list(self._seconds.items()):
            seconds.add_metric([route], histogram.cumulative(), histogram.total)
        yield seconds
        yield HistogramMetricFamily(
            "gatehouse_settlements_per_commit",
            "Settlements that shared one durable commit.",
            buckets=self._commits.cumulative(),
            sum_value=self._commits.total,
        )
        memory = self._memory()
        for name, about, value in (
            (
                "entities",
                "Users, addresses, cards and the like that Sentry remembers.",
                memory.entities,
            ),
            ("entities_limit", "How many of them it remembers at most.", memory.limit),
            ("events", "Events it remembers them from.", memory.events),
            ("rebuilt", "1 once the events before the start are remembered.", memory.rebuilt),
        ):
            yield GaugeMetricFamily(f"gatehouse_memory_{name}", about, value=float(value))
        yield GaugeMetricFamily(
            "gatehouse_configuration_refused_accounts",
            "Accounts whose configuration in the database is refused now.",
            value=float(self._refusals.accounts),
        )
        yield CounterMetricFamily(
            "gatehouse_configuration_refusals",
            "Configurations that were refused since the start.",
            value=float(self._refusals.count),
        )
        info = GaugeMetricFamily(
            "gatehouse_info", "Version and environment.", labels=["version", "environment"]
        )
        info.add_metric(list(self._about), 1)
        yield info
