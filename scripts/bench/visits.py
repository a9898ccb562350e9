"""Sentry bodies with every group filled; the same people come again, as they do."""

import json
import random
from typing import Any, Final

from scripts.bench.client import NUMBER_MARK

PEOPLE: Final = 20_000
"""As many as there are requests: each has some earlier orders, and comes once in a while."""

_LANGUAGES: Final = (
    "en-US,en;q=0.9",
    "en-GB,en;q=0.9",
    "de-DE,de;q=0.9,en;q=0.8",
    "fr-FR,fr;q=0.9,en;q=0.7",
    "es-ES,es;q=0.9",
    "pt-BR,pt;q=0.9,en;q=0.8",
    "ja-JP,ja;q=0.9",
    "pl-PL,pl;q=0.9,en-US;q=0.8",
)
_CURRENCIES: Final = ("USD", "EUR", "GBP", "JPY", "BRL", "PLN")
_CATEGORIES: Final = ("shoes", "books", "garden", "toys", "gift cards", "phones", "coffee", "tools")
_SYSTEMS: Final = (
    "Windows NT 10.0; Win64; x64",
    "Macintosh; Intel Mac OS X 10_15_7",
    "X11; Linux x86_64",
    "Linux; Android 10; K",
)
# First octets that are given out to networks all over the world.
_OCTETS: Final = (2, 5, 14, 24, 31, 36, 46, 49, 58, 62, 71, 77, 81, 88, 91, 101, 109, 122, 139, 151,
                  163, 177, 185, 190, 196, 202, 210, 213, 217, 220)  # fmt: skip
_PREFIXES_V6: Final = ("2600:8800", "2a02:8108", "2a01:e0a", "2804:14c", "2400:4050", "2001:4860")


def _agents() -> tuple[str, ...]:
    found = []
    for version in range(140, 158):
        for system in _SYSTEMS:
            tail = " Mobile" if "Android" in system else ""
            engine = f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) "
            chrome = f"Chrome/{version}.0.0.0{tail} Safari/537.36"
            found.append(engine + chrome)
            found.append(f"{engine}{chrome} Edg/{version}.0.0.0")
    for version in range(128, 146):
        for system in _SYSTEMS[:3]:
            plain = system.replace("10_15_7", "10.15")
            found.append(
                f"Mozilla/5.0 ({plain}; rv:{version}.0) Gecko/20100101 Firefox/{version}.0"
            )
    return tuple(found[:200])


AGENTS: Final = _agents()


def sentry_visit(index: int, number: str, people: int = PEOPLE) -> dict[str, Any]:
    """A request; its index decides who comes, from where, with what and for what.

    The number names the session and the transaction, so both are unique.
    """
    chance = random.Random(index)  # not for secrets
    person = chance.randrange(people)
    usual = random.Random(-1 - person)
    # Most people are at home with their own device; some are elsewhere.
    place = usual if chance.random() < 0.85 else chance
    country = usual.randrange(len(_LANGUAGES))
    items: list[dict[str, Any]] = [
        {
            "itemId": f"sku-{chance.randrange(4000)}",
            "category": chance.choice(_CATEGORIES),
            "price": round(chance.uniform(3, 90), 2),
            "quantity": chance.choice((1, 1, 1, 2, 3)),
        }
        for _ in range(chance.randint(1, 4))
    ]
    return {
        "clientReferenceId": f"order-{index:08d}",
        "device": {
            "ipAddress": _address(place),
            "userAgent": AGENTS[place.randrange(len(AGENTS))],
            "acceptLanguage": _LANGUAGES[country],
            "sessionId": f"s-{number}",
            "sessionAge": chance.randint(20, 3000),
        },
        "event": {"type": "PURCHASE", "transactionId": f"t-{number}"},
        "order": {
            "amount": round(sum(item["price"] * item["quantity"] for item in items), 2),
            "currency": _CURRENCIES[country % len(_CURRENCIES)],
            "affiliateId": f"a-{chance.randrange(40)}",
            "referralId": f"r-{chance.randrange(400)}",
            "discountCodes": [f"SAVE{chance.randrange(20)}"] if chance.random() < 0.3 else [],
            "referrerUrl": f"https://www.example.com/offers/{chance.randrange(1000)}",
        },
        "account": {"userId": f"u-{person:06d}", "username": f"amelia.whitfield{person}"},
        "shoppingCart": {"items": items},
        "customInputs": {
            "plan": chance.choice(("free", "plus")),
            "timezone": "Europe/Berlin",
            "returning": chance.random() < 0.7,
            "pages": chance.randint(1, 40),
        },
    }


def _address(chance: random.Random) -> str:
    if chance.random() < 0.12:
        subnet, host = chance.randrange(65536), chance.randrange(1, 9999)
        return f"{chance.choice(_PREFIXES_V6)}:{subnet:x}::{host:x}"
    rest = ".".join(str(chance.randint(1, 254)) for _ in range(3))
    return f"{chance.choice(_OCTETS)}.{rest}"


def sentry_body(index: int) -> bytes:
    """The same as it is sent; the number is filled in at the last moment."""
    visit = sentry_visit(index, NUMBER_MARK.decode())
    return json.dumps(visit, separators=(",", ":")).encode()
