"""What running servers do, worked out from two looks at their metrics: rates, times, backlogs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Final

import msgspec

from gatehouse.core.api_values import CamelStruct

Labels = tuple[tuple[str, str], ...]
Samples = Mapping[tuple[str, Labels], float]
"""Values by name and labels, as one server answered them."""

_BACKLOG: Final = (
    "writer_waiting",
    "reviews_open",
    "reversals_waiting",
    "reversals_failed",
    "payment_operations_in_doubt",
    "holds_open",
    "labels_behind",
    "memory_missed",
    "webhooks_failing",
    "webhook_messages_waiting",
    "events_held_back",
)
_OF_ONE_SERVER: Final = frozenset({"writer_waiting", "labels_behind", "requests_in_flight"})
"""Gauges to add up; of the others, which count the whole database, the largest is true."""


class Activity(CamelStruct):
    """How often something was done, and how long it took."""

    name: str
    per_second: float
    failed_per_second: float
    refused_per_second: float
    p50_ms: float | None
    p99_ms: float | None


class ServerState(CamelStruct):
    """One server that was asked."""

    address: str
    state: str
    """ready, not ready, or why it did not answer."""
    requests_per_second: float = 0.0


class InstallationFigures(CamelStruct):
    """What all servers together did in a span of time."""

    seconds: float
    servers: list[ServerState]
    in_flight: int
    shed_per_second: float
    loop_late_p99_ms: float | None
    routes: list[Activity]
    connectors: list[Activity]
    decisions_per_minute: dict[str, float]
    errors_per_minute: dict[str, float]
    backlog: dict[str, int]


class Look(msgspec.Struct, frozen=True):
    """What one server answered at a moment; without samples, why it did not."""

    address: str
    at_s: float
    samples: Samples
    problem: str = ""


def figures_between(before: Sequence[Look], after: Sequence[Look]) -> InstallationFigures:
    """What happened between two looks at the same servers.

    A counter that became smaller belongs to a server that was started again: all of it is new.
    """
    seconds = max(
        (now.at_s - then.at_s for then, now in zip(before, after, strict=True)), default=0.0
    )
    spans = [_Span.between(then, now) for then, now in zip(before, after, strict=True)]
    every = _Span.together(spans)
    lag = every.buckets("event_loop_lag_seconds", ())
    return InstallationFigures(
        seconds=seconds,
        servers=[_state(span, seconds) for span in spans],
        in_flight=round(sum(span.gauge("requests_in_flight") for span in spans)),
        shed_per_second=_rate(sum(every.counts("requests_shed_total", ()).values()), seconds),
        loop_late_p99_ms=quantile_ms(lag.get((), {}), 0.99),
        routes=_activities(every, "requests_total", "request_seconds", ("route",), seconds),
        connectors=_activities(
            every, "connector_calls_total", "connector_seconds", ("connector", "call"), seconds
        ),
        decisions_per_minute=_per_minute(every, "decisions_total", "decision", seconds),
        errors_per_minute=_per_minute(every, "errors_total", "code", seconds),
        backlog={name: _backlog(spans, name) for name in _BACKLOG},
    )


def quantile_ms(buckets: Mapping[float, float], share: float) -> float | None:
    """The time within which this share stayed, straight between the bounds of its bucket."""
    ordered = sorted(buckets.items())
    total = ordered[-1][1] if ordered else 0.0
    if total <= 0:
        return None
    below, low = 0.0, 0.0
    for bound, count in ordered:
        if count >= share * total:
            if bound == inf:
                return low * 1000
            part = (share * total - below) / (count - below)
            return (low + (bound - low) * part) * 1000
        below, low = count, bound
    return low * 1000


class _Span:
    """What the counters of one server, or of all, went up by."""

    def __init__(self, look: Look, rises: Samples) -> None:
        self.look = look
        self._rises = rises

    @classmethod
    def between(cls, before: Look, after: Look) -> "_Span":
        """What happened to one server; without an earlier look nothing, for its past is not now."""
        past = before.samples
        return cls(
            after,
            {
                key: value - old if (old := past.get(key, 0.0)) <= value else value
                for key, value in after.samples.items()
            }
            if past
            else {},
        )

    @classmethod
    def together(cls, spans: Iterable["_Span"]) -> "_Span":
        """What happened to all servers."""
        added: dict[tuple[str, Labels], float] = defaultdict(float)
        for span in spans:
            for key, rise in span._rises.items():
                added[key] += rise
        return cls(Look("", 0.0, {}), added)

    def counts(self, name: str, by: Sequence[str]) -> dict[tuple[str, ...], float]:
        """How much a counter rose, by the values of some of its labels."""
        found: dict[tuple[str, ...], float] = defaultdict(float)
        for labels, rise in self._of(name):
            found[tuple(labels.get(label, "") for label in by)] += rise
        return found

    def buckets(self, name: str, by: Sequence[str]) -> dict[tuple[str, ...], dict[float, float]]:
        """How much the buckets of a histogram rose, by the values of some of its labels."""
        found: dict[tuple[str, ...], dict[float, float]] = {}
        for labels, rise in self._of(f"{name}_bucket"):
            each = found.setdefault(
                tuple(labels.get(label, "") for label in by), defaultdict(float)
            )
            each[float(labels["le"])] += rise
        return found

    def gauge(self, name: str) -> float:
        """The value of a gauge now; the workers of one server are added up."""
        wanted = f"gatehouse_{name}"
        return sum(value for (name, _), value in self.look.samples.items() if name == wanted)

    def _of(self, name: str) -> Iterable[tuple[dict[str, str], float]]:
        wanted = f"gatehouse_{name}"
        return ((dict(labels), rise) for (each, labels), rise in self._rises.items()
                if each == wanted)  # fmt: skip


def _state(span: _Span, seconds: float) -> ServerState:
    look = span.look
    if look.problem:
        return ServerState(look.address, look.problem)
    state = "ready" if span.gauge("ready") else "not ready"
    rate = _rate(sum(span.counts("requests_total", ()).values()), seconds)
    return ServerState(look.address, state, rate)


def _activities(
    span: _Span, counter: str, histogram: str, by: tuple[str, ...], seconds: float
) -> list[Activity]:
    times = span.buckets(histogram, by)
    last = "status" if counter == "requests_total" else "outcome"
    found: dict[tuple[str, ...], list[float]] = {}
    for (*names, how), rise in span.counts(counter, (*by, last)).items():
        sums = found.setdefault(tuple(names), [0.0, 0.0, 0.0])
        sums[0] += rise
        sums[1] += rise if how.startswith("5") or how in {"failed", "timeout", "defect"} else 0.0
        sums[2] += rise if how.startswith("4") or how in {"refused", "unsent"} else 0.0
    activities = [
        Activity(
            name=" ".join(names),
            per_second=_rate(sums[0], seconds),
            failed_per_second=_rate(sums[1], seconds),
            refused_per_second=_rate(sums[2], seconds),
            p50_ms=quantile_ms(times.get(names, {}), 0.5),
            p99_ms=quantile_ms(times.get(names, {}), 0.99),
        )
        for names, sums in found.items()
        if sums[0]
    ]
    return sorted(activities, key=lambda each: (-each.per_second, each.name))


def _per_minute(span: _Span, counter: str, label: str, seconds: float) -> dict[str, float]:
    counts = span.counts(counter, (label,)).items()
    ordered = sorted(counts, key=lambda each: (-each[1], each[0]))
    return {name: _rate(rise, seconds) * 60 for (name,), rise in ordered if rise}


def _backlog(spans: Sequence[_Span], name: str) -> int:
    values = [span.gauge(name) for span in spans]
    return round(sum(values) if name in _OF_ONE_SERVER else max(values, default=0.0))


def _rate(count: float, seconds: float) -> float:
    return count / seconds if seconds > 0 else 0.0
