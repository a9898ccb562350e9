"""What an amount of a currency can be: its decimals, and what is small or absurd in it."""

from typing import Final

ABSURD: Final = 10_000_000.0
"""More dollars than any buyer pays by card."""
TINY: Final = 2.0
"""Fewer dollars than this are what a card is tried with."""
SMALL: Final = 5.0
"""So many dollars or fewer are little for an order; some shops live on such orders."""

# Rates move, and none of this needs them exactly: a currency stands where it was for some years.
_CURRENCIES_BY_MAGNITUDE: Final = (
    (
        10.0,
        "BOB BWP CNY DKK ERN GHS GTQ HKD LSL MAD MDL MOP MVR MXN NAD NOK SCR SEK SZL TJS TTD ZAR",
    ),
    (30.0, "CUP CZK EGP HNL MRU MUR NIO PHP SLE SRD STN THB TRY TWD UAH UYU ZMW"),
    (
        100.0,
        "AFN ALL AMD BDT BTN CVE DJF DOP DZD ETB GMD GYD HTG HUF INR ISK JMD JPY KES KGS KMF KZT"
        " LKR LRD MKD MZN NPR PKR RSD RUB VUV XAF XOF XPF",
    ),
    (
        1_000.0,
        "AOA ARS BIF CDF CLP COP CRC IQD KHR KRW MGA MMK MNT MWK NGN RWF SDG SOS SSP TZS UGX YER",
    ),
    (10_000.0, "GNF IDR LAK PYG SYP UZS VND"),
    (100_000.0, "IRR LBP"),
)
_MAGNITUDES: Final = {
    currency: magnitude
    for magnitude, currencies in _CURRENCIES_BY_MAGNITUDE
    for currency in currencies.split()
}
_UNKNOWN_MAGNITUDE: Final = 100_000.0
# A number that was written with the right decimals is this near to a whole number of the smallest
# unit; what lies between is the error of binary fractions.
_NEAR: Final = 1e-9


def magnitude(currency: str | None) -> float | None:
    """Roughly how many units make a dollar; None without a currency."""
    return None if currency is None else _MAGNITUDES.get(currency, 1.0)


def absurd_from(currency: str | None) -> float:
    """The most that any buyer would pay; without a currency, in the smallest of them."""
    return ABSURD * (magnitude(currency) or _UNKNOWN_MAGNITUDE)


def is_tiny(amount: float, currency: str | None) -> bool:
    """Whether it is so little that a card may only be tried with it."""
    return amount < TINY * (magnitude(currency) or 1.0)


def is_small(amount: float, currency: str | None) -> bool:
    """Whether it is little for an order."""
    return amount <= SMALL * (magnitude(currency) or 1.0)


def can_be_paid(amount: float, currency: str | None, digits: int | None) -> bool:
    """Whether it is above 0, not absurd, and has no more decimals than its currency."""
    if not 0 < amount <= absurd_from(currency):
        return False
    if digits is None:
        return True
    units = amount * 10.0**digits
    return abs(units - round(units)) <= _NEAR * (units if units > 1_000.0 else 1_000.0)
