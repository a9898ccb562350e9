"""People of an account and of the installation: inviting them, roles, links, sessions.

Both faces share their pages; those of the installation reach everybody, and operators too.
"""

from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import Permission, UserRole
from gatehouse.admin.people import users
from gatehouse.admin.people.links import NewLink
from gatehouse.admin.people.logins import normal_login
from gatehouse.admin.people.mail import link_url, send_link
from gatehouse.console.cookies import Notice
from gatehouse.console.formats import browser_name
from gatehouse.console.pages import Action, Declarations, Endpoint, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import Conflict, ConnectorFailed

ROLES: Final = tuple(role for role in UserRole if role is not UserRole.OPERATOR)
_OPERATOR: Final = UserRole.OPERATOR.value


def show_people(visit: Visit) -> Response:
    """Everybody with a role here, and the form to invite somebody."""
    return visit.render(
        "people/people.html",
        people=users.listing(visit.session, _account(visit)),
        roles=_roles(visit),
        names=_Names(visit),
    )


def invite(visit: Visit) -> Response:
    """Invite somebody, and show the link once."""
    login, name, account_id = (
        visit.form.get("login", ""),
        visit.form.get("name", ""),
        _account(visit),
    )
    if account_id is None:
        invited = users.invite_operator(visit.session, login, name)
    else:
        invited = users.invite(visit.session, account_id, login, _role(visit), name)
    if invited.link is None:
        return visit.redirect(_Names(visit).people, notice="people.added")
    return _show_link(visit, invited.user.login, invited.link)


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
        names=_Names(visit),
        sessions=[(each, browser_name(each.origin.agent)) for each in reversed(opened)],
    )


def change_role(visit: Visit) -> Response:
    """Give a person another role here, or none any more."""
    _refuse_self(visit)
    who, account_id = visit.place("user"), _account(visit)
    names = _Names(visit)
    if account_id is None:
        operator = visit.form.get("role") == _OPERATOR
        users.set_operator(visit.session, who, operator=operator)
        return visit.redirect(names.person, notice="people.role_changed", user=who)
    if visit.form.get("role") == "":
        users.set_role(visit.session, account_id, who, None)
        return visit.redirect(names.people, notice="people.role_removed")
    users.set_role(visit.session, account_id, who, _role(visit))
    return visit.redirect(names.person, notice="people.role_changed", user=who)


def reset(visit: Visit) -> Response:
    """Make a link by which the person chooses a new password, and show it once."""
    person = users.get(visit.session, _account(visit), visit.place("user"))
    forget = visit.form.get("forget") == "yes"
    link = users.reset(visit.session, _account(visit), person.user_id, forget_factors=forget)
    return _show_link(visit, person.login, link)


def disable(visit: Visit) -> Response:
    """Let a person sign in no more."""
    _refuse_self(visit)
    users.disable(visit.session, _account(visit), visit.place("user"))
    return _back(visit, "people.disabled_now")


def enable(visit: Visit) -> Response:
    """Let a person sign in again."""
    users.enable(visit.session, _account(visit), visit.place("user"))
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


def _role(visit: Visit) -> UserRole:
    try:
        return UserRole(visit.form.get("role", ""))
    except ValueError:
        raise visit.refuse("role", "people.choose_role") from None


def _roles(visit: Visit) -> list[tuple[str, str]]:
    return [(role.value, visit.text(f"common.roles.{role.value}")) for role in ROLES]


def _show_link(visit: Visit, login: str, link: NewLink) -> Response:
    settings, sent, failed = visit.desk.settings, False, False
    try:
        sent = send_link(settings, login, link)
    except ConnectorFailed:
        failed = True
    return visit.render(
        "people/link.html",
        login=login,
        link=link,
        address=link_url(settings, link),
        sent=sent,
        failed=failed,
        names=_Names(visit),
    )


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
    return (
        Page(f"{start}/people", f"{prefix}people", show_people, permission=permission),
        Action(f"{start}/people", f"{prefix}invite", invite, show_people, permission=permission),
        Page(person, f"{prefix}person", show_person, permission=permission),
        *(
            Action(
                f"{person}/{name}",
                f"{prefix}person-{name}",
                post,
                show_person,
                permission=permission,
            )
            for name, post in _ACTIONS
        ),
    )


PAGES: Final[Declarations] = (
    *_declared("/a/{account}", "", Permission.PEOPLE),
    *_declared("/installation", "installation-", Permission.OPERATE),
)
