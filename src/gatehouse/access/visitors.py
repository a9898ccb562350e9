"""A person who is signed in to the console, and what this person may do where."""

from collections.abc import Mapping

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.access.roles import PERMISSIONS, Permission, UserRole


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """Who is signed in, as one session of one browser knows it."""

    user_id: str
    login: str
    """What the person signs in with; the audit log names the person by it."""
    name: str
    session_id: str
    csrf_token: str
    """Every form sends it back; it belongs to this session alone."""
    roles: Mapping[str, UserRole]
    """By account; an operator need not be listed anywhere."""
    is_operator: bool = False
    locale: str = "en"
    time_zone: str = "UTC"
    needs_new_token: bool = False
    """The person's rights changed since the browser got its token; it must be given another."""

    def role_in(self, account_id: str) -> UserRole | None:
        """What the person is in an account; None for a stranger."""
        return UserRole.OPERATOR if self.is_operator else self.roles.get(account_id)

    def may(self, permission: Permission, account_id: str) -> bool:
        """Whether the person may do this in an account."""
        role = self.role_in(account_id)
        return role is not None and permission in PERMISSIONS[role]

    def actor(self, account_id: str | None) -> Actor:
        """The person as use cases know it; None speaks for the whole installation."""
        reveals = self.may(Permission.REVEAL, account_id or "")
        return Actor.user(self.login, account_id, reveals=reveals)
