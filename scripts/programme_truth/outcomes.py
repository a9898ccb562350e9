"""Makes outcomes of some months, as an acquirer would tell them, and knows what they come to.

They fall on the very ends of months and days, are written in many time zones, are told late, are
withdrawn or resolved before, and are in several currencies. The same seed makes the same ones.
"""

import datetime
import random
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

_UTC: Final = datetime.UTC
_FRAUD: Final = {"VISA": ("10.4", "10.1"), "MASTERCARD": ("4837", "4863")}
_OTHER: Final = {"VISA": ("13.1", "12.5", "11.3"), "MASTERCARD": ("4853", "4834")}
_ZONES: Final = (-11, -8, -3, 0, 1, 2, 5.5, 9, 13)
_CURRENCIES: Final = ("USD", "EUR", "GBP", "JPY")
_SECOND: Final = datetime.timedelta(seconds=1)


class MadeOutcome(NamedTuple):
    """An outcome as it is sent, and when it is."""

    told_at_ms: int
    body: dict[str, Any]


def made_outcomes(seed: int, number: int, first: datetime.date, days: int) -> Iterator[MadeOutcome]:
    """Outcomes within some days from the first on, in the order in which they happened."""
    draw = random.Random(seed)
    start = datetime.datetime(first.year, first.month, first.day, tzinfo=_UTC)
    moments = sorted(_moment(draw, start, days) for _ in range(number))
    for place, at in enumerate(moments):
        yield _made(draw, place, at)


def _moment(draw: random.Random, start: datetime.datetime, days: int) -> datetime.datetime:
    """Any moment; one of five is at the end or the beginning of a day, most of these of a month."""
    at = start + datetime.timedelta(milliseconds=draw.randrange(days * 86_400_000))
    if draw.random() < 0.2:
        at = at.replace(hour=0, minute=0, second=0, microsecond=0)
        at = at.replace(day=1) if draw.random() < 0.7 and at.replace(day=1) >= start else at
        at += draw.choice((-datetime.timedelta(milliseconds=1), 0 * _SECOND, _SECOND))
    return max(at, start)


def _made(draw: random.Random, place: int, at: datetime.datetime) -> MadeOutcome:
    network = draw.choices(("VISA", "MASTERCARD", "AMEX"), (6, 3, 1))[0]
    kinds = ("SETTLED", "FRAUD_REPORT", "DISPUTE", "REFUNDED", "ALERT")
    kind = draw.choices(kinds, (80, 6, 10, 3, 1))[0]
    merchant = draw.choices(("M-1", "M-2", "M-3", None), (5, 3, 1, 1))[0]
    zone = datetime.timezone(datetime.timedelta(hours=draw.choice(_ZONES)))
    body: dict[str, Any] = {
        "kind": kind,
        "reference": f"o-{place}",
        "at": at.astimezone(zone).isoformat(timespec="milliseconds"),
        "network": network,
    }
    if merchant is not None:
        body["merchantId"] = merchant
    # Files with reported frauds seldom name a region. M-3 sells in two.
    if kind != "FRAUD_REPORT" and draw.random() < 0.9:
        body["region"] = draw.choice(("AU", "MENA")) if merchant == "M-3" else "EU"
    if draw.random() < 0.95:
        body["amount"] = draw.randrange(1, 900_000) / 100
        body["currency"] = draw.choices(_CURRENCIES, (4, 4, 1, 1))[0]
    body |= _of_kind(draw, kind, network)
    # Most are told within days, some after the end of the month.
    late_days = draw.choice((0, 0, 1, 2, 3, 5, 8, 20, 45))
    told = at + datetime.timedelta(days=late_days, minutes=draw.randrange(600))
    return MadeOutcome(round(told.timestamp() * 1000), body)


def _of_kind(draw: random.Random, kind: str, network: str) -> dict[str, Any]:
    if kind == "SETTLED":
        return draw.choice(({"threeDSecure": True}, {"threeDSecure": False}, {}))
    if kind == "FRAUD_REPORT":
        found: dict[str, Any] = {"fraudType": "6"}
        return found | ({"result": "RESOLVED_BEFORE"} if draw.random() < 0.1 else {})
    if kind != "DISPUTE":
        return {}
    reasons = (_FRAUD if draw.random() < 0.5 else _OTHER).get(network, ("F29", "C08"))
    results: tuple[dict[str, Any], ...] = (
        {},
        {},
        {},
        {"result": "WITHDRAWN"},
        {"result": "WON"},
        {"result": "RESOLVED_BEFORE"},
    )
    stages: tuple[dict[str, Any], ...] = (
        {},
        {"stage": "FIRST"},
        {"stage": "REPRESENTED"},
        {"stage": "INQUIRY"},
    )
    return {"reason": draw.choice(reasons), **draw.choice(results), **draw.choice(stages)}
