"""A stream of orders whose outcomes are known one by one, and how well each score tells its own.

Four things go wrong in this shop, each in its own way:

fraud disputes  Thieves take over an account, from a device of their own, and buy dear goods.
reported fraud  Made-up customers come through a few affiliates, with devices that they share.
card testing    On some days, somebody tries out cards on the cheapest goods, one after the other.
abuse           Some customers of long standing order several of what can be sold again, with a
                discount, and deny it afterwards. Nothing about them is strange.

Honest customers do a little of everything: new devices, dear goods, small amounts, discounts.
"""

import gzip
import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from gatehouse.admin.models.use_cases.replays import make_judge
from gatehouse.sentry.scorecard import load_sheet
from gatehouse.settings.settings import Settings
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.training.model_fitting import FitOptions
from gatehouse.training.model_training import TrainingOptions, train
from gatehouse.training.replay.examples import gather_history
from gatehouse.training.replay.ordered_lines import ordered_lines
from gatehouse.training.replay.replay import DAY_MS, ReplayOptions
from gatehouse.training.report.report import ModelReport
from gatehouse.training.report.text import outcomes_text
from scripts.eval_sentry.baselines import DELAY_DAYS
from scripts.eval_sentry.converting import Event, convert, moment
from scripts.eval_sentry.running import Quiet
from scripts.eval_sentry.streams import BEGINS, SEED, Person, made_up_address, made_up_person

DAYS: Final = 154
ORDERS_A_DAY: Final = 110
_PLAIN: Final = ("books", "clothing", "garden", "toys")
_SOLD_AGAIN: Final = ("phones", "gift-cards")


def outcome_stream(
    seed: int, days: int = DAYS, orders_a_day: int = ORDERS_A_DAY
) -> Iterator[Event]:
    """The orders in order of time, each with its label."""
    dice = random.Random(f"outcomes {seed}")
    people = [made_up_person(dice, number) for number in range(1500)]
    abusers = people[:70]
    for day in range(days):
        made = [_one(dice, people, abusers, day + dice.random()) for _ in range(orders_a_day)]
        if dice.random() < 0.3:
            made += _tries(dice, day + dice.random() * 0.8)
        yield from sorted(made, key=lambda event: event.at)


def _one(dice: random.Random, people: list[Person], abusers: list[Person], day: float) -> Event:
    chance = dice.random()
    if chance < 0.013:
        thief = dice.choice(people)._replace(
            device=f"d-{dice.randrange(10**9)}", address=made_up_address(dice)
        )
        return _order(dice, thief, day, "chargeback", dear=dice.uniform(1.2, 3.5), session=80)
    if chance < 0.026:
        name, device = f"n-{dice.randrange(10**6)}", f"d-ring-{day // 20:.0f}-{dice.randrange(5)}"
        comer = Person(name, device, made_up_address(dice), 3.7)
        shop = f"shop-{dice.randrange(6)}" if dice.random() < 0.75 else None
        return _order(dice, comer, day, "fraud", shop=shop)
    if chance < 0.041:
        again = dice.random() < 0.8
        return _order(
            dice,
            dice.choice(abusers),
            day,
            "abuse",
            category=dice.choice(_SOLD_AGAIN) if again else None,
            pieces=dice.choice((2, 3, 4)),
            discount=dice.random() < 0.7,
        )
    person = dice.choice(people)
    if dice.random() < 0.05:
        person = person._replace(device=f"d-{dice.randrange(10**9)}", address=made_up_address(dice))
    return _order(
        dice,
        person,
        day,
        "legitimate",
        dear=dice.uniform(1.2, 3.0) if dice.random() < 0.06 else 1.0,
        shop=f"shop-{dice.randrange(80)}" if dice.random() < 0.3 else None,
        category=dice.choice(_SOLD_AGAIN) if dice.random() < 0.08 else None,
        pieces=dice.choice((1, 1, 1, 1, 2, 3)),
        discount=dice.random() < 0.12,
        cheap=dice.random() < 0.05,
    )


def _tries(dice: random.Random, day: float) -> list[Event]:
    """Somebody who tries out cards: small amounts, one after the other."""
    address = made_up_address(dice)
    found = []
    for number in range(dice.randrange(5, 14)):
        guest = Person(f"g-{dice.randrange(10**6)}", f"d-{dice.randrange(10**9)}", address, 0.5)
        at = day + number * dice.uniform(60, 900) / 86_400
        found.append(_order(dice, guest, at, "card_testing", cheap=True, session=40))
    return found


def _order(  # noqa: PLR0913  # each is one property of an order
    dice: random.Random,
    person: Person,
    day: float,
    label: str,
    *,
    dear: float = 1.0,
    shop: str | None = None,
    category: str | None = None,
    pieces: int = 1,
    discount: bool = False,
    cheap: bool = False,
    session: float = 240,
) -> Event:
    at = BEGINS + timedelta(seconds=int(day * 86_400))
    price = dice.choice((0.99, 1.99, 2.99)) if cheap else 2.718 ** dice.gauss(person.spends, 0.4)
    price = round(price * dear, 2)
    order: dict[str, Any] = {"amount": round(price * pieces, 2), "currency": "USD"}
    if shop is not None:
        order["affiliateId"] = shop
    if discount:
        order["discountCodes"] = ["SAVE10"]
    item = {"category": category or dice.choice(_PLAIN), "price": price, "quantity": pieces}
    request = {
        "event": {"type": "PURCHASE", "timestamp": moment(at)},
        "account": {"userId": person.name},
        "device": {
            "ipAddress": person.address,
            "deviceId": person.device,
            "sessionAge": round(dice.lognormvariate(0, 0.7) * session, 1),
        },
        "order": order,
        "shoppingCart": {"items": [item]},
    }
    fraud = label not in ("legitimate", "abuse")
    return Event(at, request, fraud, label=label)


def learn_outcome_scores(
    place: Path, seed: int = SEED, days: int = DAYS, fit: FitOptions | None = None
) -> ModelReport:
    """Replay the stream with labels a week late, train on it, and measure on its newest part."""
    requests = place / "outcomes.jsonl.gz"
    convert(outcome_stream(seed, days), requests)
    judge = make_judge(Settings(), None, feeds=False)
    delay_ms, span = DELAY_DAYS * DAY_MS, RecordSpan("", 0, 2**60)
    with gzip.open(requests, "rb") as lines, ordered_lines(lines, lambda _: None) as ordered:
        examples, _ = gather_history(ordered, judge, span, ReplayOptions(delay_ms), Quiet())
    sheet = load_sheet()
    options = TrainingOptions(fit or FitOptions(), delay_ms, presume=False, source="file")
    return train(examples, sheet, sheet, options).report


def as_text(report: ModelReport) -> str:
    """The figures for people."""
    return f"outcomes: four things that go wrong, made up (seed {SEED})\n{outcomes_text(report)}"
