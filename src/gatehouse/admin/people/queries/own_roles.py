"""The roles that an account made, kept with its signed policies: nobody else can write or keep one.

A role that is not there, or was changed in the database, allows nothing.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import PERMISSIONS, ComposedRole, Permission
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import ConfigurationRefused, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.configured.signing import Signer

NO_ROLE: Final = Phrase("refused.no_role", "no role {role}")
_POLICY: Final = "roles"


def listing(connection: sa.Connection, signer: Signer, account_id: str) -> list[ComposedRole]:
    """The roles of an account, oldest first."""
    account, _ = accounts.get_genuine(connection, signer, account_id)
    found = msgspec.convert(account.policies.get(_POLICY, []), list[ComposedRole])
    return sorted(found, key=lambda each: each.role_id)


def get(connection: sa.Connection, signer: Signer, account_id: str, role_id: str) -> ComposedRole:
    """One role of an account, or `NotFound`."""
    for each in listing(connection, signer, account_id):
        if each.role_id == role_id:
            return each
    raise NotFound(NO_ROLE(role=recordable(role_id[:60])))


def permissions_of(
    connection: sa.Connection, signer: Signer, account_id: str, role: str
) -> frozenset[Permission]:
    """What a role of an account allows, whether it made the role or not; or `NotFound`."""
    if role in PERMISSIONS:
        return PERMISSIONS[role]
    return get(connection, signer, account_id, role).permissions


def held(session: AdminSession, roles: Mapping[str, str]) -> dict[str, ComposedRole]:
    """Those of somebody's roles that accounts made, by account, as they are at this moment."""
    found = {}
    for account_id in (each for each, role in roles.items() if role not in PERMISSIONS):
        try:
            with session.reading() as connection:
                found[account_id] = get(connection, session.signer, account_id, roles[account_id])
        except (NotFound, ConfigurationRefused):
            continue
    return found


def keep(change: Change, account_id: str, roles: Iterable[ComposedRole]) -> None:
    """Keep the roles of an account; who changes them writes the audit line."""
    rows: list[dict[str, Any]] = [
        {**msgspec.to_builtins(each), "permissions": sorted(each.permissions)} for each in roles
    ]
    accounts.keep_policy(change, account_id, _POLICY, rows or None)
