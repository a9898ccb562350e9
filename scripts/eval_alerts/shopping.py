"""Observations of the made-up shop of `scripts.eval_sentry`, as decision records would tell them.

Sentry judges every request with the scorecard that ships; what it declines never reaches the
issuer. Weekdays differ, and feasts and outages can be put on a day.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from gatehouse.admin.alerts.types.observing import UNSURE_BELOW, SeenRequest, ValueKind
from gatehouse.core.ids import derived_id
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.stages.outcomes import Outcome
from scripts.eval_sentry.attacking import Cashier, Use
from scripts.eval_sentry.shop import BEGIN_S, DAY_S, Attempt, Shop

_MONTH_S: Final = 30 * DAY_S
WEEKDAYS: Final = (1.1, 1.0, 0.95, 1.0, 1.15, 0.9, 0.75)
"""How busy each day of the week is, from Monday on; the shop begins on a Monday."""


class Outage(NamedTuple):
    """A party that does not work for a while."""

    begin_s: float
    end_s: float
    bins: tuple[str, ...] = ()
    """The issuer refuses everything on cards of these; without any, the gateway fails."""

    def hits(self, each: Attempt) -> bool:
        """Whether it concerns a request."""
        is_here = self.begin_s <= each.at_s < self.end_s
        return is_here and (not self.bins or each.card.bin in self.bins)


class Till:
    """Turns requests into what the watch sees of their records."""

    def __init__(self, use: Use, cashier: Cashier, outages: tuple[Outage, ...] = ()) -> None:
        self._use, self._cashier, self._outages = use, cashier, outages
        self._cards: dict[object, float] = {}

    def observe(self, attempts: Iterable[Attempt]) -> Iterator[tuple[Attempt, SeenRequest]]:
        """Each request, and what is seen of it."""
        for each, confidence in self._cashier.judge(self._hit(attempts)):
            yield each, self._seen(each, confidence)

    def _hit(self, attempts: Iterable[Attempt]) -> Iterator[Attempt]:
        for each in attempts:
            refused = any(one.bins and one.hits(each) for one in self._outages)
            yield each._replace(refused=True) if refused else each

    def _seen(self, each: Attempt, confidence: float) -> SeenRequest:
        declined = confidence < self._cashier.threshold
        last_s = self._cards.get(each.card)
        self._cards[each.card] = each.at_s
        has_card, hears = self._use.has_cards, self._use.hears_refusals
        failed = hears and any(not one.bins and one.hits(each) for one in self._outages)
        refused = hears and each.refused and not declined and not failed
        bad = declined or refused or failed
        user = each.request.get("account", {}).get("userId")
        card = f"{each.card.bin} {each.card.serial}" if has_card else user
        amount = each.request["order"]["amount"]
        outcome = Outcome.DECLINE if bad else Outcome.ACCEPT
        return SeenRequest(
            derived_id("req", int(each.at_s * 1000), each.request["event"]["transactionId"]),
            int(each.at_s * 1000),
            outcome.value if has_card else None,
            refused,
            "Gateway" if failed and not declined else "",
            declined and not has_card,
            (last_s is None or each.at_s - last_s > _MONTH_S) if has_card else None,
            card,
            round(amount * MICROS_PER_UNIT),
            each.request["order"]["currency"],
            tuple(_values(each, has_card)),
            confidence < UNSURE_BELOW and not has_card,
        )


def _values(each: Attempt, has_card: bool) -> Iterator[tuple[ValueKind, str]]:
    device = each.request["device"]
    address: str = device["ipAddress"]
    yield ValueKind.ADDRESS, address
    yield ValueKind.NETWORK, f"{address.rpartition('.')[0]}.0/24"
    if has_card:
        yield ValueKind.BIN, each.card.bin
    yield ValueKind.BROWSER, device["userAgent"][-40:]


def honest_days(
    shop: Shop, first_day: int, days: int, feasts: dict[int, tuple[float, float]] | None = None
) -> list[Attempt]:
    """Honest orders of some days; a feast has how many times more, and the share of an offer."""
    found: list[Attempt] = []
    for day in range(first_day, first_day + days):
        sale, offered = (feasts or {}).get(day, (1.0, 0.0))
        busy = WEEKDAYS[day % 7] * sale
        found += shop.honest(day, BEGIN_S + (day + 1) * DAY_S, sale=busy, offered=offered)
    return sorted(found, key=lambda each: each.at_s)
