"""What each function costs: fee types, their default fees, and an account's own schedule."""

from collections.abc import Mapping
from typing import Final

from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import parse_amount
from gatehouse.core.stage_registry import REGISTRY

DEFAULT_FEES: Final[Mapping[str, int]] = REGISTRY.default_fees
"""In micros, by fee type; each stage that is registered has one."""


def fee_schedule(own: Mapping[str, int]) -> Mapping[str, int]:
    """The full schedule of an account: its own fees over the defaults."""
    return {**DEFAULT_FEES, **own} if own else DEFAULT_FEES


def parse_fee(fee_type: str, amount: str) -> tuple[str, int]:
    """Read a fee given by an operator."""
    if fee_type not in DEFAULT_FEES:
        raise InvalidInput(f"no fee type {fee_type}; there are {', '.join(DEFAULT_FEES)}")
    try:
        micros = parse_amount(amount)
    except ValueError as error:
        raise InvalidInput(f"{fee_type}: {error}") from None
    if micros < 0:
        raise InvalidInput(f"{fee_type}: a fee cannot be negative")
    return fee_type, micros
