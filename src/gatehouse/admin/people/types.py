"""What a role is, as every face shows it: permissions under a name."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.access.roles import COMPOSABLE, Permission

LONGEST_NAME: Final = 60
MOST_ROLES: Final = 50

RoleId = Annotated[str, Meta(description="Id of the role (role_...), or a built-in role.")]
RoleName = Annotated[
    str,
    Meta(
        min_length=1, max_length=LONGEST_NAME, description="For people.", examples=["Night shift"]
    ),
]
RolePermissions = Annotated[
    list[Permission],
    Meta(
        max_length=len(COMPOSABLE),
        description="What people with this role may do; `see` is part of every role.",
        examples=[["see", "review"]],
    ),
]


class RoleContent(msgspec.Struct, frozen=True, rename="camel"):
    """A role to make, or what it is to be from now on."""

    name: RoleName
    permissions: RolePermissions


class RoleShown(msgspec.Struct, frozen=True, rename="camel"):
    """A role of an account."""

    role_id: Annotated[
        str, Meta(description="Its id.", examples=["role_01kabcdefghjkmnpqrstvwxyz0"])
    ]
    name: RoleName
    permissions: RolePermissions
    built_in: Annotated[bool, Meta(description="Whether every account has it.", examples=[False])]
    people: Annotated[int, Meta(description="How many people have it.", examples=[2])]
    version: Annotated[int, Meta(description="Grows with each change.", examples=[1])]


class RoleList(msgspec.Struct, frozen=True, rename="camel"):
    """The roles of an account."""

    roles: Annotated[list[RoleShown], Meta(description="Those that every account has first.")]


class RoleDeleted(msgspec.Struct, frozen=True, rename="camel"):
    """A role that is gone."""

    role_id: Annotated[
        str, Meta(description="Its id.", examples=["role_01kabcdefghjkmnpqrstvwxyz0"])
    ]
