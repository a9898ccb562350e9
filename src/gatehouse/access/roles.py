"""What people may do in an account: each role is a set of permissions."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec


class Permission(StrEnum):
    """One kind of thing that a person may do."""

    SEE = "see"
    """Look at decisions, entities, reviews, rules and figures; personal data is masked."""
    REVEAL = "reveal"
    """See personal data in full; each look leaves an audit line."""
    REVIEW = "review"
    """Work through the reviews, and say afterwards what an order was."""
    BLOCK = "block"
    """Put what an order or an alert shows on a list that blocks, for a time."""
    PROPOSE = "propose"
    """Propose changes of rules and of lists, which another person approves."""
    CONFIGURE = "configure"
    """Change rules, lists, pipelines and models."""
    PAYMENTS = "payments"
    """Capture, void and refund payments, and settle what is in doubt."""
    SEE_MONEY = "see_money"
    """Look at the balance, usage, statements and prices."""
    ACCESS = "access"
    """Make and revoke keys, and change webhooks and settings of the account."""
    PEOPLE = "people"
    """Invite people, give them roles, and end their sessions."""
    SEE_AUDIT = "see_audit"
    """Read the audit log of the account."""
    APPROVE = "approve"
    """Approve what another person proposed."""
    BOOK = "book"
    """In every account: close months, credit invoices and correct balances."""
    OPERATE = "operate"
    """Everything that concerns all accounts: accounts, prices, top-ups, connectors, operators."""


class UserRole(StrEnum):
    """What a person is in an account, or, with the last two, in all of them."""

    VIEWER = "viewer"
    ANALYST = "analyst"
    MANAGER = "manager"
    FINANCE = "finance"
    ADMINISTRATOR = "administrator"
    BILLING = "billing"
    OPERATOR = "operator"


_VIEWER: Final = frozenset({Permission.SEE})
_ANALYST: Final = _VIEWER | {
    *(Permission.REVEAL, Permission.REVIEW, Permission.BLOCK, Permission.PROPOSE),
}
_MANAGER: Final = _ANALYST | {
    *(Permission.CONFIGURE, Permission.PAYMENTS, Permission.APPROVE, Permission.SEE_AUDIT),
}
_FINANCE: Final = _VIEWER | {
    *(Permission.PAYMENTS, Permission.SEE_MONEY, Permission.APPROVE, Permission.SEE_AUDIT),
}
_ADMINISTRATOR: Final = _MANAGER | _FINANCE | {Permission.ACCESS, Permission.PEOPLE}

_OPERATOR: Final = _ADMINISTRATOR | {Permission.BOOK, Permission.OPERATE}

PERMISSIONS: Final[Mapping[str, frozenset[Permission]]] = MappingProxyType(
    {
        UserRole.VIEWER: _VIEWER,
        UserRole.ANALYST: _ANALYST,
        UserRole.MANAGER: _MANAGER,
        UserRole.FINANCE: _FINANCE,
        UserRole.ADMINISTRATOR: _ADMINISTRATOR,
        UserRole.BILLING: frozenset({Permission.SEE_MONEY, Permission.BOOK}),
        UserRole.OPERATOR: _OPERATOR,
    }
)
EVERYWHERE: Final = (UserRole.BILLING, UserRole.OPERATOR)
OF_ACCOUNTS: Final = tuple(each for each in UserRole if each not in EVERYWHERE)

COMPOSABLE: Final = tuple(each for each in Permission if each in _ADMINISTRATOR)
"""What an account can make a role of."""
SENSITIVE: Final = frozenset(
    {
        *(Permission.REVEAL, Permission.PAYMENTS, Permission.SEE_MONEY),
        *(Permission.ACCESS, Permission.PEOPLE),
    }
)
"""Personal data, money and people; and keys, which can be made for everything."""
GIVEN_BY_KEYS: Final = frozenset(COMPOSABLE) - SENSITIVE - {Permission.APPROVE}
"""What a key may put into a role: it is no person, and has none of the rest itself."""


class ComposedRole(msgspec.Struct, frozen=True, kw_only=True):
    """A role that an account made of permissions."""

    role_id: str
    name: str
    permissions: frozenset[Permission]
    version: int
    """Grows with each change."""


def with_implied(permissions: frozenset[Permission]) -> frozenset[Permission]:
    """Permissions with those that they cannot go without: all pages need that somebody may look."""
    implied = {Permission.SEE}
    if Permission.CONFIGURE in permissions:
        implied.add(Permission.PROPOSE)
    return permissions | implied
