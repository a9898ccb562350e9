"""Measures how soon attacks show themselves, and how often honest traffic is taken for one.

    make eval-alerts
    make eval-alerts ARGS="--quick --seed 4"

The attacks are those of `make eval-sentry`, a spree with stolen cards and accounts that were taken
over. Each meets the same shop after four weeks, on an afternoon. Measured is after how many of its
orders the alert is raised, for an account that decides with a pipeline, and for one that asks
Sentry alone and sends no cards. Then comes a month of honest orders with a sale, an offer for a
dollar, a gateway that fails and an issuer that refuses: what is raised as an attack there is a
false alert.
"""

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from heapq import merge
from operator import attrgetter
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.intel.bins import load_bins
from scripts.eval_alerts.shopping import Outage, Till, honest_days
from scripts.eval_alerts.thieves import RAIDS
from scripts.eval_alerts.watching import Raised, Watcher, first
from scripts.eval_sentry.attacking import BEGINS_AT_S, FULL, QUICK, USES, Cashier, Scale, Use
from scripts.eval_sentry.origins import BINS
from scripts.eval_sentry.shop import BEGIN_S, DAY_S, Attempt, Shop

SEED: Final = 11
MOST_ORDERS: Final = 40
_MONTH_DAYS: Final = 30
_HOUR_S: Final = 3600.0


class RaidResult(msgspec.Struct, frozen=True):
    """How soon one attack was raised."""

    name: str
    what: str
    use: str
    orders: int
    """How many orders the attack had in all; none is no attack."""
    raised_after: int | None
    """Of these, so many had come when the alert was raised; None if it never was."""
    minutes: float | None
    told_as: list[str]
    """What was raised, in order."""


class MonthResult(msgspec.Struct, frozen=True):
    """A month without any attack."""

    use: str
    requests: int
    false_alerts: int
    raised: list[tuple[str, float]]
    """What was raised, and on which day of the month."""


class _Stage(NamedTuple):
    """A shop after some weeks, and who watches it."""

    shop: Shop
    till: Till
    watcher: Watcher
    use: Use
    days: int


def main(arguments: Sequence[str] | None = None) -> int:
    options = read_options(arguments)
    scale = QUICK if options.quick else FULL
    raids, months = evaluate(options.seed, scale, options.only)
    if options.json:
        print(msgspec.json.encode({"attacks": raids, "months": months}).decode())
    else:
        print(as_text(raids, months))
    return 0


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.eval_alerts",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a small shop and two weeks before")
    parser.add_argument("--seed", type=int, default=SEED, metavar="N")
    parser.add_argument("--only", choices=sorted(RAIDS), help="one attack, and no month")
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")
    return parser.parse_args(arguments)


def evaluate(
    seed: int, scale: Scale, only: str | None = None, uses: Sequence[Use] = (USES[0], USES[2])
) -> tuple[list[RaidResult], list[MonthResult]]:
    """Every attack and a month, for every use."""
    raids: list[RaidResult] = []
    months: list[MonthResult] = []
    for use in uses:
        print(f"{use.name}: making up a shop", file=sys.stderr, flush=True)
        stage = opened(seed, scale, use)
        raids += [_in_a_copy(partial(raid, stage, each)) for each in ([only] if only else RAIDS)]
        if only is None:
            months.append(_in_a_copy(partial(month, stage)))
    return raids, months


def opened(seed: int, scale: Scale, use: Use, outages: tuple[Outage, ...] | None = None) -> _Stage:
    """A shop that the watch has learned."""
    shop = Shop(seed, scale.customers)
    planned = _outages(scale.days) if outages is None else outages
    till, watcher = Till(use, Cashier(use, load_bins()), planned), Watcher()
    past = honest_days(shop, 0, scale.days)
    watcher.learn(seen for _, seen in till.observe(past))
    return _Stage(shop, till, watcher, use, scale.days)


