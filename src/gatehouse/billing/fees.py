"""What each function costs: fee types, their default fees, and an account's own schedule."""

from collections.abc import Mapping
from typing import Final

from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import parse_amount

FEE_TYPES: Final = ("PRECHECK", "ID_VERIFY", "SENTRY", "RULES", "GATEWAY")

DEFAULT_FEES: Final[Mapping[str, int]] = {
    "PRECHECK": 50_000,
    "ID_VERIFY": 100_000,
    "SENTRY": 20_000,
    "RULES": 10_000,
    "GATEWAY": 30_000,
}


def fee_schedule(own: Mapping[str, int]) -> Mapping[str, int]:
    """The full schedule of an account: its own fees over the defaults."""
    return {**DEFAULT_FEES, **own} if own else DEFAULT_FEES


def parse_fee(fee_type: str, amount: str) -> tuple[str, int]:
    """Read a fee given by an operator."""
    if fee_type not in FEE_TYPES:
        raise InvalidInput(f"no fee type {fee_type}; there are {', '.join(FEE_TYPES)}")
    try:
        micros = parse_amount(amount)
    except ValueError as error:
        raise InvalidInput(f"{fee_type}: {error}") from None
    if micros < 0:
        raise InvalidInput(f"{fee_type}: a fee cannot be negative")
    return fee_type, micros
