"""A made-up shop with thousands of honest customers, for the evaluation of card testing.

What is assumed about them is what is publicly known of online shops, kept a little harder than
usual for Sentry: a quarter buys as a guest, phones share the addresses of their carriers (some of
which no table knows as shared), a university stands behind one address, families share address and
cards, and one order in twelve is refused by the issuer at first. No card has a number: a card is
its BIN and a count.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from scripts.eval_sentry.origins import (
    BINS,
    CAMPUS,
    CARRIER_ADDRESSES,
    CARRIERS,
    COMPANY,
    COMPUTERS,
    HOMES,
    LANGUAGES,
    PHONES,
    RELAY,
)

BEGIN_S: Final = datetime(2026, 10, 19, tzinfo=UTC).timestamp()
"""After the networks and browsers that ship were listed."""
DAY_S: Final = 86_400.0
REFUSED: Final = 0.08
"""The share of honest payments that the issuer refuses at first."""
CURRENCY: Final = "USD"

_HOURS: Final = (2, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 7, 8, 7, 6, 6, 7, 8, 10, 11, 11, 9, 6, 4)
"""How busy the hours of a customer's day are."""
_CHEAP: Final = (0.99, 1.99, 2.99, 1.49, 4.5)
_OFFSETS: Final = {"US": -5, "CA": -5, "GB": 1, "DE": 2, "FR": 2}


class Card(NamedTuple):
    """A card of which only the issuer matters, and that it is not another."""

    bin: str
    serial: int


class Attempt(NamedTuple):
    """One request as a merchant sends it, and what the issuer would answer."""

    at_s: float
    request: dict[str, Any]
    card: Card
    refused: bool
    is_attack: bool = False


class Article(NamedTuple):
    """Something that the shop sells."""

    name: str
    category: str
    price: float


class Customer(NamedTuple):
    """One honest customer, and where and with what they buy."""

    name: str | None
    """None buys as a guest."""
    country: str
    home: str
    elsewhere: str
    """The address of the phone's carrier, or of whatever else they come through."""
    away: float
    """How often they come from there."""
    agents: tuple[str, ...]
    languages: str
    cards: tuple[Card, ...]
    orders_a_day: float


