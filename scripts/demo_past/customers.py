"""The made-up customers of the demo shop, and the requests that its backend sends for them."""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from gatehouse.admin.sandbox.use_cases.past import NUMBER
from scripts.demo_past.made_up_values import AGENTS, COUNTRIES, GOODS, DemoCountry

DemoItem = tuple[str, str, float]
"""Article, category and price."""


class DemoCustomer(NamedTuple):
    """Somebody who buys at the demo shop."""

    user_id: str
    name: tuple[str, str]
    country: DemoCountry
    email: str
    card: str
    expiry: str
    street: str
    postal_code: str
    address: str
    """Of the internet connection."""
    agent: str
    device: str


class DemoVisit(NamedTuple):
    """One purchase of a customer: what differs from their usual."""

    amount: float
    items: tuple[DemoItem, ...]
    session_age_s: int
    shipping: str | None = None
    """The country of delivery; None is their own."""


def new_dice(seed: int | str) -> random.Random:
    """Dice that always fall alike for one seed."""
    return random.Random(seed)  # they make up data and protect nothing


def check_digit(digits: str) -> str:
    """The number with the digit that makes it a card number (ISO/IEC 7812)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (2 if place % 2 == 0 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    return f"{digits}{-total % 10}"


def new_card(dice: random.Random, prefixes: tuple[str, ...]) -> str:
    """A made-up number that begins as test cards do."""
    return check_digit(f"{dice.choice(prefixes)}{dice.randrange(1_000_000, 10_000_000)}")


def new_customer(
    dice: random.Random, number: int, country: DemoCountry | None = None
) -> DemoCustomer:
    """A customer with a name, a home, a device and a card."""
    if country is None:
        country = dice.choices(COUNTRIES, [each.weight for each in COUNTRIES])[0]
    first, last = dice.choice(country.first_names), dice.choice(country.last_names)
    postal_code, _town = dice.choice(country.towns)
    # House numbers 200 and 201 mean something to the sandbox's issuer.
    house = dice.randrange(1, 180)
    street = dice.choice(country.streets)
    return DemoCustomer(
        user_id=f"u-{2000 + number}",
        name=(first, last),
        country=country,
        email=f"{first}.{last}{number}@example.com".lower(),
        card=new_card(dice, country.cards),
        expiry=f"{dice.randrange(2028, 2033)}-{dice.randrange(1, 13):02d}",
        street=f"{house} {street}" if country.code in ("US", "GB") else f"{street} {house}",
        postal_code=postal_code,
        address=new_address(dice, country),
        agent=dice.choice(AGENTS),
        device=new_device(dice),
    )


def new_address(dice: random.Random, country: DemoCountry) -> str:
    """A made-up address in a network of the country."""
    return f"{dice.choice(country.networks)}.{dice.randrange(256)}.{dice.randrange(1, 255)}"


def new_device(dice: random.Random) -> str:
    """The identifier that a page gives a device."""
    return "gd_" + "".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=26))


def new_visit(dice: random.Random, goods: Sequence[DemoItem] = GOODS) -> DemoVisit:
    """A cart whose worth is near to a log-normal draw, as those of shops are."""
    wanted = dice.lognormvariate(3.9, 0.7)
    items: list[DemoItem] = []
    total = 0.0
    while not items or (total < wanted and len(items) < 5):
        items.append(dice.choice(goods))
        total += items[-1][2]
    shipped = round(total + (4.9 if total < 40 else 0.0), 2)
    return DemoVisit(shipped, tuple(items), int(dice.lognormvariate(5.6, 0.8)) + 20)


def purchase(who: DemoCustomer, visit: DemoVisit) -> dict[str, Any]:
    """The body of a Pipeline request, before the order has its number."""
    country = who.country
    return {
        "pipelineId": 1,
        "clientReferenceId": f"order-{NUMBER}",
        "rulesRequest": {
            "email": who.email,
            "billingCountry": country.code,
            "shippingCountry": visit.shipping or country.code,
        },
        "sentryRequest": {
            "device": {
                "ipAddress": who.address,
                "userAgent": who.agent,
                "acceptLanguage": country.languages,
                "sessionId": f"s-{NUMBER}",
                "sessionAge": visit.session_age_s,
                "deviceId": who.device,
            },
            "event": {"type": "PURCHASE", "transactionId": f"t-{NUMBER}"},
            "order": {"amount": visit.amount, "currency": "USD"},
            "account": {"userId": who.user_id, "username": ".".join(who.name).lower()},
            "shoppingCart": {"items": _lines(visit.items)},
        },
        "preCheckRequest": {
            "cardNumber": who.card,
            "cardExpiryDate": who.expiry,
            "cardCvv2Value": "123",
            "cardAddress": {"street": who.street, "postalCode": who.postal_code},
        },
    }


def _lines(items: tuple[DemoItem, ...]) -> list[dict[str, Any]]:
    counted = {item: items.count(item) for item in dict.fromkeys(items)}
    return [
        {"itemId": article, "category": category, "price": price, "quantity": quantity}
        for (article, category, price), quantity in counted.items()
    ]
