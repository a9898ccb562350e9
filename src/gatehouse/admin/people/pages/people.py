"""People of an account and of the installation: inviting them, roles, links, sessions.

Both faces share their pages; those of the installation reach everybody, and operators too.
"""

from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import EVERYWHERE, OF_ACCOUNTS, Permission, UserRole
from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.approvals.use_cases.proposed import (
    ChangeRole,
    EnablePerson,
    InvitePerson,
    ResetPerson,
)
from gatehouse.admin.people.use_cases import roles, users
from gatehouse.admin.people.use_cases.users import Invited
from gatehouse.admin.sign_in.pages.link_page import show_link
from gatehouse.admin.sign_in.use_cases.logins import normal_login
from gatehouse.console.pages import Action, Declarations, Endpoint, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.console.words.formats import browser_name
from gatehouse.core.errors import ApprovalNeeded, Conflict

_OPERATOR: Final = UserRole.OPERATOR
_BILLING: Final = UserRole.BILLING


def show_people(visit: Visit) -> Response:
    """Everybody with a role here, and the form to invite somebody."""
    return visit.render(
        "people/people.html",
        people=users.listing(visit.session, _account(visit)),
        roles=_roles(visit),
        built_in=OF_ACCOUNTS,
        everywhere=_everywhere(visit),
        names=_Names(visit),
    )


def invite(visit: Visit) -> Response:
    """Invite somebody, and show the link once."""
    login, name, account_id = (
        visit.form["login"],
        visit.form["name"],
        _account(visit),
    )
    if account_id is None:
        wanted = visit.form.get("role", _OPERATOR)
        invite_to = users.invite_billing if wanted == _BILLING else users.invite_operator
        return _given(visit, invite_to(visit.session, login, name), "people.added")
    role = _role(visit)
    try:
        invited = users.invite(visit.session, account_id, login, role, name)
    except ApprovalNeeded:
        return propose(visit, InvitePerson(login, role, name))
    return _given(visit, invited, "people.added")


def show_person(visit: Visit) -> Response:
    """One person: role, ways to sign in, sessions, and what can be done."""
    account_id = _account(visit)
    person = users.get(visit.session, account_id, visit.place("user"))
    try:
        opened, alone = users.sessions_of(visit.session, account_id, person.user_id), True
    except Conflict:
        # Only operators see where somebody is signed in who works elsewhere too.
        opened, alone = [], False
    return visit.render(
        "people/person.html",
        person=person,
        alone=alone,
        roles=_roles(visit),
        everywhere=_everywhere(visit),
        names=_Names(visit),
        sessions=[(each, browser_name(each.origin.agent)) for each in reversed(opened)],
    )


def change_role(visit: Visit) -> Response:
    """Give a person another role here, or none any more."""
    _refuse_self(visit)
    who, account_id = visit.place("user"), _account(visit)
    names = _Names(visit)
    if account_id is None:
        return _given(visit, _set_everywhere(visit, who), "people.role_changed")
    if visit.form.get("role") == "":
        users.set_role(visit.session, account_id, who, None)
        return visit.redirect(names.people, notice="people.role_removed")
    role = _role(visit)
    try:
        changed = users.set_role(visit.session, account_id, who, role)
    except ApprovalNeeded:
        return propose(visit, ChangeRole(who, "", role))
    return _given(visit, changed, "people.role_changed")


def _set_everywhere(visit: Visit, who: str) -> users.Invited:
    """Give a person one of the roles over all accounts, or none; the other one is taken away."""
    wanted = visit.form["role"]
    before = users.get(visit.session, None, who)
    if wanted == _BILLING or (wanted != _OPERATOR and before.is_billing):
        changed = users.set_billing(visit.session, who, billing=wanted == _BILLING)
        if before.is_operator:
            users.set_operator(visit.session, who, operator=False)
        return changed
    changed = users.set_operator(visit.session, who, operator=wanted == _OPERATOR)
    if before.is_billing:
        users.set_billing(visit.session, who, billing=False)
    return changed


def reset(visit: Visit) -> Response:
    """Make a link by which the person chooses a new password, and show it once."""
    account_id = _account(visit)
    person = users.get(visit.session, account_id, visit.place("user"))
    forget = visit.form.get("forget") == "yes"
    try:
        link = users.reset(visit.session, account_id, person.user_id, forget_factors=forget)
    except ApprovalNeeded:
        if account_id is None:
            raise
        return propose(visit, ResetPerson(person.user_id, person.login, forget))
    return show_link(visit, person.login, link)


