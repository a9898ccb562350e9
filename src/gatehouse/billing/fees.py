"""What each function costs: fee types, their default fees, and an account's own schedule.

A schedule can offer special fees for a function besides its own, by name: `RULES/entry`. A stage of
a pipeline can name one.
"""

import re
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


FEE_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,31}")
MOST_OWN: Final = 100
OF_LIST: Final = "list"
"""In the place of a fee: the account has none of its own any more."""


def is_fee_type(name: str) -> bool:
    """Whether a schedule can have a fee under this name."""
    fee_type, special, named = name.partition("/")
    return fee_type in DEFAULT_FEES and (not special or FEE_NAME.fullmatch(named) is not None)


def offered(fees: Mapping[str, int], fee_type: str) -> list[str]:
    """The names of the special fees for a function."""
    return [each.partition("/")[2] for each in fees if each.startswith(f"{fee_type}/")]


def parse_fee(fee_type: str, amount: str) -> tuple[str, int | None]:
    """Read a fee given by an operator; None is that of the list again."""
    if not is_fee_type(fee_type):
        raise InvalidInput(_NO_FEE(fee=fee_type, known=", ".join(DEFAULT_FEES)))
    if amount == OF_LIST:
        return fee_type, None
    try:
        micros = parse_amount(amount)
    except ValueError as error:
        raise InvalidInput(_FEE_WHY(fee=fee_type, why=said_by(error))) from None
    if micros < 0:
        raise InvalidInput(_FEE_NEGATIVE(fee=fee_type))
    return fee_type, micros
