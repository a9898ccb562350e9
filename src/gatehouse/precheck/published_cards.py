"""Card numbers that payment providers publish for testing: never a real customer's."""

from typing import Final

from gatehouse.core.cards import CardNumber

_PUBLISHED: Final = frozenset(
    {
        "2223003122003222",
        "30569309025904",
        "3056930009020004",
        "3530111333300000",
        "3566002020360505",
        "36227206271667",
        "371449635398431",
        "378282246310005",
        "38520000023237",
        "4000056655665556",
        "4012888888881881",
        "4111111111111111",
        "4242424242424242",
        "5105105105105100",
        "5200828282828210",
        "5555555555554444",
        "6011000990139424",
        "6011111111111117",
        "6200000000000005",
        "6205500000000000004",
    }
)


def is_test_card(number: CardNumber) -> bool:
    """Whether the number is one that gateways print in their test guides."""
    return number.reveal() in _PUBLISHED
