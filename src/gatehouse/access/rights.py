"""Who has which right: keys by their scopes, people by their permissions."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from gatehouse.access.keys import MANAGE
from gatehouse.access.roles import Permission
from gatehouse.core.rights import Right

# The rights themselves, for who asks for one.
__all__ = ["HOLDERS", "Right", "RightHolders"]


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
        Right.REVIEWED: RightHolders(("reviews", MANAGE), Permission.REVEAL),
        Right.SEE_MONEY: RightHolders(("billing", "manage:billing"), Permission.SEE_MONEY),
        Right.MOVE_MONEY: RightHolders(("manage:payments",), Permission.PAYMENTS),
        Right.PRICES: RightHolders((), Permission.OPERATE),
    }
)
