"""The past of the demo account: who orders what and when, and what is behind it.

It follows from its seed. Moments are told from the midnight with which the past begins.
"""

import random
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from gatehouse.admin.sandbox.use_cases.past import (
    DAY_MS,
    DAYS,
    MOST_DECISIONS,
    NUMBER,
    RecordedEntry,
    RecordedOrder,
    RecordedPast,
    RecordedRule,
)
from scripts.demo_past import scenes
from scripts.demo_past.customers import DemoCustomer, new_customer, new_dice
from scripts.demo_past.follow_ups import follow_ups
from scripts.demo_past.made_up_values import COUNTRIES, HOLDERS, HOURS
from scripts.demo_past.scenes import HOUR_MS, MINUTE_MS, DemoDraft

SEED: Final = 19
_TESTED_CARDS: Final = 12
_EARLY: Final = 480
"""So many orders come first, with all kinds of fraud among them, for pasts that are shorter."""
_ATTACKED: Final = 70
_ATTACK_MS: Final = 14 * HOUR_MS + 11 * MINUTE_MS
_HURRIED: Final = (
    *(4.5, 6.8, 8.9, 10.5, 11.3, 13.4),
    *(15.5, 16.7, 18.6, 20.4),
)
"""The days on which gift cards are bought in a hurry."""
_RULE: Final = RecordedRule(
    14 * DAY_MS + 10 * HOUR_MS,
    """\
  - name: hurried-gift-cards
    description: A dear order within 45 seconds, as those of the disputed gift cards were.
    condition: order.amount >= 100 AND device.session_age < 45
    outcome: DECLINE
    tags: [disputes]
""",
    "gift cards bought in a hurry come back as disputes",
)


class _Cast(NamedTuple):
    """Who is in it."""

    customers: list[DemoCustomer]
    tester: DemoCustomer
    house: DemoCustomer


def tell() -> RecordedPast:
    """The story, as it is recorded: what no past goes without first."""
    drafts, entries = draft()
    attack = scenes.attack(new_dice(SEED + 2), _ATTACK_MS, _ATTACKED)
    return RecordedPast(
        tuple(map(_recorded, drafts)), tuple(entries), tuple(map(_recorded, attack)), (_RULE,)
    )


def draft() -> tuple[list[DemoDraft], list[RecordedEntry]]:
    """All that happens without anybody looking at decisions."""
    dice = new_dice(SEED)
    cast = _Cast(
        [new_customer(dice, number) for number in range(_EARLY // 4 + 10)],
        tester=new_customer(dice, 7000, COUNTRIES[0]),
        house=new_customer(dice, 6100, COUNTRIES[1]),
    )
    drafts = [*_frauds(dice, cast)]
    drafts += _ordinary(dice, cast.customers, _EARLY - len(drafts))
    drafts += _later(new_dice(SEED + 1), cast.customers, MOST_DECISIONS - len(drafts))
    return drafts, list(_entries(cast))


def _later(dice: random.Random, customers: list[DemoCustomer], left: int) -> Iterator[DemoDraft]:
    """What only a long past has: a fraud that a rule ends, and many more customers."""
    hurried = [
        each
        for place, day in enumerate(_HURRIED)
        for each in scenes.hurried(dice, 8600 + place, _on_day(day))
    ]
    yield from hurried
    more = [new_customer(dice, 200 + number) for number in range(left // 4)]
    yield from _ordinary(dice, [*customers, *more], left - len(hurried))


def _recorded(draft: DemoDraft) -> RecordedOrder:
    body = msgspec.json.encode(draft.body).decode()
    assert body.count(NUMBER) in (1, 3), "only numbers of orders may be replaced"
    return RecordedOrder(draft.at_ms, draft.operation, body, follow_ups(draft))


def _ordinary(dice: random.Random, customers: list[DemoCustomer], left: int) -> Iterator[DemoDraft]:
    # A few customers come often, most come once or twice.
    weights = [1 / (4 + place) for place in range(len(customers))]
    odd = iter(scenes.ODD_CARDS)
    while left > 0:
        who = dice.choices(customers, weights)[0]
        at_ms = _moment(dice, who.country.hours_ahead)
        card = next(odd, who.card)
        made = list(scenes.ordinary(dice, who._replace(card=card), at_ms))[:left]
        yield from made
        left -= len(made)


def _frauds(dice: random.Random, cast: _Cast) -> Iterator[DemoDraft]:
    """The attacks and the verified orders, each on its day."""
    victims = [each for each in cast.customers if each.country is COUNTRIES[0]]
    yield from scenes.card_testing(dice, cast.tester, _night(17), _TESTED_CARDS)
    yield from scenes.card_testing(dice, cast.tester, _night(20), 2)
    yield from scenes.takeover(dice, victims[0], _on_day(21.4))
    yield from scenes.takeover(dice, victims[2], _on_day(29.3))
    yield from scenes.mules(dice, cast.house, _on_day(3.6), 5)
    yield from scenes.mules(dice, cast.house, _on_day(24.2), 1)
    yield from scenes.friendly(dice, victims[3], _on_day(6.3))
    yield from scenes.friendly(dice, victims[5], _on_day(9.8))
    yield from scenes.stolen(dice, 8300, _on_day(12.1))
    yield from scenes.nameless(dice, 8310, _on_day(8.2))
    yield from scenes.nameless(dice, 8311, _on_day(15.7))
    yield from scenes.nameless(dice, 8312, _on_day(28.9))
    for place, holder in enumerate(HOLDERS):
        yield from scenes.verified(dice, _on_day(4.55 + 4.2 * place), holder)


def _entries(cast: _Cast) -> Iterator[RecordedEntry]:
    """What is put on lists after the attacks were found, and who is always welcome."""
    best = next(each for each in cast.customers if each.country is not COUNTRIES[0]).user_id
    yield RecordedEntry(_on_day(2.4), "allowed-users", best, "buys for the office every week")
    found_ms = _night(17) + 7 * HOUR_MS
    tested = "card testing in the night"
    yield RecordedEntry(found_ms, "blocked-networks", cast.tester.address, tested, 90)
    mule = "goods of several stolen cards went to this house"
    yield RecordedEntry(_on_day(22.5), "blocked-networks", cast.house.address, mule)
    yield RecordedEntry(_on_day(22.6), "blocked-domains", "mail.example.net", "only ever fraud")


def _on_day(day: float) -> int:
    return int(day * DAY_MS)


def _night(day: int) -> int:
    """Eleven past two in the night of a day."""
    return day * DAY_MS + 2 * HOUR_MS + 11 * MINUTE_MS


def _moment(dice: random.Random, hours_ahead: int) -> int:
    """A moment of the past, more likely in busy hours of a place."""
    hour = (dice.choices(range(24), HOURS)[0] - hours_ahead) % 24
    return dice.randrange(DAYS) * DAY_MS + int((hour + dice.random()) * HOUR_MS)