def disable(visit: Visit) -> Response:
    """Let a person sign in no more."""
    _refuse_self(visit)
    users.disable(visit.session, _account(visit), visit.place("user"))
    return _back(visit, "people.disabled_now")


def enable(visit: Visit) -> Response:
    """Let a person sign in again."""
    account_id, who = _account(visit), visit.place("user")
    try:
        users.enable(visit.session, account_id, who)
    except ApprovalNeeded:
        if account_id is None:
            raise
        return propose(visit, EnablePerson(who, ""))
    return _back(visit, "people.enabled_now")


def end_sessions(visit: Visit) -> Response:
    """End all sessions of a person."""
    ended = users.end_sessions(visit.session, _account(visit), visit.place("user"))
    return _back(visit, Notice("people.sessions_ended", {"count": ended}))


def delete(visit: Visit) -> Response:
    """Delete a person."""
    _refuse_self(visit)
    users.delete(visit.session, _account(visit), visit.place("user"))
    return visit.redirect(_Names(visit).people, notice="people.deleted")


class _Names:
    """The names of the pages and actions of an account, or of the installation."""

    def __init__(self, visit: Visit) -> None:
        self._start = "" if visit.account else "installation-"
        self.people = self.action("people")
        self.person = self.action("person")

    def action(self, name: str) -> str:
        """The full name of a page or an action."""
        return f"{self._start}{name}"


def _account(visit: Visit) -> str | None:
    return None if visit.account is None else visit.account_id


def _refuse_self(visit: Visit) -> None:
    """Nobody locks itself out; somebody else has to do it."""
    named, visitor = visit.place("user"), visit.visitor
    # The use cases find a person by either, however the address is written.
    if named == visitor.user_id or normal_login(named) == visitor.login:
        raise visit.refuse("", "people.not_yourself")


def _role(visit: Visit) -> str:
    role = visit.form["role"]
    if role not in dict(_roles(visit)):
        raise visit.refuse("role", "people.choose_role")
    return role


def _roles(visit: Visit) -> list[tuple[str, str]]:
    """The roles that can be given here, and what they are called."""
    built_in = [(role.value, visit.text(f"common.roles.{role.value}")) for role in OF_ACCOUNTS]
    if visit.account is None:
        return built_in
    return [*built_in, *roles.names(*visit.opened).items()]


def _everywhere(visit: Visit) -> list[tuple[str, str]]:
    """The roles over all accounts, and what they are called."""
    return [(each.value, visit.text(f"common.roles.{each.value}")) for each in EVERYWHERE]


def _given(visit: Visit, changed: Invited, notice: str) -> Response:
    """The link that comes with a role, or the page of the person."""
    if changed.link is not None:
        return show_link(visit, changed.user.login, changed.link)
    return visit.redirect(_Names(visit).person, notice=notice, user=changed.user.user_id)


def _back(visit: Visit, notice: str | Notice) -> Response:
    return visit.redirect(_Names(visit).person, notice=notice, user=visit.place("user"))


_ACTIONS: Final[tuple[tuple[str, Endpoint], ...]] = (
    ("role", change_role),
    ("reset", reset),
    ("disable", disable),
    ("enable", enable),
    ("end-sessions", end_sessions),
    ("delete", delete),
)


def _declared(start: str, prefix: str, permission: Permission) -> Declarations:
    person = f"{start}/people/{{user}}"
    # A new link may go by mail.
    sends: dict[str, Any] = {"permission": permission, "asks_elsewhere": True}
    return (
        Page(f"{start}/people", f"{prefix}people", show_people, permission=permission),
        Action(f"{start}/people", f"{prefix}invite", invite, show_people, **sends),
        Page(person, f"{prefix}person", show_person, permission=permission),
        *(
            Action(
                f"{person}/{name}",
                f"{prefix}person-{name}",
                post,
                show_person,
                **sends,
            )
            for name, post in _ACTIONS
        ),
    )


PAGES: Final[Declarations] = (
    *_declared("/a/{account}", "", Permission.PEOPLE),
    *_declared("/installation", "installation-", Permission.OPERATE),
)
