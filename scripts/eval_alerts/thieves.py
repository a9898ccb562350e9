"""Two attacks beside card testing: a spree with stolen cards, and accounts that were taken over."""

from collections.abc import Callable
from typing import Final

from scripts.eval_sentry.card_testing import ATTACKS, Attack, tries
from scripts.eval_sentry.origins import COMPUTERS, HOMES
from scripts.eval_sentry.shop import Article, Attempt, Card, Shop, purchase

Raid = Callable[[Shop, float], list[Attempt]]
_ORDERS: Final = 120
_RENTED: Final = "138.68"


def spree(shop: Shop, begin_s: float) -> list[Attempt]:
    """Dear goods on stolen cards from three lines at home, one every four minutes."""
    dice = shop.dice
    addresses = [shop.address_at(dice.choice(HOMES["US"])) for _ in range(3)]
    at_s, found = begin_s, []
    for _ in range(_ORDERS):
        at_s += dice.expovariate(1 / 240)
        request = _order(shop, dice.choice(addresses), dice.uniform(250, 900))
        request["account"] = {"userId": f"u-{shop.number()}x"}
        card = shop.new_card("US")
        found.append(Attempt(at_s, request, card, dice.random() < 0.4, is_attack=True))
    return found


def takeover(shop: Shop, begin_s: float) -> list[Attempt]:
    """Orders in customers' names, on their cards, from twelve rented servers side by side."""
    dice = shop.dice
    network = shop.address_at(_RENTED).rpartition(".")[0]
    addresses = [f"{network}.{host}" for host in dice.sample(range(1, 255), 12)]
    victims = [(f"u-{number}", Card("44793500", -number)) for number in range(1, 400)]
    at_s, found = begin_s, []
    for _ in range(_ORDERS):
        at_s += dice.expovariate(1 / 60)
        user, card = dice.choice(victims)
        request = _order(shop, dice.choice(addresses), dice.uniform(80, 400))
        request["account"] = {"userId": user}
        found.append(Attempt(at_s, request, card, dice.random() < 0.15, is_attack=True))
    return found


def _order(shop: Shop, address: str, amount: float) -> dict[str, object]:
    dice = shop.dice
    device = (address, dice.choice(COMPUTERS), "en-US,en;q=0.9")
    goods = [Article("sku-dear", "tools", round(amount, 2))]
    session = (f"s-{shop.number()}", dice.uniform(30, 200))
    return purchase(device, session, shop.number(), amount, goods)


def _card_testing(attack: Attack) -> Raid:
    return lambda shop, begin_s: tries(attack, shop, begin_s)


RAIDS: Final[dict[str, tuple[str, Raid, float, float]]] = {
    **{each.name: (each.what, _card_testing(each), each.sale, each.offered) for each in ATTACKS},
    "spree": (spree.__doc__ or "", spree, 1.0, 0.0),
    "takeover": (takeover.__doc__ or "", takeover, 1.0, 0.0),
}
"""Every attack: what it is, its orders, how many times more honest ones come, and the offer."""
