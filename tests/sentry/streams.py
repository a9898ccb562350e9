"""A seeded stream of what happens to a few merchants, for memories that must come to the same."""

import random
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.core.cards.numbers import KeptCard
from gatehouse.sentry import kinds
from gatehouse.sentry.entities import EntityHasher, event_of
from gatehouse.sentry.memory.memory import Entity, MemoryEvent
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.request_view import RequestView
from tests.sentry.visits import CARD, CHROME, DAY, IPHONE, NOW, OLD_CHROME, first_view, visit

_POLICY: Final = SentryPolicy(entities=("table",))
_HASHER: Final = EntityHasher(b"k" * 32)
_MERCHANTS: Final = ("shop", "shop", "shop", "bakery", "garage")
_BUSY: Final = "24.9.9.9"


class Step(NamedTuple):
    """Something that happens: an event comes, or something is learned about an earlier one."""

    what: str
    """`visit`, `retract`, `decline`, `label` or `forget`."""
    event: MemoryEvent
    view: RequestView | None = None
    fraud: bool | None = None
    previous: bool | None = None
    declined: bool = False


class _Past(NamedTuple):
    event: MemoryEvent
    declined: bool
    label: bool | None


def stream(visits: int, seed: int = 7) -> Iterator[Step]:
    """So many visits, and what is learned about them in between."""
    dice = random.Random(seed)
    past: dict[int, _Past] = {}
    orders: dict[int, tuple[str, dict[str, Any], KeptCard | None, list[Entity]]] = {}
    at_s = NOW - 60 * DAY
    for number in range(visits):
        at_s += dice.choice((0.2, 5.0, 60.0, 3600.0, 9000.0))
        if orders and dice.random() < 0.06:
            merchant, body, card, more = orders[dice.choice([*orders])]
        else:
            merchant, body, card, more = orders[number] = _order(dice, number)
        seen_s = at_s - dice.random() * 3 * DAY if dice.random() < 0.05 else at_s
        view = first_view(body, round(seen_s, 3), card)
        event = event_of(merchant, view, _POLICY, _HASHER, more)
        event = msgspec.structs.replace(event, request_id=f"req_{number}")
        yield Step("visit", event, view)
        past[number] = _Past(event, declined=False, label=None)
        if dice.random() < 0.25:
            yield from _learned(dice, past)


def _learned(dice: random.Random, past: dict[int, _Past]) -> Iterator[Step]:
    number = max(past) if dice.random() < 0.5 else dice.choice([*past][-200:])
    event, declined, label = past[number]
    what = dice.choice(("retract", "decline", "decline", "label", "label", "label", "forget"))
    if what == "retract":
        del past[number]
        yield Step(what, event)
    elif what == "decline" and not declined:
        past[number] = _Past(event, True, label)
        yield Step(what, event)
    elif what == "label":
        fraud = dice.choice((True, True, False, None))
        past[number] = _Past(event, declined, fraud)
        yield Step(what, event, fraud=fraud, previous=label)
    elif what == "forget" and label is None and dice.random() < 0.4:
        del past[number]
        yield Step(what, event, declined=declined)


def _order(
    dice: random.Random, number: int
) -> tuple[str, dict[str, Any], KeptCard | None, list[Entity]]:
    merchant = dice.choice(_MERCHANTS)
    person = int(dice.paretovariate(0.8)) % 90
    body = visit(
        user=None if dice.random() < 0.1 else f"user-{person}",
        ip=_BUSY if dice.random() < 0.3 else f"24.{person % 7}.{dice.choice((1, 1, 2))}.{person}",
        agent=dice.choice((CHROME, CHROME, IPHONE, OLD_CHROME)),
        amount=dice.choice((0.0, 9.9, 59.9, 61.0, 480.0, round(dice.random() * 900, 2))),
        session=f"s-{person}-{number // 40}" if dice.random() < 0.6 else None,
        # Some share a device, and some send none.
        device_id=f"device-{person % 25}" if person % 3 else None,
        customInputs={"table": f"t{person % 11}"},
    )
    body["order"]["currency"] = dice.choice(("USD", "USD", "USD", "EUR", "JPY"))
    if dice.random() < 0.5:
        body["event"]["transactionId"] = f"order-{number}"
    if dice.random() < 0.3:
        body["order"]["affiliateId"] = f"partner-{dice.randrange(3)}"
    if dice.random() < 0.3:
        body["order"]["discountCodes"] = [f"CODE{dice.randrange(4)}", f"C{dice.randrange(30)}"]
    if dice.random() < 0.4:
        goods = [dice.randrange(40) for _ in range(dice.randrange(1, 4))]
        body["shoppingCart"] = {
            "items": [
                {"itemId": f"i{each}", "category": f"Shelf {each % 6}", "price": 10.0 + each}
                for each in goods
            ]
        }
    card = None
    if dice.random() < 0.7:
        name = f"card-{person}-{dice.choice((0, 0, 0, dice.randrange(20)))}"
        # All cards of some people are tokens of one account.
        account = f"account-{person}" if person % 3 == 0 else None
        card = msgspec.structs.replace(
            CARD, fingerprint=name, bin=f"4242{person % 5:04}", account_fingerprint=account
        )
    more: list[Entity] = []
    if dice.random() < 0.5:
        more.append((kinds.EMAIL, f"#mail{person}"))
    if dice.random() < 0.3:
        more.append((kinds.PHONE, f"#phone{person % 60}"))
    return merchant, body, card, more
