"""A run in words: what was asked, what went wrong on purpose, how long answers took, what held."""

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Final

from scripts.soak.load import Outcome
from scripts.soak.run import Result

_MOST_DEFECTS: Final = 5


def percentile(values: Sequence[float], share: float) -> float:
    """The value that the given share stays below."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def report(result: Result) -> str:
    """All lines."""
    return "\n".join([*_load(result), *_latencies(result), *_faults(result), *_found(result)])


def _load(result: Result) -> list[str]:
    wish, outcomes = result.wish, result.outcomes
    statuses = Counter(each.status for each in outcomes)
    said = ", ".join(f"{status or 'none'}: {count:,}" for status, count in statuses.most_common())
    again = Counter(said for each in outcomes for said in each.failed)
    why = ", ".join(f"{said}: {count:,}" for said, count in again.most_common())
    failed = sum(each.status != 200 for each in outcomes)
    return [
        f"{wish.minutes:g} minutes at {wish.rate:g} requests/s, seed {wish.seed}:"
        f" {len(outcomes):,} requests, {again.total():,} sent again" + (f" ({why})" if why else ""),
        f"last answers: {said}; error rate {failed / len(outcomes):.4%}",
    ]


def _latencies(result: Result) -> list[str]:
    lines = ["", "operation    requests      p50      p99    p99.9  (ms, from when it was due)"]
    by_operation: dict[str, list[Outcome]] = {}
    for each in result.outcomes:
        by_operation.setdefault(each.operation, []).append(each)
    for name, some in [*sorted(by_operation.items()), ("all", result.outcomes)]:
        times = [each.ms for each in some if each.status == 200] or [0.0]
        shown = (percentile(times, share) for share in (0.5, 0.99, 0.999))
        lines.append(f"{name:10} {len(some):10,}" + "".join(f"{each:9.1f}" for each in shown))
    for name, sizes in result.samples.items():
        if sizes:
            shown_mb = (sizes[0], statistics.median(sizes), sizes[-1], max(sizes))
            first, middle, last, most = (size / 1e6 for size in shown_mb)
            lines.append(
                f"memory of {name}: {first:.0f} MB at first, {middle:.0f} at the median,"
                f" {last:.0f} in the end, {most:.0f} at most"
            )
    busy, stolen = result.processor
    lines.append(
        f"the machine was busy for {busy:.0%} of the time, others on its hardware took {stolen:.0%}"
    )
    if result.costs:
        shown_ms = ", ".join(f"{each.of} {each.ms:.2f} ms" for each in result.costs)
        lines.append(f"processor time of a request: {shown_ms}")
    return lines


def _faults(result: Result) -> list[str]:
    if not result.ended:
        return []
    lines = ["", f"{len(result.ended)} faults"]
    for name, count in sorted(result.faults.items()):
        times = [each.recovered_s for each in result.ended if each.name == name]
        slowest = max(times)
        lines.append(
            f"{count:4} x {name}: recovered after {statistics.median(times):.1f} s at the median,"
            f" {slowest:.1f} s at most"
        )
    return lines


def _found(result: Result) -> list[str]:
    found = ["", *map(str, result.invariants), "", "all held" if result.holds else "NOT ALL HELD"]
    return [*result.defects[:_MOST_DEFECTS], *found]
