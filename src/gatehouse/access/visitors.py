"""A person who is signed in to the console, and what this person may do where."""

from collections.abc import Mapping

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.access.roles import PERMISSIONS, ComposedRole, Permission, UserRole


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """Who is signed in, as one session of one browser knows it."""

    user_id: str
    login: str
    """What the person signs in with; the audit log names the person by it."""
    name: str
    session_id: str
    csrf_token: str
    """Every form sends it back; it belongs to this session alone."""
    roles: Mapping[str, str]
    """By account; an operator need not be listed anywhere."""
    composed: Mapping[str, ComposedRole] = {}
    """Those of the roles that accounts made, by account."""
    is_operator: bool = False
    is_billing: bool = False
    locale: str = "en"
    time_zone: str = "UTC"
    needs_new_token: bool = False
    """The person's rights changed since the browser got its token; it must be given another."""

    def role_in(self, account_id: str) -> str | None:
        """What the person is in an account; None for a stranger."""
        everywhere = UserRole.BILLING if self.is_billing else None
        return UserRole.OPERATOR if self.is_operator else self.roles.get(account_id, everywhere)

    def permissions_in(self, account_id: str) -> frozenset[Permission]:
        """All that the person may do in an account."""
        role = self.role_in(account_id)
        made = self.composed.get(account_id)
        if made is not None and made.role_id == role:
            found = made.permissions
        else:
            found = PERMISSIONS.get(role or "", frozenset())
        return found | PERMISSIONS[UserRole.BILLING] if self.is_billing else found

    def may(self, permission: Permission, account_id: str) -> bool:
        """Whether the person may do this in an account."""
        return permission in self.permissions_in(account_id)

    def actor(self, account_id: str | None) -> Actor:
        """The person as use cases know it; None speaks for the whole installation."""
        return Actor.user(self.login, account_id, may=self.permissions_in(account_id or ""))
