"""Who may act on whom, and that an account keeps somebody who may do everything in it."""

from typing import Final

from gatehouse.access.people import User, UserStatus
from gatehouse.access.roles import PERMISSIONS, Permission, UserRole
from gatehouse.admin.people.queries import own_roles, users
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import Change

_LAST: Final = Phrase(
    "refused.last_administrator",
    "nobody would be left who may do everything in this account; let somebody else do so first",
)

ALL_OF_IT: Final = PERMISSIONS[UserRole.ADMINISTRATOR]
"""What an account needs somebody for."""


def permissions_of_person(change: Change, account_id: str, user: User) -> frozenset[Permission]:
    """What a person may do in an account; nothing without a role that is there."""
    try:
        return own_roles.permissions_of(
            change.connection, change.signer, account_id, user.roles.get(account_id, "")
        )
    except NotFound:
        return frozenset()


def check_reaches(change: Change, account_id: str | None, user: User) -> frozenset[Permission]:
    """Refuse to act on a person who may do more than the actor; what the person may do."""
    if account_id is None:
        return frozenset()
    found = permissions_of_person(change, account_id, user)
    change.actor.check_gives(found)
    return found


def check_administered(change: Change, account_id: str) -> None:
    """Refuse a change that leaves nobody who may do everything, unless operators make it."""
    if change.actor.operates:
        return
    for each in users.of_account(change.connection, change.ring, account_id):
        if each.status is not UserStatus.ACTIVE:
            continue
        if permissions_of_person(change, account_id, each) >= ALL_OF_IT:
            return
    raise Conflict(_LAST())
