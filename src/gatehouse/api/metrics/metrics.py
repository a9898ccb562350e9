"""Counts what a server does, for Prometheus.

The request path only counts; the library's objects are made when metrics are read.
"""

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NoReturn

import msgspec
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder

from gatehouse.api.metrics import families
from gatehouse.api.metrics.families import Family
from gatehouse.pipeline.job import Processed

_API: Final = "/api/v1/"
_NO_LABELS: Final = ()
_LAG_EVERY_S: Final = 0.5

Labels = tuple[str, ...]
Gauge = Callable[[], float | Mapping[str, float]]
"""Reads a value, or a value for each value of the only label."""


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


class _Histograms(dict[Labels, _Histogram]):
    """The histograms of one family, made when they are needed."""

    def __init__(self, family: Family) -> None:
        super().__init__()
        self._bounds = family.bounds

    def __missing__(self, labels: Labels) -> _Histogram:
        made = self[labels] = _Histogram(self._bounds)
        return made


class CallCounts(msgspec.Struct, frozen=True):
    """Calls of outside parties that a process counted for another one."""

    counts: list[tuple[Labels, int]] = []
    seconds: list[tuple[Labels, list[int], float]] = []
    """How many fell into each bucket, and the sum."""


class Metrics:
    """The counters of one server process."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, int, str | None], int] = {}
        self._decisions: dict[Labels, int] = {}
        self._stages: dict[tuple[str, bool, str | None], int] = {}
        self._calls: dict[Labels, int] = {}
        self._seconds = {
            family.name: _Histograms(family)
            for family in families.FAMILIES
            if family.kind == "histogram"
        }
        self._request_seconds = self._seconds[families.REQUEST_SECONDS.name]
        self._stage_seconds = self._seconds[families.STAGE_SECONDS.name]
        self._call_seconds = self._seconds[families.CALL_SECONDS.name]
        self._asked: dict[Labels, int] = {}
        self._asked_seconds = self._seconds[families.ASKED_SECONDS.name]
        self._gauges: dict[str, Gauge] = {}
        self._info: Labels | None = None
        self.registry = CollectorRegistry()
        self.registry.register(self)
        ProcessCollector(registry=self.registry)
        self.shown = self.registry
        """What readers are shown: of one of several workers, the metrics of all of them."""

    def request(self, route: str, status: int, code: str | None, seconds: float) -> None:
        """Count one answered request; routes are templates, so the labels stay few."""
        key = (route, status, code)
        self._requests[key] = self._requests.get(key, 0) + 1
        self._request_seconds[(route,)].observe(seconds)

    def processed(self, operation: str, done: Processed) -> None:
        """Count what was decided, and the stages that ran for it."""
        if done.decision is not None:
            decided = (operation, done.decision)
            self._decisions[decided] = self._decisions.get(decided, 0) + 1
        for run in done.runs:
            key = (run.stage, run.item.completed, run.result.verdict)
            self._stages[key] = self._stages.get(key, 0) + 1
            self._stage_seconds[(run.stage,)].observe(run.duration_us / 1_000_000)

    def called(self, connector: str, call: str, outcome: str, seconds: float) -> None:
        """Count one call of a connector."""
        key = (connector, call, outcome)
        self._calls[key] = self._calls.get(key, 0) + 1
        self._call_seconds[(connector, call)].observe(seconds)

    def given_calls(self) -> CallCounts:
        """The calls that were counted here, for the process that shows them."""
        seconds = self._call_seconds.items()
        return CallCounts(
            list(self._calls.items()),
            [(labels, each.counts, each.total) for labels, each in seconds],
        )

    def take_calls(self, given: CallCounts) -> None:
        """Show what another process counted; it alone calls those parties.

        If it starts anew, its counts do, which readers of counters know how to take.
        """
        self._calls.update(given.counts)
        for labels, counts, total in given.seconds:
            shown = self._call_seconds[labels]
            shown.counts, shown.total = counts, total

    def asked(self, connector: str, function: str, outcome: str, seconds: float) -> None:
        """Count one request to an applied connector."""
        key = (connector, function, outcome)
        self._asked[key] = self._asked.get(key, 0) + 1
        self._asked_seconds[(connector, function)].observe(seconds)

    def commit(self, settlements: int, seconds: float) -> None:
        """Count one commit."""
        self._seconds[families.PER_COMMIT.name][_NO_LABELS].observe(settlements)
        self._seconds[families.COMMIT_SECONDS.name][_NO_LABELS].observe(seconds)

    def lag(self, seconds: float) -> None:
        """Note how late the event loop was."""
        self._seconds[families.LAG_SECONDS.name][_NO_LABELS].observe(seconds)

    def about(self, version: str, environment: str, database: str) -> None:
        """Say what is running."""
        self._info = (version, environment, database)

    def watch(self, name: str, read: Gauge) -> None:
        """Read a declared metric from there whenever metrics are read."""
        assert name in {family.name for family in families.FAMILIES}
        self._gauges[name] = read

    def page(self, accept: str | None) -> tuple[bytes, bytes]:
        """All metrics in the best format that a reader takes, and the type of that format."""
        encode, content_type = choose_encoder(accept or "")
        return encode(self.shown), content_type.encode()

    def collect(self) -> Iterator[Metric]:
        """All metrics as the library's objects; the library calls this."""
        counts = self._counts()
        for family in families.FAMILIES:
            if family.kind == "histogram":
                yield self._histogram(family)
                continue
            values = counts.get(family.name)
            kind = CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
            metric = kind(family.name, family.about, labels=family.labels)
            for labels, value in (self._watched(family) if values is None else values).items():
                metric.add_metric(labels, value)
            yield metric

    def _counts(self) -> dict[str, Mapping[Labels, float]]:
        """What was counted, by family and labels."""
        requests, operations, errors = Counter[Labels](), Counter[Labels](), Counter[Labels]()
        for (route, status, code), count in list(self._requests.items()):
            requests[route, str(status)] += count
            if route.startswith(_API):
                operation = route[len(_API) :].partition("/")[0]
                operations[operation, f"{status // 100}xx", _word(code is None)] += count
            if code is not None:
                errors[route, code] += count
        stages, verdicts = Counter[Labels](), Counter[Labels]()
        for (stage, completed, verdict), count in list(self._stages.items()):
            stages[stage, _word(completed)] += count
            if verdict is not None:
                verdicts[stage, verdict] += count
        return {
            families.REQUESTS.name: requests,
            families.OPERATIONS.name: operations,
            families.ERRORS.name: errors,
            families.DECISIONS.name: dict(self._decisions),
            families.STAGES.name: stages,
            families.VERDICTS.name: verdicts,
            families.CALLS.name: dict(self._calls),
            families.ASKED.name: dict(self._asked),
            families.INFO.name: {} if self._info is None else {self._info: 1},
        }

    def _watched(self, family: Family) -> Mapping[Labels, float]:
        read = self._gauges.get(family.name)
        if read is None:
            return {}
        value = read()
        if isinstance(value, Mapping):
            return {(label,): float(each) for label, each in value.items()}
        return {_NO_LABELS: float(value)}

    def _histogram(self, family: Family) -> Metric:
        metric = HistogramMetricFamily(family.name, family.about, labels=family.labels)
        for labels, histogram in list(self._seconds[family.name].items()):
            metric.add_metric(labels, histogram.cumulative(), histogram.total)
        return metric


async def watch_lag(note: Callable[[float], None]) -> NoReturn:
    """See again and again how much later than asked for the event loop goes on."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _LAG_EVERY_S
        await asyncio.sleep(_LAG_EVERY_S)
        note(max(0.0, loop.time() - due))


def _word(value: bool) -> str:
    return "true" if value else "false"