class Shop:
    """Sells a few hundred articles to customers who come again, and to new ones every day."""

    def __init__(self, seed: int, customers: int) -> None:
        self.seed = seed
        self.dice = random.Random(seed)  # not for secrets
        self._people = 0
        self._sent = 0
        self._cards = 0
        self._offered = 0.0
        self._articles = [self._article(number) for number in range(300)]
        self._popular = [1 / (10 + place) for place in range(len(self._articles))]
        self._households: list[Customer] = []
        self._customers = [self._customer() for _ in range(customers)]

    def honest(
        self, first_day: int, end_s: float, *, sale: float = 1.0, offered: float = 0.0
    ) -> list[Attempt]:
        """What honest customers send from a day until a moment, in order.

        A sale brings many times more. `offered` is the share of orders that are for an article at
        a dollar and nothing else.
        """
        self._offered = offered
        found: list[Attempt] = []
        dice, day_s = self.dice, BEGIN_S + first_day * DAY_S
        while day_s < end_s:
            came = [each for each in self._customers if dice.random() < each.orders_a_day * sale]
            came += [self._customer() for _ in range(int(len(self._customers) * 0.012 * sale))]
            for customer in came:
                found += self._order(customer, day_s + self._moment(customer))
            day_s += DAY_S
        return sorted((each for each in found if each.at_s < end_s), key=lambda each: each.at_s)

    def new_card(self, country: str, bins: Sequence[str] = ()) -> Card:
        """A card that nobody has seen before."""
        self._cards += 1
        return Card(self.dice.choice(bins or BINS[country]), self._cards)

    def number(self) -> int:
        """A number that no other request of the shop has."""
        self._sent += 1
        return self._sent

    def cheapest(self, most: float) -> list[Article]:
        """All articles below a price."""
        return [each for each in self._articles if each.price < most]

    def _article(self, number: int) -> Article:
        dice = self.dice
        if number % 40 == 7:
            # Downloads are cheap, and nothing is charged for sending them.
            price = _CHEAP[number // 40 % len(_CHEAP)]
            return Article(f"sku-{number}", "downloads", price)
        category = dice.choice(("shoes", "books", "garden", "toys", "kitchen", "coffee", "tools"))
        return Article(f"sku-{number}", category, round(4 + dice.lognormvariate(3.2, 0.8), 2))

    def _customer(self) -> Customer:
        dice = self.dice
        self._people += 1
        country = dice.choices(tuple(HOMES), (62, 12, 10, 8, 8))[0]
        family = dice.choice(self._households) if self._households and dice.random() < 0.2 else None
        if family is not None:
            country = family.country
        home = family.home if family else self.address_at(dice.choice(HOMES[country]))
        if country == "US" and dice.random() < 0.06:
            home = CAMPUS
        elsewhere, away = self._way(country)
        cards = self._cards_of(country, family)
        agents = [dice.choice(PHONES if away > 0.3 else COMPUTERS)]
        if dice.random() < 0.4:
            agents.append(dice.choice(COMPUTERS + PHONES))
        customer = Customer(
            None if dice.random() < 0.25 else f"u-{self._people}",
            country,
            home,
            elsewhere,
            away,
            tuple(agents),
            dice.choice(LANGUAGES[country]),
            cards,
            min(dice.gammavariate(0.8, 0.09), 0.7),
        )
        if home != CAMPUS:
            self._households.append(customer)
        return customer

    def _way(self, country: str) -> tuple[str, float]:
        """From where they come when they are not at home, and how often."""
        dice = self.dice
        carrier = f"{dice.choice(CARRIERS[country])}.{dice.randint(1, CARRIER_ADDRESSES)}"
        way = dice.random()
        away = dice.choice((0.0, 0.1, 0.5, 0.9))
        if way < 0.02:
            return f"{COMPANY}.{dice.randint(1, 3)}", 0.6
        if way < 0.05:
            return f"{RELAY}.{dice.randint(1, 200)}", 0.8
        return carrier, away

    def _cards_of(self, country: str, family: Customer | None) -> tuple[Card, ...]:
        """One to three cards, of which one may be the family's, or from elsewhere."""
        dice = self.dice
        cards = [self.new_card(country) for _ in range(dice.choice((1, 1, 1, 2, 2, 3)))]
        if family is not None and dice.random() < 0.4:
            cards[0] = family.cards[0]
        if dice.random() < 0.04:
            cards[0] = self.new_card(dice.choice(tuple(BINS)))
        return tuple(cards)

    def address_at(self, network: str) -> str:
        """An address somewhere in a network that is given by its first two numbers."""
        return f"{network}.{self.dice.randint(0, 255)}.{self.dice.randint(1, 254)}"

    def _moment(self, customer: Customer) -> float:
        hour = self.dice.choices(range(24), _HOURS)[0] - _OFFSETS[customer.country]
        return (hour % 24 + self.dice.random()) * 3600

    def _order(self, customer: Customer, at_s: float) -> Iterator[Attempt]:
        """An order, and what its customer tries when the card is refused."""
        dice = self.dice
        place = customer.elsewhere if dice.random() < customer.away else customer.home
        agent = dice.choice(customer.agents)
        session, age_s = f"s-{self.number()}", dice.lognormvariate(5.6, 0.8)
        goods = self._cart()
        amount = sum(each.price for each in goods)
        if any(each.category != "downloads" for each in goods) and amount < 40:
            amount += 4.9
        card = dice.choice(customer.cards)
        chance = REFUSED
        for _ in range(4):
            refused = dice.random() < chance
            request = purchase(
                (place, agent, customer.languages), (session, age_s), self.number(), amount, goods
            )
            if customer.name is not None:
                request["account"] = {"userId": customer.name}
            yield Attempt(at_s, request, card, refused)
            if not refused or dice.random() < 0.2:
                return
            wait_s = dice.uniform(30, 240)
            at_s, age_s = at_s + wait_s, age_s + wait_s
            if dice.random() < 0.5:
                card, chance = dice.choice(customer.cards), 0.3
            else:
                chance = 0.6

    def _cart(self) -> list[Article]:
        if self.dice.random() < self._offered:
            return [Article("sku-offer", "downloads", 1.0)]
        lines = self.dice.choices((1, 2, 3, 4), (55, 25, 13, 7))[0]
        return self.dice.choices(self._articles, self._popular, k=lines)


def purchase(
    device: tuple[str, str, str],
    session: tuple[str, float],
    number: int,
    amount: float,
    goods: Sequence[Article],
) -> dict[str, Any]:
    """The body of a request as a merchant sends it."""
    address, agent, languages = device
    return {
        "device": {
            "ipAddress": address,
            "userAgent": agent,
            "acceptLanguage": languages,
            "sessionId": session[0],
            "sessionAge": round(session[1], 1),
        },
        "event": {"type": "PURCHASE", "transactionId": f"t-{number}"},
        "order": {"amount": round(amount, 2), "currency": CURRENCY},
        "shoppingCart": {
            "items": [
                {"itemId": each.name, "category": each.category, "price": each.price, "quantity": 1}
                for each in goods
            ]
        },
    }
