"""Streams of orders that are made up from a seed, so that it is known what there is to be found.

Three things that published data seldom show:

waves       Thieves come for twelve days through a few affiliates, with accounts that they took
            over and with devices of their own, and are then gone for a while.
shared      Everybody and everything (user, device, affiliate, network) has a risk of its own, and
            the chance of fraud is their sum in log-odds. Most entities come a few times, over half
            a year.
cold-start  A young shop with a few dozen frauds in all.

No request tells more than Sentry has fields for. Thieves repeat an order that went well, within
minutes and with the amount that the account is used to.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from scripts.eval_sentry.converting import DataSet, Event, moment

BEGINS: Final = datetime(2025, 1, 6, tzinfo=UTC)
SEED: Final = 5
_NETWORKS: Final = ("24.7", "71.60", "98.20", "86.5", "92.40", "81.100")


class Person(NamedTuple):
    """A customer with what belongs to them."""

    name: str
    device: str
    address: str
    spends: float
    """The logarithm of a usual amount."""
    risk: float = 0.0


def waves(seed: int, days: int = 126, orders_a_day: int = 110) -> Iterator[Event]:
    """Honest orders, and thieves who come for some days."""
    dice = random.Random(f"waves {seed}")
    people = [made_up_person(dice, number) for number in range(1800)]
    shops = [f"shop-{number}" for number in range(150)]
    for day in range(days):
        moments = sorted(dice.random() for _ in range(orders_a_day))
        # A wave begins every three weeks and lasts twelve days, through six of 25 affiliates.
        wave, age = divmod(day, 21)
        bad = random.Random(f"wave {seed} {wave}").sample(shops[:25], 6)
        hostile = age < 12
        held: Person | None = None
        for at in moments:
            fraud = dice.random() < (0.09 if hostile else 0.006)
            victim = dice.choice(people)
            if fraud:
                # Every other time the thief goes on with the account of the last order.
                if held is None or dice.random() < 0.5:
                    device = f"d-bad-{wave}-{dice.randrange(4)}"
                    held = victim._replace(device=device, address=made_up_address(dice))
                shop = dice.choice(bad) if dice.random() < 0.8 else dice.choice(shops)
                yield _order(dice, held, shop, day + at, True)
            else:
                yield _order(dice, victim, dice.choice(shops), day + at, False)


def shared(seed: int, days: int = 189, orders_a_day: int = 90) -> Iterator[Event]:
    """Orders whose chance of fraud is the sum of what each of their entities brings."""
    dice = random.Random(f"shared {seed}")
    people = [made_up_person(dice, number, dice.gauss(0, 1.1)) for number in range(3500)]
    shops = [(f"shop-{number}", dice.gauss(0, 1.0)) for number in range(600)]
    devices = [(f"d-{number}", dice.gauss(0, 1.2)) for number in range(4000)]
    networks = [(made_up_address(dice), dice.gauss(0, 0.6)) for _ in range(900)]
    for day in range(days):
        for at in sorted(dice.random() for _ in range(orders_a_day)):
            person, shop = dice.choice(people), _one_of(dice, shops)
            device, network = _one_of(dice, devices), _one_of(dice, networks)
            odds = -4.2 + person.risk + shop[1] + device[1] + network[1]
            chance = 1 / (1 + math.exp(-odds))
            seen = person._replace(device=device[0], address=network[0])
            yield _order(dice, seen, shop[0], day + at, dice.random() < chance, chance)


def cold_start(seed: int, days: int = 70, orders_a_day: int = 26) -> Iterator[Event]:
    """A young shop: few customers come again, and thieves come in small groups."""
    dice = random.Random(f"cold {seed}")
    people: list[Person] = []
    shops = [f"shop-{number}" for number in range(12)]
    for day in range(days):
        group = dice.randrange(3) if dice.random() < 0.5 else None
        for at in sorted(dice.random() for _ in range(orders_a_day)):
            if dice.random() < (0.008 if group is None else 0.045):
                alone = f"alone-{dice.randrange(10_000)}"
                device = f"d-bad-{alone if group is None else group}"
                thief = Person(f"t-{dice.randrange(200)}", device, made_up_address(dice), 5.0)
                yield _order(dice, thief, shops[group or 0], day + at, True)
                continue
            if not people or dice.random() < 0.4:
                people.append(made_up_person(dice, len(people)))
                person = people[-1]
            else:
                person = dice.choice(people[-400:])
            yield _order(dice, person, dice.choice(shops), day + at, False)


def made_up_person(dice: random.Random, number: int, risk: float = 0.0) -> Person:
    return Person(f"u-{number}", f"d-{number}", made_up_address(dice), dice.gauss(3.6, 0.5), risk)


def made_up_address(dice: random.Random) -> str:
    return f"{dice.choice(_NETWORKS)}.{dice.randrange(256)}.{dice.randrange(1, 255)}"


def _one_of(dice: random.Random, things: Sequence[tuple[str, float]]) -> tuple[str, float]:
    """One of some things, of which the first come more often than the last."""
    return things[int(len(things) * dice.random() ** 1.5)]


def _order(
    dice: random.Random,
    person: Person,
    shop: str,
    day: float,
    fraud: bool,
    chance: float | None = None,
) -> Event:
    at = BEGINS + timedelta(seconds=int(day * 86_400))
    amount = round(math.exp(dice.gauss(person.spends, 0.4)), 2)
    request: dict[str, Any] = {
        "event": {"type": "PURCHASE", "timestamp": moment(at)},
        "account": {"userId": person.name},
        "device": {"ipAddress": person.address, "deviceId": person.device},
        "order": {"amount": amount, "currency": "USD", "affiliateId": shop},
    }
    return Event(at, request, fraud, int(person.name.rpartition("-")[2]), chance)


def _stream(
    name: str, title: str, make: Callable[[int], Iterator[Event]], from_week: int
) -> DataSet:
    note = f"Made up (seed {SEED}): who is a fraud is known, and by what chance."
    return DataSet(name, title, (note,), (), partial(_read, make), from_week)


def _read(
    make: Callable[[int], Iterator[Event]], _files: Sequence[Sequence[Path]]
) -> Iterator[Event]:
    return make(SEED)


STREAMS: Final = (
    _stream("waves", "Waves of fraud", waves, 7),
    _stream("shared", "Shared entities, each with a risk of its own", shared, 10),
    _stream("cold-start", "The first weeks of a small shop", cold_start, 5),
)
