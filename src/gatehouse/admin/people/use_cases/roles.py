"""The roles of an account: those that every account has, and those that it made of permissions.

Nobody gives, changes or takes a permission that it does not have itself.
"""

from collections import Counter
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import (
    COMPOSABLE,
    OF_ACCOUNTS,
    PERMISSIONS,
    ComposedRole,
    Permission,
    UserRole,
    with_implied,
)
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.people.queries import own_roles, users
from gatehouse.admin.people.types import (
    LONGEST_NAME,
    MOST_ROLES,
    RoleContent,
    RoleDeleted,
    RoleId,
    RoleList,
    RoleShown,
)
from gatehouse.admin.people.use_cases.administered import ALL_OF_IT, check_administered
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.wording.sentences import Phrase
from gatehouse.core.wording.text import is_blank
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import ANY_VERSION, Precondition, Tagged, use_case

_BUILT_IN: Final = Phrase("refused.role_built_in", "{role} is a role of every account")
_ROLES_FULL: Final = Phrase(
    "refused.roles_full", "there are {most} roles already; delete some first"
)
_NAME: Final = Phrase(
    "refused.role_name", "a role has a name of 1 to {most} characters that can be printed"
)
_NAME_TAKEN: Final = Phrase("refused.role_name_taken", "there is a role called {name} already")
_EVERYWHERE: Final = Phrase(
    "refused.role_everywhere",
    "book and operate concern all accounts; no role of an account has them",
)
_HELD: Final = Phrase(
    "refused.role_held", "{people} people have this role; give them another one first"
)
_CHANGED: Final = Phrase(
    "refused.role_changed", "the role was changed meanwhile: it is version {version} now"
)
_SAME: Final = Phrase("refused.role_same", "nothing would change")

_MAY: Final[dict[str, Any]] = {"scope": "manage:people", "permission": Permission.PEOPLE}


@use_case("GET /roles", answers="rolesResponse", **_MAY)
def list_roles(reading: Reading, account_id: str) -> RoleList:
    """List roles.

    The roles that every account has, and those that this one made of permissions.
    """
    return RoleList(list(_listed(reading, account_id).values()))


@use_case("GET /roles/{roleId}", answers="roleResponse", **_MAY)
def get_role(reading: Reading, account_id: str, role_id: RoleId) -> Tagged[RoleShown]:
    """Show a role.

    What people with a role may do. Its `ETag` is for `If-Match` of a change.
    """
    found = _listed(reading, account_id).get(role_id)
    if found is None:
        raise NotFound(own_roles.NO_ROLE(role=recordable(role_id[:LONGEST_NAME])))
    return Tagged(found, found.version)


@use_case("POST /roles", answers="roleResponse", **_MAY)
def make_role(change: Change, account_id: str, given: RoleContent) -> Tagged[RoleShown]:
    """Make a role of permissions.

    Nobody gives a permission without having it; a key gives none for personal data, money, people,
    keys and approvals.
    """
    known = own_roles.listing(change.connection, change.signer, account_id)
    if len(known) >= MOST_ROLES:
        raise Conflict(_ROLES_FULL(most=MOST_ROLES))
    role_id = change.new_id("role")
    made = _checked(
        change, account_id, known, ComposedRole(role_id=role_id, version=1, **_read(given))
    )
    own_roles.keep(change, account_id, [*known, made])
    _audit(change, account_id, "role.make", made)
    return Tagged(_shown(made), made.version)


@use_case("PUT /roles/{roleId}", answers="roleResponse", **_MAY)
def change_role(
    change: Change,
    account_id: str,
    role_id: RoleId,
    given: RoleContent,
    seen: Precondition = ANY_VERSION,
) -> Tagged[RoleShown]:
    """Change a role.

    It counts at once for everybody who has it. Only who may do all that it allows, before and
    after, changes a role.
    """
    known, before = _seen(change, account_id, role_id, seen)
    read = _read(given)
    made = msgspec.structs.replace(before, **read, version=before.version + 1)
    if (made.name, made.permissions) == (before.name, before.permissions):
        raise Conflict(_SAME())
    others = [each for each in known if each.role_id != role_id]
    made = _checked(change, account_id, others, made)
    own_roles.keep(change, account_id, [*others, made])
    if before.permissions >= ALL_OF_IT:
        check_administered(change, account_id)
    _audit(change, account_id, "role.change", made)
    held = _held(change.connection, change.ring, account_id)
    return Tagged(_shown(made, held[role_id]), made.version)


