"""gatehouse users: invite, list, show, role, disable, enable, reset, sessions, delete."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gatehouse.access.roles import UserRole
from gatehouse.admin.opening import open_account, open_session, read_settings
from gatehouse.cli.arguments import AccountFilter, AccountOption, AsJson, argument, option
from gatehouse.cli.output import columns, sheet, show, warn
from gatehouse.core.clock import iso_time, time_or_none
from gatehouse.core.errors import ConnectorFailed, WrongUsage

if TYPE_CHECKING:
    from gatehouse.access.people import UserView
    from gatehouse.admin.people.use_cases.users import Invited
    from gatehouse.admin.sign_in.use_cases.links import NewLink

app = typer.Typer(no_args_is_help=True)

Who = Annotated[str, argument("PERSON", "E-mail address, or id of the person (usr_...).")]
Yes = Annotated[bool, option("Do it without asking.", "--yes")]
_NO_ROLE = "none"
_OWN_ROLE = "role_"


@app.command()
def invite(  # each option says something else about the person
    login: Annotated[str, argument("EMAIL", "What the person signs in with.")],
    role: Annotated[
        str | None, option("What the person is in the account: a role, or the id of an own one.")
    ] = None,
    operator: Annotated[
        bool, option("Over all accounts; also for the first person.", "--operator")
    ] = False,
    billing: Annotated[bool, option("Looks after the money of all accounts.", "--billing")] = False,
    name: Annotated[str, option("Name shown to others. Default: the address.")] = "",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Invite a person. The link to choose a password is shown once, here."""
    from gatehouse.admin.people.use_cases import users

    if operator + billing + (role is not None) != 1:
        raise WrongUsage(
            "say what the person is: --role ROLE in one account, --billing, or --operator"
        )
    if role is None:
        invite_to = users.invite_billing if billing else users.invite_operator
        invited = invite_to(open_session(), login, name)
    else:
        session, account_id = open_account(account)
        invited = users.invite(session, account_id, login, role.lower(), name)
    text = f"{invited.user.login} signs in already and has the new role now"
    if invited.link is not None:
        text = invited.user.user_id
    _show_invited(invited, text, as_json=as_json)


@app.command("list")
def list_users(account: AccountFilter = None, as_json: AsJson = False) -> None:
    """List the people who can sign in."""
    from gatehouse.admin.people.use_cases import users

    data = [_data(each) for each in users.listing(open_session(), account)]
    headings = ("PERSON", "EMAIL", "NAME", "STATUS", "ROLES", "LAST SIGN-IN")
    fields = ("userId", "login", "name", "status", "shownRoles", "signedInAt")
    rows = [{**each, "shownRoles": _roles(each)} for each in data]
    show(data, columns(headings, rows, fields), as_json)


@app.command("show")
def show_user(who: Who, as_json: AsJson = False) -> None:
    """Show one person: roles, and the ways to sign in."""
    from gatehouse.admin.people.use_cases import users

    data = _data(users.get(open_session(), None, who))
    show(data, sheet({**data, "roles": _roles(data)}.items()), as_json)


