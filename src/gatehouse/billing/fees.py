"""What each function costs: fee types, their default fees, and an account's own schedule."""

from collections.abc import Mapping
from typing import Final

from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import parse_amount
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import Phrase, said_by

_NO_FEE: Final = Phrase("refused.no_fee", "no fee type {fee}; there are {known}")
_FEE_WHY: Final = Phrase("refused.fee_why", "{fee}: {why}")
_FEE_NEGATIVE: Final = Phrase("refused.fee_negative", "{fee}: a fee cannot be negative")

DEFAULT_FEES: Final[Mapping[str, int]] = REGISTRY.default_fees
"""In micros, by fee type; each stage that is registered has one. A price list comes before them."""
MINOR_UNITS_OF_DEFAULTS: Final = 100
"""Of the currencies that defaults are meant for; one that has no decimals pays so many units."""


def parse_fee(fee_type: str, amount: str) -> tuple[str, int]:
    """Read a fee given by an operator."""
    if fee_type not in DEFAULT_FEES:
        raise InvalidInput(_NO_FEE(fee=fee_type, known=", ".join(DEFAULT_FEES)))
    try:
        micros = parse_amount(amount)
    except ValueError as error:
        raise InvalidInput(_FEE_WHY(fee=fee_type, why=said_by(error))) from None
    if micros < 0:
        raise InvalidInput(_FEE_NEGATIVE(fee=fee_type))
    return fee_type, micros
