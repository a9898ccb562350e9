"""Rights: what guards one kind of data, or one power, whichever face leads there.

A use case asks its actor for a right where the data is reached. Scopes of keys and permissions of
people decide at the door whether a call comes in; several doors can lead to the same data.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from gatehouse.access.keys import MANAGE
from gatehouse.access.roles import Permission


class Right(StrEnum):
    """What an actor may reach or do."""

    DECISIONS = "decisions"
    """Select by, count over or show what was requested and decided."""
    PERSONAL = "personal"
    """Have the personal values of decisions in full."""
    SEE_MONEY = "see_money"
    """Look at the balance, usage, statements and prices."""
    MOVE_MONEY = "move_money"
    """Cause a charge, capture or refund, or take away the means of one."""
    PRICES = "prices"
    """Say what something costs; the operator's alone."""


class RightHolders(NamedTuple):
    """Who has a right."""

    scopes: tuple[str, ...]
    """Keys with one of these."""
    permission: Permission
    """People with this."""


HOLDERS: Final[Mapping[Right, RightHolders]] = MappingProxyType(
    {
        Right.DECISIONS: RightHolders(("decisions", MANAGE), Permission.SEE),
        Right.PERSONAL: RightHolders(("decisions", MANAGE), Permission.REVEAL),
        Right.SEE_MONEY: RightHolders(("billing", "manage:billing"), Permission.SEE_MONEY),
        Right.MOVE_MONEY: RightHolders(("manage:payments",), Permission.PAYMENTS),
        Right.PRICES: RightHolders((), Permission.OPERATE),
    }
)
