"""Card numbers and PreCheck bodies, each different from the others by its number."""

import json

_STREETS = ("1 Market Street", "22 Acacia Avenue", "7 Rue de Rivoli", "350 Fifth Avenue")


def card_number(index: int) -> str:
    """A card number of its own for every index, with a check digit that fits."""
    stem = f"424242{index * 7919 % 10**9:09d}"
    return stem + _luhn_digit(stem)


def _luhn_digit(digits: str) -> str:
    total = 0
    for index, char in enumerate(reversed(digits)):
        value = int(char) * (2 if index % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def precheck_body(index: int) -> bytes:
    """A request with its own card, address and reference."""
    body = {
        "clientReferenceId": f"order-{index:08d}",
        "cardNumber": card_number(index),
        "cardExpiryDate": "2031-12",
        "cardCvv2Value": f"{400 + index % 500}",
        "cardAddress": {
            "postalCode": f"{40000 + index % 9999}",
            "street": _STREETS[index % len(_STREETS)],
        },
    }
    return json.dumps(body, separators=(",", ":")).encode()
