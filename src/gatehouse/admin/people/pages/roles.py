"""The roles of an account: those that every account has, and those that are made of permissions."""

from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import COMPOSABLE, SENSITIVE, Permission
from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.approvals.use_cases.proposed import ComposeRole
from gatehouse.admin.people.types import LONGEST_NAME, RoleContent, RoleShown
from gatehouse.admin.people.use_cases import roles
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ApprovalNeeded
from gatehouse.store.admin.use_case import Precondition


def show_roles(visit: Visit) -> Response:
    """All roles of the account, and what each allows."""
    found = roles.list_roles(*visit.opened).roles
    return visit.render("people/roles.html", roles=found, permissions=COMPOSABLE)


def show_new(visit: Visit) -> Response:
    """The form for a role."""
    return _form(visit, None)


def show_role(visit: Visit) -> Response:
    """The form for a role that is there."""
    tagged = roles.get_role(*visit.opened, visit.place("role"))
    return _form(visit, tagged.answer)


def make(visit: Visit) -> Response:
    """Make a role."""
    given = _given(visit)
    try:
        roles.make_role(*visit.opened, given)
    except ApprovalNeeded:
        return propose(visit, ComposeRole(given.name, tuple(given.permissions)))
    return visit.redirect("roles", notice="roles.made")


def change(visit: Visit) -> Response:
    """Change a role, if it still is what the person saw."""
    given, role_id, seen = _given(visit), visit.place("role"), _seen(visit)
    try:
        roles.change_role(*visit.opened, role_id, given, seen)
    except ApprovalNeeded:
        shown = tuple(given.permissions)
        return propose(visit, ComposeRole(given.name, shown, role_id, seen.version))
    return visit.redirect("roles", notice="roles.changed")


def delete(visit: Visit) -> Response:
    """Delete a role that nobody has."""
    roles.delete_role(*visit.opened, visit.place("role"), _seen(visit))
    return visit.redirect("roles", notice="roles.deleted")


def _form(visit: Visit, role: RoleShown | None) -> Response:
    gives = visit.session.actor.gives
    sent = visit.asked.method == "POST" and "name" in visit.form
    chosen = visit.chosen("permissions") if sent else () if role is None else role.permissions
    return visit.render(
        "people/role.html",
        role=role,
        chosen={*chosen, Permission.SEE},
        permissions=COMPOSABLE,
        sensitive=SENSITIVE,
        gives=frozenset(COMPOSABLE) if gives is None else gives,
        longest_name=LONGEST_NAME,
    )


def _given(visit: Visit) -> RoleContent:
    known = [each for each in COMPOSABLE if each in visit.chosen("permissions")]
    return visit.given(RoleContent, permissions=known)


def _seen(visit: Visit) -> Precondition:
    version = visit.form["version"]
    # Without the version that was shown, nothing is known of what the person saw.
    return Precondition(int(version) if version.isascii() and version.isdigit() else 0)


_ALL: Final = "/a/{account}/roles"
_ONE: Final = f"{_ALL}/{{role}}"

PAGES: Final[Declarations] = (
    Page(_ALL, "roles", show_roles, does=roles.list_roles),
    Page(f"{_ALL}/new", "roles-new", show_new, does=roles.make_role),
    Action(f"{_ALL}/new", "role-make", make, show_new, does=roles.make_role),
    Page(_ONE, "role", show_role, does=roles.get_role),
    Action(_ONE, "role-change", change, show_role, does=roles.change_role),
    Action(f"{_ONE}/delete", "role-delete", delete, show_role, does=roles.delete_role),
)
