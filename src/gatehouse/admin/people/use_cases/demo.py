"""The demo administrator of a sandbox, and the link that signs in as this person once."""

from typing import Final

import msgspec

from gatehouse.access.people import User
from gatehouse.access.roles import UserRole
from gatehouse.admin.people.queries import users
from gatehouse.admin.sign_in.use_cases import links
from gatehouse.admin.sign_in.use_cases.links import LinkKind, NewLink
from gatehouse.core.errors import Conflict
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession

DEMO_LOGIN: Final = "demo@gatehouse.example"


def demo_link(session: AdminSession, account_id: str) -> NewLink:
    """A new link for the demo administrator, who is made first if missing; never in production.

    The person operates the whole sandbox, so that everything can be seen.
    """
    if session.environment == "production":
        raise Conflict("there is no demo in production; see: gatehouse users invite --help")
    with session.installation_change() as change:
        accounts.get(change.connection, account_id)
        user = users.find(change.connection, change.ring, DEMO_LOGIN)
        if user is None:
            new = User(
                user_id=change.new_id("usr"),
                login=DEMO_LOGIN,
                name="Demo administrator",
                created_at_ms=change.now_ms,
                roles={account_id: UserRole.ADMINISTRATOR},
                is_operator=True,
            )
            user = users.add(change, new)
        elif user.disabled_at_ms is not None:
            user = users.save(change, msgspec.structs.replace(user, disabled_at_ms=None))
        change.audit("user.demo-link", account_id, userId=user.user_id)
        return links.make(change, user, LinkKind.DEMO)
