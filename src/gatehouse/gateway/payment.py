"""What a payment is: an exact amount in the smallest unit of its currency."""

from decimal import Decimal
from typing import Final, Literal

from gatehouse.core.money import Payment
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import minor_digits

_CURRENCY: Final = Phrase("invalid.currency", "is not a currency: use an ISO 4217 code such as USD")
_PAYMENT_NUMBER: Final = Phrase("invalid.payment_number", "must be a number")
_PAYMENT_POSITIVE: Final = Phrase("invalid.payment_positive", "must be more than 0")
_AT_MOST_DECIMALS: Final = Phrase("invalid.at_most_decimals", "at most {digits} decimals")
_NO_DECIMALS: Final = Phrase("invalid.no_decimals", "no decimals")
_DECIMALS: Final = Phrase("invalid.decimals", "must have {allowed} for {currency}")
_PAYMENT_MOST: Final = Phrase("invalid.payment_most", "must be at most {most} {currency}")

LARGEST_PAYMENT: Final = 10**12
"""In the smallest unit of any currency."""

# No amount that is small enough has more digits than this before the point.
_MOST_WHOLE_DIGITS: Final = len(str(LARGEST_PAYMENT))
_SURELY_EXACT: Final = 1e9
_UNITS: Final = tuple(10**digits for digits in range(5))


class UnfitPayment(ValueError):
    """An amount that cannot be paid; the text says what is wrong with the field it names."""

    def __init__(self, field: Literal["amount", "currency"], message: str) -> None:
        super().__init__(message)
        self.field: Final = field


def read_payment(amount: float | Decimal, currency: str) -> Payment:
    """The payment, to the last unit, or `UnfitPayment`.

    A float stands for the shortest decimal number that it is read from, so 59.9 is 59.90 exactly.
    """
    digits = minor_digits(currency)
    if digits is None:
        raise UnfitPayment("currency", _CURRENCY())
    if isinstance(amount, float) and 0 < amount < _SURELY_EXACT:
        minor = round(amount * _UNITS[digits])
        # A number of so few digits is the only one that is read as this float.
        if minor / _UNITS[digits] == amount:
            return Payment(minor, currency)
    number = amount if isinstance(amount, Decimal) else Decimal(repr(amount))
    if not number.is_finite():
        raise UnfitPayment("amount", _PAYMENT_NUMBER())
    if not number > 0:
        raise UnfitPayment("amount", _PAYMENT_POSITIVE())
    # Before anything is worked out: an exponent can stand for more digits than fit into memory.
    if number.adjusted() >= _MOST_WHOLE_DIGITS:
        raise UnfitPayment("amount", _too_large(digits, currency))
    if _decimals(number) > digits:
        allowed = _AT_MOST_DECIMALS(digits=digits) if digits else _NO_DECIMALS()
        raise UnfitPayment("amount", _DECIMALS(allowed=allowed, currency=currency))
    minor = int(number.scaleb(digits))
    if minor > LARGEST_PAYMENT:
        raise UnfitPayment("amount", _too_large(digits, currency))
    return Payment(minor, currency)


def _decimals(number: Decimal) -> int:
    """How many decimals are needed; zeros at the end are not."""
    _, written, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    significant = len(written)
    while significant > 1 and written[significant - 1] == 0:
        significant -= 1
    return -(exponent + len(written) - significant)


def _too_large(digits: int, currency: str) -> str:
    return _PAYMENT_MOST(most=LARGEST_PAYMENT // 10**digits, currency=currency)
