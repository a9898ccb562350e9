"""The check digit that almost all card numbers carry."""

from typing import Final

# Doubling a digit and adding the digits of the result, for the bytes b"0" to b"9".
_DOUBLED: Final = bytes.maketrans(b"0123456789", bytes([0, 2, 4, 6, 8, 1, 3, 5, 7, 9]))
_PLAIN: Final = bytes.maketrans(b"0123456789", bytes(range(10)))


def passes_luhn(digits: str) -> bool:
    """Whether a string of ASCII digits ends in its own Luhn check digit."""
    raw = digits.encode("ascii")
    plain = raw[-1::-2].translate(_PLAIN)
    doubled = raw[-2::-2].translate(_DOUBLED)
    return (sum(plain) + sum(doubled)) % 10 == 0
