"""What a role is, as every face shows it: permissions under a name."""

from typing import Annotated, Final

from gatehouse.access.roles import COMPOSABLE, Permission
from gatehouse.core.api_values import CamelStruct, doc

LONGEST_NAME: Final = 60
MOST_ROLES: Final = 50

RoleId = Annotated[str, doc("Id of the role (role_...), or a built-in role.")]
RoleName = Annotated[str, doc("For people.", "Night shift", min_length=1, max_length=LONGEST_NAME)]
RolePermissions = Annotated[
    list[Permission],
    doc(
        "What people with this role may do; `see` is part of every role.",
        ["see", "review"],
        max_length=len(COMPOSABLE),
    ),
]


class RoleContent(CamelStruct):
    """A role to make, or what it is to be from now on."""

    name: RoleName
    permissions: RolePermissions


class RoleShown(CamelStruct):
    """A role of an account."""

    role_id: Annotated[str, doc("Its id.", "role_01kabcdefghjkmnpqrstvwxyz0")]
    name: RoleName
    permissions: RolePermissions
    built_in: Annotated[bool, doc("Whether every account has it.", False)]
    people: Annotated[int, doc("How many people have it.", 2)]
    version: Annotated[int, doc("Grows with each change.", 1)]


class RoleList(CamelStruct):
    """The roles of an account."""

    roles: Annotated[list[RoleShown], doc("Those that every account has first.")]


class RoleDeleted(CamelStruct):
    """A role that is gone."""

    role_id: Annotated[str, doc("Its id.", "role_01kabcdefghjkmnpqrstvwxyz0")]
