"""Attacks by people who try out stolen cards in the shop, each one made up by a few choices.

What is assumed is what processors and card networks tell about such attacks: hundreds to thousands
of cards within hours or a few days, most of them refused; the cheapest goods or a small donation;
guests or accounts made for the purpose; one machine, a few rented servers, or the lines of other
people's homes; one browser that is steered, or a few in turn; numbers counted up within one BIN, or
bought by the hundred. All of them send a faultless browser, languages that fit, and a session of
its own for every try: an attack that makes mistakes is found more easily.
"""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from scripts.eval_sentry.origins import (
    BINS,
    CAMPUS,
    CARRIER_ADDRESSES,
    CARRIERS,
    COMPUTERS,
    HOMES,
    PHONES,
)
from scripts.eval_sentry.shop import Attempt, Shop, purchase

_REFUSED: Final = 0.85
_RENTED: Final = ("45.55", "138.68", "167.99")
_HOMES: Final = HOMES["US"]
_TAKEN: Final = {"US": 60, "GB": 12, "DE": 10, "FR": 10, "CA": 8}
"""Where stolen cards are from, of a hundred."""


class Attack(NamedTuple):
    """One variant of an attack."""

    name: str
    what: str
    attempts: int
    every_s: float
    """How long it waits between two tries on average."""
    addresses: Callable[[Shop], list[str]]
    agents: int = 1
    buyers: Literal["guests", "accounts"] = "guests"
    cards: Literal["run", "mixed"] = "mixed"
    dearest: float = 2.0
    """Below which price goods are chosen; 0 for a payment without goods, such as a donation."""
    sale: float = 1.0
    """How many times more honest orders than usual come meanwhile."""
    offered: float = 0.0
    """The share of honest orders that are for a single article at a dollar."""


def tries(attack: Attack, shop: Shop, begin_s: float) -> list[Attempt]:
    """What the attackers send, in order."""
    dice = shop.dice
    addresses = attack.addresses(shop)
    agents = dice.sample(sorted({*COMPUTERS, *PHONES}), attack.agents)
    bins = (dice.choice(BINS["US"]),) if attack.cards == "run" else ()
    goods = shop.cheapest(attack.dearest)
    accounts: list[str] = []
    at_s, found = begin_s, []
    for _ in range(attack.attempts):
        at_s += dice.expovariate(1 / attack.every_s)
        chosen = [dice.choice(goods)] if goods else []
        amount = chosen[0].price if chosen else dice.choice((0.5, 1.0, 1.5, 2.0, 3.0, 5.0))
        device = (dice.choice(addresses), dice.choice(agents), "en-US,en;q=0.9")
        session = (f"s-{shop.number()}", dice.uniform(15, 120))
        request = purchase(device, session, shop.number(), amount, chosen)
        if not chosen:
            del request["shoppingCart"]
        if attack.buyers == "accounts":
            # An account is made for a few cards, then the next one.
            if not accounts or dice.random() < 0.4:
                accounts.append(f"u-{shop.number()}x")
            request["account"] = {"userId": accounts[-1]}
        country = "US" if bins else dice.choices(tuple(_TAKEN), tuple(_TAKEN.values()))[0]
        card = shop.new_card(country, bins)
        found.append(Attempt(at_s, request, card, dice.random() < _REFUSED, is_attack=True))
    return found


def _one(network: str) -> Callable[[Shop], list[str]]:
    return lambda shop: [shop.address_at(network)]


def _many(networks: tuple[str, ...], number: int) -> Callable[[Shop], list[str]]:
    return lambda shop: [shop.address_at(shop.dice.choice(networks)) for _ in range(number)]


def _side_by_side(number: int) -> Callable[[Shop], list[str]]:
    """Rented servers: some of them are neighbours."""

    def rent(shop: Shop) -> list[str]:
        network = shop.address_at(shop.dice.choice(_RENTED)).rpartition(".")[0]
        near = [f"{network}.{host}" for host in shop.dice.sample(range(1, 255), number // 2)]
        return near + _many(_RENTED, number - len(near))(shop)

    return rent


def _carriers(number: int) -> Callable[[Shop], list[str]]:
    """Phones of others: honest customers come from the same addresses."""
    return lambda shop: [
        f"{shop.dice.choice(CARRIERS['US'])}.{shop.dice.randint(1, CARRIER_ADDRESSES)}"
        for _ in range(number)
    ]


ATTACKS: Final = (
    Attack("host-fast", "one rented server, numbers of one BIN, ten a minute", 1500, 6,
           _one("45.55"), cards="run"),
    Attack("host-slow", "one line at home, mixed cards, one every three minutes for two days", 960,
           180, _one("73.12")),
    Attack("host-accounts", "one line at home, fresh accounts, goods below five dollars", 1200, 30,
           _one("98.200"), buyers="accounts", dearest=5.0),
    Attack("rented-fast", "six rented servers, three browsers, fresh accounts", 1500, 8,
           _side_by_side(6), agents=3, buyers="accounts"),
    Attack("rented-slow", "six rented servers, numbers of one BIN, one every two minutes", 1440,
           120, _side_by_side(6), cards="run", dearest=5.0),
    Attack("donations", "four lines at home, payments without goods of half a dollar to five", 1200,
           20, _many(_HOMES, 4), dearest=0.0),
    Attack("pool-fast", "forty lines at home, fresh accounts, six a minute", 2400, 10,
           _many(_HOMES, 40), buyers="accounts"),
    Attack("pool-agents", "forty lines at home, five browsers, numbers of one BIN", 2400, 12,
           _many(_HOMES, 40), agents=5, cards="run"),
    Attack("pool-slow", "thirty lines at home, three browsers, one a minute for a day and a half",
           2160, 60, _many(_HOMES, 30), agents=3, dearest=5.0),
    Attack("sale", "six rented servers during a sale with eight times the honest orders", 1500, 15,
           _side_by_side(6), agents=2, sale=8.0),
    Attack("sale-pool", "thirty lines at home during the same sale", 2400, 15, _many(_HOMES, 30),
           agents=3, buyers="accounts", sale=8.0),
    Attack("campus", "from behind the university's address", 1200, 20, lambda _: [CAMPUS],
           cards="run"),
    Attack("carriers", "ten addresses of phone carriers that honest customers share", 1500, 12,
           _carriers(10), agents=2),
    Attack("offer", "no attack: an offer for a dollar brings most of eight times the orders", 0, 1,
           _one("73.12"), sale=8.0, offered=0.6),
)  # fmt: skip
