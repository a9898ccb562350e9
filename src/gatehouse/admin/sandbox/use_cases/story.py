"""The past of the demo account as a plan: who orders what and when, and what is behind it.

It follows from a seed and the moment where it ends, and from nothing else.
"""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec

from gatehouse.admin.sandbox.use_cases import scenes
from gatehouse.admin.sandbox.use_cases.customers import DemoCustomer, new_customer, new_dice
from gatehouse.admin.sandbox.use_cases.made_up_values import COUNTRIES, HOLDERS, HOURS, WEEK
from gatehouse.admin.sandbox.use_cases.scenes import DAY_MS, HOUR_MS, DemoDraft, DemoTruth
from gatehouse.core.ids import derived_id

DAYS: Final = 30
"""How long the past is."""
LEAST_DECISIONS: Final = 100
MOST_DECISIONS: Final = 5000
_FIRST_ORDER: Final = 5001
_ATTEMPTS: Final = 4
_TESTED_CARDS: Final = 12


class DemoPlan(msgspec.Struct, frozen=True):
    """What a past is made from."""

    seed: int
    decisions: int
    end_ms: int

    @property
    def start_ms(self) -> int:
        """When the past begins."""
        return self.end_ms - DAYS * DAY_MS


class DemoOrder(NamedTuple):
    """One request of the past."""

    request_ids: tuple[str, ...]
    """Its id, and those for further attempts, should the process end in the middle of one."""
    at_ms: int
    operation: str
    body: bytes
    truth: DemoTruth
    amount_micros: int


class DemoEntry(NamedTuple):
    """Something that the shop's people put on a list."""

    at_ms: int
    list_name: str
    value: str
    reason: str
    lifetime_days: int | None = None


class DemoStory(NamedTuple):
    """Everything that happens without anybody looking at decisions."""

    orders: list[DemoOrder]
    """Oldest first."""
    entries: list[DemoEntry]


class _Cast(NamedTuple):
    """Who is in it."""

    customers: list[DemoCustomer]
    tester: DemoCustomer
    house: DemoCustomer


def tell(plan: DemoPlan) -> DemoStory:
    """The story of a past."""
    dice = new_dice(plan.seed)
    cast = _Cast(
        [new_customer(dice, number) for number in range(plan.decisions // 4 + 10)],
        tester=new_customer(dice, 7000, COUNTRIES[0]),
        house=new_customer(dice, 6100, COUNTRIES[1]),
    )
    drafts = [*_frauds(dice, plan, cast)]
    drafts += _ordinary(dice, plan, cast.customers, plan.decisions - len(drafts))
    drafts.sort(key=lambda draft: draft.at_ms)
    return DemoStory(list(_numbered(plan, drafts)), list(_entries(plan, cast)))


def _numbered(plan: DemoPlan, drafts: list[DemoDraft]) -> Iterator[DemoOrder]:
    last_ms = plan.start_ms
    for number, draft in enumerate(drafts, _FIRST_ORDER):
        # Times differ, so that the order of records is that of requests.
        last_ms = max(draft.at_ms, last_ms + 1)
        origin = f"demo {plan.seed} {number}"
        ids = tuple(derived_id("req", last_ms, f"{origin} {each}") for each in range(_ATTEMPTS))
        body = draft.body(number)
        amount = round(body.get("sentryRequest", {}).get("order", {}).get("amount", 0) * 100)
        encoded = msgspec.json.encode(body)
        told = (draft.operation, encoded, draft.truth, amount * 10_000)
        yield DemoOrder(ids, last_ms, *told)


def _ordinary(
    dice: random.Random, plan: DemoPlan, customers: list[DemoCustomer], left: int
) -> Iterator[DemoDraft]:
    # A few customers come often, most come once or twice.
    weights = [1 / (4 + place) for place in range(len(customers))]
    odd = iter(scenes.ODD_CARDS)
    while left > 0:
        who = dice.choices(customers, weights)[0]
        at_ms = _moment(dice, plan, who.country.hours_ahead)
        card = next(odd, who.card)
        made = list(scenes.ordinary(dice, who._replace(card=card), at_ms))[:left]
        yield from made
        left -= len(made)


def _frauds(dice: random.Random, plan: DemoPlan, cast: _Cast) -> Iterator[DemoDraft]:
    """The attacks and the verified orders, each on its day."""
    victims = [each for each in cast.customers if each.country is COUNTRIES[0]]
    yield from scenes.card_testing(dice, cast.tester, _night(plan, 17), _TESTED_CARDS)
    yield from scenes.card_testing(dice, cast.tester, _night(plan, 20), 2)
    yield from scenes.takeover(dice, victims[0], _on_day(plan, 21.4))
    yield from scenes.takeover(dice, victims[2], _on_day(plan, 29.3))
    yield from scenes.mules(dice, cast.house, _on_day(plan, 3.6), 5)
    yield from scenes.mules(dice, cast.house, _on_day(plan, 24.2), 1)
    yield from scenes.friendly(dice, victims[3], _on_day(plan, 6.3))
    yield from scenes.friendly(dice, victims[5], _on_day(plan, 9.8))
    yield from scenes.stolen(dice, 8300, _on_day(plan, 12.1))
    yield from scenes.nameless(dice, 8310, _on_day(plan, 8.2))
    yield from scenes.nameless(dice, 8311, _on_day(plan, 15.7))
    yield from scenes.nameless(dice, 8312, _on_day(plan, 28.9))
    for place, holder in enumerate(HOLDERS):
        yield from scenes.verified(dice, _on_day(plan, 4.55 + 4.2 * place), holder)


def _entries(plan: DemoPlan, cast: _Cast) -> Iterator[DemoEntry]:
    """What is put on lists after the attacks were found, and who is always welcome."""
    best = next(each for each in cast.customers if each.country is not COUNTRIES[0]).user_id
    yield DemoEntry(_on_day(plan, 2.4), "allowed-users", best, "buys for the office every week")
    found_ms = _night(plan, 17) + 7 * HOUR_MS
    tested = "card testing in the night"
    yield DemoEntry(found_ms, "blocked-networks", cast.tester.address, tested, 90)
    mule = "goods of several stolen cards went to this house"
    yield DemoEntry(_on_day(plan, 22.5), "blocked-networks", cast.house.address, mule)
    yield DemoEntry(_on_day(plan, 22.6), "blocked-domains", "mail.example.net", "only ever fraud")


def _on_day(plan: DemoPlan, day: float) -> int:
    return plan.start_ms + int(day * DAY_MS)


def _night(plan: DemoPlan, day: int) -> int:
    """Eleven past two in the night of a day."""
    midnight_ms = _on_day(plan, day) // DAY_MS * DAY_MS
    return midnight_ms + 2 * HOUR_MS + 11 * scenes.MINUTE_MS


def _moment(dice: random.Random, plan: DemoPlan, hours_ahead: int) -> int:
    """A moment of the past, more likely on busy days and in busy hours of a place."""
    midnight_ms = plan.start_ms // DAY_MS * DAY_MS
    weekday = datetime.fromtimestamp(midnight_ms / 1000, UTC).weekday()
    days = [WEEK[(weekday + day) % 7] for day in range(DAYS + 1)]
    while True:
        day = dice.choices(range(DAYS + 1), days)[0]
        hour = (dice.choices(range(24), HOURS)[0] - hours_ahead) % 24
        at_ms = midnight_ms + day * DAY_MS + int((hour + dice.random()) * HOUR_MS)
        if plan.start_ms + HOUR_MS < at_ms < plan.end_ms - scenes.MINUTE_MS:
            return at_ms