@use_case("DELETE /roles/{roleId}", answers="roleDeletedResponse", **_MAY)
def delete_role(
    change: Change, account_id: str, role_id: RoleId, seen: Precondition = ANY_VERSION
) -> RoleDeleted:
    """Delete a role that nobody has."""
    known, before = _seen(change, account_id, role_id, seen)
    people = _held(change.connection, change.ring, account_id)[role_id]
    if people:
        raise Conflict(_HELD(people=people))
    own_roles.keep(change, account_id, [each for each in known if each.role_id != role_id])
    change.audit("role.delete", account_id, roleId=role_id, name=before.name)
    return RoleDeleted(role_id)


def planned(session: AdminSession, account_id: str, given: RoleContent) -> RoleContent:
    """A role as it would be kept, so that it can be proposed."""
    session.actor.check_account(account_id)
    read = _read(given)
    session.actor.check_gives(read["permissions"])
    return RoleContent(read["name"], _sorted(read["permissions"]))


def names(session: AdminSession, account_id: str) -> dict[str, str]:
    """What the roles that an account made are called, by id."""
    with session.account_reading(account_id) as connection:
        made = own_roles.listing(connection, session.signer, account_id)
    return {each.role_id: each.name for each in made}


def who_may(session: AdminSession, account_id: str, permission: Permission) -> list[str]:
    """What those people of an account sign in with who may do something and are not disabled."""
    with session.account_reading(account_id) as connection:
        made = own_roles.listing(connection, session.signer, account_id)
        found = users.of_account(connection, session.ring, account_id)
    allowed = {**PERMISSIONS, **{each.role_id: each.permissions for each in made}}
    return [
        each.login
        for each in found
        if each.disabled_at_ms is None
        and permission in allowed.get(each.roles[account_id], frozenset())
    ]


def _listed(reading: Reading, account_id: str) -> dict[str, RoleShown]:
    session, held = reading.session, _held(reading.connection, reading.session.ring, account_id)
    built_in = [
        RoleShown(each, each, _sorted(PERMISSIONS[each]), True, held[each], 0)
        for each in OF_ACCOUNTS
    ]
    made = own_roles.listing(reading.connection, session.signer, account_id)
    found = [*built_in, *(_shown(each, held[each.role_id]) for each in made)]
    return {each.role_id: each for each in found}


def _read(given: RoleContent) -> dict[str, Any]:
    """The name and the permissions as they are kept."""
    name = recordable(" ".join(given.name.split()))
    if is_blank(name) or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidInput(_NAME(most=LONGEST_NAME))
    if not set(given.permissions) <= set(COMPOSABLE):
        raise InvalidInput(_EVERYWHERE())
    return {"name": name, "permissions": with_implied(frozenset(given.permissions))}


def _seen(
    change: Change, account_id: str, role_id: str, seen: Precondition
) -> tuple[list[ComposedRole], ComposedRole]:
    """The roles of an account, and the one that is to be changed, by somebody who may."""
    if role_id in PERMISSIONS:
        raise Conflict(_BUILT_IN(role=role_id))
    found = own_roles.get(change.connection, change.signer, account_id, role_id)
    if seen.expected not in (None, found.version):
        raise Conflict(_CHANGED(version=found.version))
    change.actor.check_gives(found.permissions)
    return own_roles.listing(change.connection, change.signer, account_id), found


def _checked(
    change: Change, account_id: str, others: list[ComposedRole], made: ComposedRole
) -> ComposedRole:
    """A role that may be kept beside the others."""
    taken = {each.name.casefold() for each in others} | set(UserRole)
    if made.name.casefold() in taken:
        raise Conflict(_NAME_TAKEN(name=made.name))
    change.actor.check_gives(made.permissions)
    if Permission.APPROVE in made.permissions:
        check_approved(change, account_id, ApprovalKind.PEOPLE)
    return made


def _held(connection: sa.Connection, ring: KeyRing, account_id: str) -> Counter[str]:
    return Counter(
        each.roles[account_id]
        for each in users.of_account(connection, ring, account_id)
        if account_id in each.roles
    )


def _audit(change: Change, account_id: str, action: str, role: ComposedRole) -> None:
    said = {"name": role.name, "permissions": _sorted(role.permissions), "version": role.version}
    change.audit(action, account_id, roleId=role.role_id, **said)


def _shown(role: ComposedRole, people: int = 0) -> RoleShown:
    shown = _sorted(role.permissions)
    return RoleShown(role.role_id, role.name, shown, False, people, role.version)


def _sorted(permissions: frozenset[Permission]) -> list[Permission]:
    return [each for each in Permission if each in permissions]