@app.command()
def role(
    who: Who,
    role: Annotated[
        str,
        argument(
            "ROLE", "A role, the id of an own one, billing, operator, or none to take it away."
        ),
    ],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Give a person another role in an account. It counts at once.

    An operator, and somebody whom only another account let in, gets a link to choose a password.
    """
    from gatehouse.admin.people.use_cases import users

    if role not in (_NO_ROLE, *UserRole) and not role.startswith(_OWN_ROLE):
        known = ", ".join(UserRole)
        raise WrongUsage(f"there is no role {role}; there are none, {known}, and own ones by id")
    if role == UserRole.OPERATOR:
        changed = users.set_operator(open_session(), who, operator=True)
    elif role == UserRole.BILLING:
        changed = users.set_billing(open_session(), who, billing=True)
    elif role == _NO_ROLE and account is None and _is_everywhere(who):
        session, person = open_session(), users.get(open_session(), None, who)
        changed = (
            users.set_operator(session, who, operator=False)
            if person.is_operator
            else users.set_billing(session, who, billing=False)
        )
    else:
        session, account_id = open_account(account)
        wanted = None if role == _NO_ROLE else role
        changed = users.set_role(session, account_id, who, wanted)
    told = f"{changed.user.login}: {_roles(_data(changed.user)) or 'no role'}"
    _show_invited(changed, told, as_json=as_json)


@app.command()
def disable(who: Who, as_json: AsJson = False) -> None:
    """Let a person sign in no more; all sessions end at once."""
    from gatehouse.admin.people.use_cases import users

    changed = users.disable(open_session(), None, who)
    show(_data(changed), f"{changed.login} is disabled", as_json)


@app.command()
def enable(who: Who, as_json: AsJson = False) -> None:
    """Let a disabled person sign in again."""
    from gatehouse.admin.people.use_cases import users

    changed = users.enable(open_session(), None, who)
    show(_data(changed), f"{changed.login} can sign in again", as_json)


@app.command()
def reset(
    who: Who,
    lost_device: Annotated[
        bool, option("The link also removes app codes and passkeys.", "--lost-device")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make a link to choose a new password. It is shown once, here."""
    from gatehouse.admin.people.use_cases import users

    session = open_session()
    link = users.reset(session, None, who, forget_factors=lost_device)
    person = users.get(session, None, who)
    shown = handed_over(person.login, link)
    show(
        {"userId": person.user_id, "login": person.login, **shown},
        f"{shown['link']}\n{once_words(shown)}",
        as_json,
    )


@app.command()
def sessions(who: Who, as_json: AsJson = False) -> None:
    """List where a person is signed in."""
    from gatehouse.admin.people.use_cases import users

    data = [
        {
            "sessionId": each.session_id,
            "method": each.origin.method,
            "address": each.origin.address,
            "browser": each.origin.agent,
            "createdAt": iso_time(each.created_at_ms),
            "seenAt": iso_time(each.seen_at_ms),
            "endsAt": iso_time(each.expires_at_ms),
        }
        for each in users.sessions_of(open_session(), None, who)
    ]
    headings = ("SESSION", "BY", "ADDRESS", "BROWSER", "SINCE", "LAST SEEN")
    fields = ("sessionId", "method", "address", "browser", "createdAt", "seenAt")
    show(data, columns(headings, data, fields), as_json)


@app.command("end-sessions")
def end_sessions(who: Who, as_json: AsJson = False) -> None:
    """Sign a person out everywhere."""
    from gatehouse.admin.people.use_cases import users

    ended = users.end_sessions(open_session(), None, who)
    show({"ended": ended}, f"{ended} sessions ended", as_json)


@app.command()
def delete(who: Who, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete a person. Lines of the audit log keep the address."""
    from gatehouse.admin.people.use_cases import users

    session = open_session()
    person = users.get(session, None, who)
    if not yes:
        typer.confirm(f"Delete {person.login}?", abort=True, err=True)
    users.delete(session, None, who)
    show(_data(person), f"{person.login} is deleted", as_json)


@app.command()
def repair(yes: Yes = False, as_json: AsJson = False) -> None:
    """Remove people whose rows somebody else changed, and trust the rest as it is."""
    from gatehouse.admin.people.use_cases import users

    session = open_session()
    if not yes:
        typer.confirm("Trust the people who are in the database now?", abort=True, err=True)
    kept, removed = users.repair(session)
    show({"kept": kept, "removed": removed}, f"{kept} kept, {removed} removed", as_json)


def _show_invited(invited: "Invited", text: str, *, as_json: bool) -> None:
    """A person, with the link if there is one."""
    shown: dict[str, Any] = {"link": None}
    if invited.link is not None:
        shown = handed_over(invited.user.login, invited.link)
        text = f"{text}\n{shown['link']}\n{once_words(shown)}"
    show({**_data(invited.user), **shown}, text, as_json)


def handed_over(login: str, link: "NewLink") -> dict[str, Any]:
    """The link as it is shown, after it was sent where a mail server is set."""
    from gatehouse.admin.sign_in.use_cases.mail import link_url, send_link

    settings = read_settings()
    sent = False
    try:
        sent = send_link(settings, login, link)
    except ConnectorFailed as error:
        warn([f"{error}; hand the link over yourself"])
    return {
        "link": link_url(settings, link),
        "linkExpiresAt": iso_time(link.expires_at_ms),
        "sent": sent,
    }


def once_words(shown: dict[str, Any]) -> str:
    """How a link reaches the person, and how long it works."""
    how = "It was sent by mail." if shown["sent"] else "Hand it over to the person alone."
    return f"{how} It works once, until {shown['linkExpiresAt']}, and is not shown again."


def _is_everywhere(who: str) -> bool:
    from gatehouse.admin.people.use_cases import users

    person = users.get(open_session(), None, who)
    return person.is_operator or person.is_billing


def _roles(data: dict[str, Any]) -> str:
    roles = [f"{role}@{account}" for account, role in data["roles"].items()]
    everywhere = {"operator": data["isOperator"], "billing": data["isBilling"]}
    return ", ".join([*(name for name, has in everywhere.items() if has), *roles])


def _data(user: "UserView") -> dict[str, Any]:
    return {
        "userId": user.user_id,
        "login": user.login,
        "name": user.name,
        "status": user.status,
        "roles": dict(user.roles),
        "isOperator": user.is_operator,
        "isBilling": user.is_billing,
        "hasPassword": user.has_password,
        "hasTotp": user.has_totp,
        "recoveryCodes": user.recovery_codes,
        "passkeys": user.passkeys,
        "singleSignOn": user.single_sign_on,
        "createdAt": iso_time(user.created_at_ms),
        "signedInAt": time_or_none(user.signed_in_at_ms),
        "disabledAt": time_or_none(user.disabled_at_ms),
    }