def raid(stage: _Stage, name: str) -> RaidResult:
    """One attack on the afternoon of the first day."""
    what, orders, sale, offered = RAIDS[name]
    shop, day = stage.shop, stage.days
    shop.dice.seed(f"{shop.seed} {name}")
    begin_s = BEGIN_S + day * DAY_S + BEGINS_AT_S
    hostile = orders(shop, begin_s)
    end_s = max([begin_s + DAY_S / 2, *(each.at_s for each in hostile[:400])])
    days = int((end_s - BEGIN_S) // DAY_S) + 1 - day
    feasts = dict.fromkeys(range(day, day + days), (sale, offered))
    honest = honest_days(shop, day, days, feasts if sale > 1 or offered else None)
    came = [each for each in merge(honest, hostile, key=attrgetter("at_s")) if each.at_s < end_s]
    after, until = 0, None
    print(f"{stage.use.name}: {name}", file=sys.stderr, flush=True)
    raised: list[Raised] = []
    for each, found in _watched(stage, came):
        after += each.is_attack
        raised += found
        if first(found, AlertKind.ATTACK) is not None:
            until = (after, each.at_s)
            break
    return RaidResult(
        name,
        what,
        stage.use.name,
        len(hostile),
        None if until is None else until[0],
        None if until is None else round((until[1] - begin_s) / 60, 1),
        [each.kind.value for each in raised],
    )


def month(stage: _Stage, days: int = _MONTH_DAYS) -> MonthResult:
    """Honest orders with a sale on two days, an offer on another, and two outages."""
    day = stage.days
    feasts = {day + 10: (5.0, 0.0), day + 11: (4.0, 0.0), day + 20: (8.0, 0.6)}
    came = honest_days(stage.shop, day, days, feasts)
    raised = [one for _, found in _watched(stage, came) for one in found]
    begin_ms = (BEGIN_S + day * DAY_S) * 1000
    told = [
        (each.kind.value, round((each.at_ms - begin_ms) / DAY_S / 1000 + 1, 1)) for each in raised
    ]
    wrong = sum(not _is_true(kind, at - 1) for kind, at in told)
    return MonthResult(stage.use.name, len(came), wrong, told)


def _is_true(kind: str, day: float) -> bool:
    """Whether there was such a thing at that time of the month."""
    if kind == AlertKind.FEAST:
        return 10 <= day < 12.1 or 20 <= day < 21.1
    return kind == AlertKind.OUTAGE and (5 <= day < 6 or 15 <= day < 16)


def _outages(day: int) -> tuple[Outage, ...]:
    """The gateway fails on one day for two hours, an issuer refuses on another for three."""
    gateway_s = BEGIN_S + (day + 5) * DAY_S + 16 * _HOUR_S
    issuer_s = BEGIN_S + (day + 15) * DAY_S + 15 * _HOUR_S
    return (
        Outage(gateway_s, gateway_s + 2 * _HOUR_S),
        Outage(issuer_s, issuer_s + 3 * _HOUR_S, BINS["US"]),
    )


def _watched(stage: _Stage, came: Iterable[Attempt]) -> Iterable[tuple[Attempt, list[Raised]]]:
    attempts: list[Attempt] = []

    def seen() -> Iterable[Any]:
        for attempt, observation in stage.till.observe(came):
            attempts.append(attempt)
            yield observation

    for _, raised in stage.watcher.watch(seen()):
        yield attempts.pop(), raised


def _in_a_copy(work: Callable[[], Any]) -> Any:
    """Do something in a process of its own, whose memory is a copy and then forgotten."""
    forking = multiprocessing.get_context("fork")
    ours, theirs = forking.Pipe(duplex=False)
    child = forking.Process(target=lambda: theirs.send(work()))
    child.start()
    theirs.close()
    try:
        return ours.recv()
    finally:
        child.join()


def as_text(raids: Sequence[RaidResult], months: Sequence[MonthResult]) -> str:
    """The tables for people."""
    lines = []
    for use in dict.fromkeys(each.use for each in raids):
        lines.append(f"{use}: the alert is raised after so many orders of the attack")
        for each in raids:
            if each.use == use:
                after = "-" if each.raised_after is None else str(each.raised_after)
                minutes = "" if each.minutes is None else f"{each.minutes:.0f} min"
                told = ", ".join(dict.fromkeys(each.told_as)) or "nothing"
                lines.append(f"  {each.name:14} {after:>5} {minutes:>8}  {told:24} {each.what}")
    for one in months:
        told = ", ".join(f"{kind} on day {day}" for kind, day in one.raised) or "nothing"
        lines.append(
            f"{one.use}: {one.requests} honest requests in a month, {one.false_alerts} false "
            f"alerts; raised: {told}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
