"""Made-up streams of custom inputs whose truth is known, for tests of what is found in them.

Each column is a kind of input as merchants send it. A stream draws all of them for each request of
a shop whose customers come back.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from gatehouse.sentry.found.found_inputs import InputKind

DAY_S: Final = 86_400


class Visit(NamedTuple):
    """What a column may know of a request."""

    number: int
    user: int
    at_s: float
    chance: random.Random

    @property
    def skewed(self) -> float:
        """Between 0 and 1, near 0 far more often: some shops and goods are popular."""
        return self.chance.random() ** 2


Column = Callable[[Visit], Any]


def _device(visit: Visit) -> str:
    """Mostly the customer's own; one in twenty belongs to somebody who poses as many."""
    if visit.chance.random() < 0.05:
        return f"farm-{visit.chance.randrange(9):x}"
    return f"d{visit.user * 7919 % 1_000_003:06x}"


IDENTIFIERS: Final[dict[str, Column]] = {
    "deviceId": _device,
    "loyaltyNumber": lambda v: 7_000_000 + v.user * 37,
    "visitor": lambda v: f"{v.user * 2654435761 % 2**32:08x}-{v.user % 7}",
    "contact": lambda v: f"user{v.user}@example.com",
    "accountNo": lambda v: f"00{v.user * 13:06d}",
}
CATEGORIES: Final[dict[str, Column]] = {
    "merchant": lambda v: f"m-{int(300 * v.skewed)}",
    "terminalId": lambda v: int(400 * v.skewed),
    "plan": lambda v: v.chance.choice(("basic", "plus", "pro")),
    "city": lambda v: f"Town {int(200 * v.skewed)}",
    "channel": lambda v: v.chance.choice(("web", "app", "phone")),
    "mcc": lambda v: v.chance.choice((5411, 5812, 5999, 4111, 7995, 5732)),
    "model": lambda v: f"2026 MAKER TABLET PRO 12 INCH MODEL {int(300 * v.skewed)} GREY",
    "make": lambda v: f"MAKER {int(30 * v.skewed)}",
}
NEITHER: Final[dict[str, Column]] = {
    "orderNumber": lambda v: f"ORD-{v.number:08d}",
    "invoice": lambda v: 100_000 + v.number,
    "amount": lambda v: round(v.chance.lognormvariate(3.5, 1.0), 2),
    "amountText": lambda v: f"{v.chance.lognormvariate(3.5, 1.0):.2f}",
    "priceInCents": lambda v: int(100 * v.chance.lognormvariate(3.5, 1.0)),
    "basket": lambda v: int(v.chance.lognormvariate(6.0, 1.2)),
    "age": lambda v: v.chance.randint(18, 90),
    "years": lambda v: str(v.chance.randint(18, 90)),
    "accountAgeDays": lambda v: round(v.chance.expovariate(0.01), 4),
    "lines": lambda v: 1 + int(v.chance.expovariate(0.15)),
    "riskScore": lambda v: v.chance.random(),
    "note": lambda v: " ".join(v.chance.choices(("leave", "it", "at", "the", "door"), k=9)),
    "message": lambda v: (
        f"happy birthday from all of us to number {v.number}"
        if v.chance.random() < 0.95
        else "happy birthday to you from all of us"
    ),
    "isGift": lambda v: v.chance.random() < 0.2,
    "newsletter": lambda v: v.chance.choice(("yes", "no")),
    "sentAt": lambda v: 1_790_000_000 + int(v.at_s) // 3600,
    "createdAt": lambda v: (
        f"2026-{1 + int(v.at_s) // DAY_S % 12:02d}-03T10:{v.number % 60:02d}:00Z"
    ),
    "day": lambda v: f"2026-11-{1 + int(v.at_s // DAY_S) % 28:02d}",
    "apiVersion": lambda _: "2024-06",
    "shop": lambda _: "main",
    "sessionToken": lambda v: f"s-{v.number // 3}-{v.user}",
    "lists": lambda v: [v.user],
    "missing": lambda _: "unknown",
}
TRUTH: Final[dict[str, InputKind | None]] = {
    **dict.fromkeys(IDENTIFIERS, InputKind.IDENTIFIER),
    **dict.fromkeys(CATEGORIES, InputKind.CATEGORY),
    **dict.fromkeys(NEITHER, None),
}


class MadeUpRequest(NamedTuple):
    """The custom inputs of a request, whose they are, and when it came."""

    inputs: dict[str, Any]
    user: int
    at_s: float


def made_up(
    requests: int, *columns: dict[str, Column], seed: int = 1, users: int = 800, a_day: int = 100
) -> Iterator[MadeUpRequest]:
    """So many requests of a shop with so many customers."""
    chance = random.Random(seed)
    wanted = {name: draw for each in columns for name, draw in each.items()}
    for number in range(requests):
        at_s = number * DAY_S / a_day
        visit = Visit(number, int(users * chance.random() ** 1.5), at_s, chance)
        inputs = {name: draw(visit) for name, draw in wanted.items()}
        yield MadeUpRequest(inputs, visit.user, at_s)
