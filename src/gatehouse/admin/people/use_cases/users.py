"""People who sign in: inviting them, their roles, disabling, resetting and deleting them.

An administrator of an account reaches only people of that account. What would also change the
person elsewhere, such as a reset, is left to operators when the person has a role elsewhere.
"""

import contextlib
from collections.abc import Iterator
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.people import User, UserView
from gatehouse.access.roles import EVERYWHERE, UserRole
from gatehouse.admin.approvals.use_cases.second_pair import (
    check_handed_over,
    check_operator_made,
    check_role_given,
)
from gatehouse.admin.people.queries import users
from gatehouse.admin.people.use_cases.administered import (
    ALL_OF_IT,
    check_administered,
    check_reaches,
)
from gatehouse.admin.sign_in.queries import sessions
from gatehouse.admin.sign_in.use_cases import links
from gatehouse.admin.sign_in.use_cases.links import LinkKind, NewLink
from gatehouse.admin.sign_in.use_cases.logins import check_login, check_name, normal_login
from gatehouse.admin.sign_in.use_cases.sessions import UserSession
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.wording.sentences import Phrase, phrases_of
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change

_ROLE_KNOWN: Final = Phrase("refused.role_known", "this is the role of {login} already")
_PERSON_DISABLED: Final = Phrase("refused.person_disabled", "{login} is disabled already")
_PERSON_ENABLED: Final = Phrase("refused.person_enabled", "{login} is not disabled")

__all__ = ["NewLink", "UserSession", "UserView"]

_BILLING_KNOWN: Final = Phrase(
    "refused.billing_known", "{login} looks after the money of all accounts already"
)
_BILLING_NOT: Final = Phrase(
    "refused.billing_not", "{login} does not look after the money of all accounts"
)
_OPERATOR_KNOWN: Final = Phrase("refused.operator_known", "{login} is an operator already")
_OPERATOR_NOT: Final = Phrase("refused.operator_not", "{login} is no operator already")

_HAS_ROLE: Final = Phrase("refused.has_role", "{login} has a role in this account already: {role}")
_ROLES: Final = phrases_of("word.role", {each.value: each.value for each in UserRole})
_IS_OPERATOR: Final = Phrase("refused.is_operator", "{login} is an operator already")
_ROLES_ELSEWHERE: Final = Phrase(
    "refused.roles_elsewhere",
    "{login} has roles in other accounts too; an operator of the installation can do "
    "this, and you can take away the role in this account",
)
_OPERATOR_EVERYWHERE: Final = Phrase(
    "refused.operator_everywhere",
    "this role is one in all accounts, and no role of an account",
)
_ROLES_ONLY_ELSEWHERE: Final = Phrase(
    "refused.roles_only_elsewhere",
    "{login} has roles in other accounts; an operator of the installation can give one "
    "in this account",
)


class Invited(msgspec.Struct, frozen=True):
    """Who was invited or given a role, and the link; none for somebody who signs in as before."""

    user: UserView
    link: NewLink | None


def invite(
    session: AdminSession, account_id: str, login: str, role: str, name: str = ""
) -> Invited:
    """Give somebody a role in an account; who is new gets a link to choose a password."""
    check_role(role)
    plain, shown = check_login(login), check_name(name or login)
    with _changing(session, account_id) as change:
        accounts.get_open(change.connection, account_id)
        check_role_given(change, account_id, role)
        known = users.find(change.connection, change.ring, plain)
        if known is not None and account_id in known.roles:
            raise Conflict(_HAS_ROLE(login=plain, role=_called(known.roles[account_id])))
        if known is not None and not known.belongs_only_to(account_id):
            return _with_another_role(change, known, account_id, role)
        if known is None:
            new = _new(change, plain, shown)
            user = users.add(change, msgspec.structs.replace(new, roles={account_id: role}))
        else:
            # The person who chose a password before may be another than the one invited now.
            sessions.end_all(change.connection, known.user_id)
            anew = msgspec.structs.replace(known.without_proofs(), roles={account_id: role})
            user = users.save(change, anew)
        change.audit("user.invite", account_id, userId=user.user_id, login=plain, role=role)
        link = links.make(change, user, LinkKind.INVITATION)
        return Invited(UserView.of(user, account_id), link)


def invite_operator(session: AdminSession, login: str, name: str = "") -> Invited:
    """Make somebody an operator of the whole installation; the first one too."""
    plain, shown = check_login(login), check_name(name or login)
    with _changing(session, None) as change:
        check_operator_made(change)
        user = users.find(change.connection, change.ring, plain)
        if user is not None and user.is_operator:
            raise Conflict(_IS_OPERATOR(login=plain))
        if user is None:
            user = users.add(change, _new(change, plain, shown))
        change.audit("user.invite-operator", userId=user.user_id, login=plain)
        return _entrusted(change, user, is_operator=True)


def invite_billing(session: AdminSession, login: str, name: str = "") -> Invited:
    """Let somebody look after the money of all accounts."""
    plain, shown = check_login(login), check_name(name or login)
    with _changing(session, None) as change:
        check_operator_made(change)
        user = users.find(change.connection, change.ring, plain)
        if user is not None and user.is_billing:
            raise Conflict(_BILLING_KNOWN(login=plain))
        if user is None:
            user = users.add(change, _new(change, plain, shown))
        change.audit("user.billing", userId=user.user_id, login=plain, billing=True)
        return _entrusted(change, user, is_billing=True)


def listing(session: AdminSession, account_id: str | None = None) -> list[UserView]:
    """The people of an account, or all of them, oldest first."""
    with _reading(session, account_id) as connection:
        if account_id is None:
            return [UserView.of(user) for user in users.listing(connection, session.ring)]
        accounts.get(connection, account_id)
        found = users.of_account(connection, session.ring, account_id)
        return [UserView.of(user, account_id) for user in found]


def get(session: AdminSession, account_id: str | None, who: str) -> UserView:
    """One person, by id or e-mail address."""
    with _reading(session, account_id) as connection:
        return UserView.of(_find(connection, session.ring, account_id, who), account_id)


def set_role(session: AdminSession, account_id: str, who: str, role: str | None) -> Invited:
    """Give a person another role in an account, or none any more; it counts at once.

    Somebody who is new to the account may need a link to choose a new password.
    """
    if role is not None:
        check_role(role)
    with _changing(session, account_id) as change:
        scope = None if session.actor.account_id is None else account_id
        user = _find(change.connection, change.ring, scope, who)
        roles = {each: kept for each, kept in user.roles.items() if each != account_id}
        if role is not None:
            accounts.get_open(change.connection, account_id)
            check_role_given(change, account_id, role)
            roles[account_id] = role
        if roles == user.roles:
            raise Conflict(_ROLE_KNOWN(login=user.login))
        previous, could = user.roles.get(account_id), check_reaches(change, account_id, user)
        said = {"userId": user.user_id, "login": user.login, "role": role, "previous": previous}
        change.audit("user.role", account_id, **said)
        if role is not None and previous is None:
            return _entrusted(change, user, account_id, roles=roles)
        entitled_at_ms = user.entitled_at_ms if role is None else change.now_ms
        kept = users.save(change, user.with_rights(roles=roles, entitled_at_ms=entitled_at_ms))
        if could >= ALL_OF_IT:
            check_administered(change, account_id)
        return Invited(UserView.of(kept, account_id), None)


def set_operator(session: AdminSession, who: str, *, operator: bool) -> Invited:
    """Let a person operate the whole installation, or no more; an operator gets a new link."""
    with _changing(session, None) as change:
        user = _find(change.connection, change.ring, None, who)
        if user.is_operator is operator:
            phrase = _OPERATOR_KNOWN if operator else _OPERATOR_NOT
            raise Conflict(phrase(login=user.login))
        if operator:
            check_operator_made(change)
        change.audit("user.operator", userId=user.user_id, login=user.login, operator=operator)
        if operator:
            return _entrusted(change, user, is_operator=True)
        return Invited(UserView.of(users.save(change, user.with_rights(is_operator=False))), None)


def set_billing(session: AdminSession, who: str, *, billing: bool) -> Invited:
    """Let a person look after the money of all accounts, or no more; with a new link."""
    with _changing(session, None) as change:
        user = _find(change.connection, change.ring, None, who)
        if user.is_billing is billing:
            phrase = _BILLING_KNOWN if billing else _BILLING_NOT
            raise Conflict(phrase(login=user.login))
        if billing:
            check_operator_made(change)
        change.audit("user.billing", userId=user.user_id, login=user.login, billing=billing)
        if billing:
            return _entrusted(change, user, is_billing=True)
        return Invited(UserView.of(users.save(change, user.with_rights(is_billing=False))), None)


def disable(session: AdminSession, account_id: str | None, who: str) -> UserView:
    """Let a person sign in no more; all sessions end at once."""
    with _changing_person(session, account_id, who) as (change, user):
        if user.disabled_at_ms is not None:
            raise Conflict(_PERSON_DISABLED(login=user.login))
        sessions.end_all(change.connection, user.user_id)
        kept = users.save(change, user.with_rights(disabled_at_ms=change.now_ms))
        change.audit("user.disable", account_id, userId=user.user_id, login=user.login)
        return UserView.of(kept, account_id)


def enable(session: AdminSession, account_id: str | None, who: str) -> UserView:
    """Let a disabled person sign in again."""
    with _changing_person(session, account_id, who) as (change, user):
        if user.disabled_at_ms is None:
            raise Conflict(_PERSON_ENABLED(login=user.login))
        check_handed_over(change, user)
        enabled = user.with_rights(disabled_at_ms=None, entitled_at_ms=change.now_ms)
        kept = users.save(change, enabled)
        change.audit("user.enable", account_id, userId=user.user_id, login=user.login)
        return UserView.of(kept, account_id)


def reset(
    session: AdminSession, account_id: str | None, who: str, *, forget_factors: bool = False
) -> NewLink:
    """A link by which the person chooses a new password; until then the old one works.

    It also lets somebody in who signs in by single sign-on, when that cannot be used.
    """
    with _changing_person(session, account_id, who) as (change, user):
        check_handed_over(change, user)
        said = {"userId": user.user_id, "login": user.login, "forgetFactors": forget_factors}
        change.audit("user.reset", account_id, **said)
        is_known = user.password is not None or user.signs_in_elsewhere
        kind = LinkKind.RESET if is_known else LinkKind.INVITATION
        return links.make(change, user, kind, forget_factors=forget_factors)


def delete(session: AdminSession, account_id: str | None, who: str) -> UserView:
    """Delete a person with everything but the lines of the audit log."""
    with _changing_person(session, account_id, who) as (change, user):
        users.delete(change, user.user_id)
        change.audit("user.delete", account_id, userId=user.user_id, login=user.login)
        return UserView.of(user, account_id)


def sessions_of(session: AdminSession, account_id: str | None, who: str) -> list[UserSession]:
    """Where a person is signed in."""
    with _reading(session, account_id) as connection:
        user = _find(connection, session.ring, account_id, who)
        _check_own(user, account_id)
        now_ms = session.clock()
        found = sessions.of_user(connection, session.ring, user.user_id)
        return [each for each in found if each.expires_at_ms > now_ms]


def end_sessions(session: AdminSession, account_id: str | None, who: str) -> int:
    """End all sessions of a person; how many."""
    with _changing_person(session, account_id, who) as (change, user):
        ended = sessions.end_all(change.connection, user.user_id)
        said = {"userId": user.user_id, "login": user.login, "ended": ended}
        change.audit("session.end-all", account_id, **said)
        return ended


def repair(session: AdminSession) -> tuple[int, int]:
    """Accept the rows of people as they are, without those that cannot be opened."""
    with _changing(session, None) as change:
        kept, removed = users.repair(change)
        change.audit("user.repair", kept=kept, removed=removed)
    return kept, removed


def problems(session: AdminSession) -> list[str]:
    """What is wrong with the rows of people, in words; nothing in a sound database."""
    with _reading(session, None) as connection:
        return list(users.problems(connection, session.ring, session.signer))


@contextlib.contextmanager
def _reading(session: AdminSession, account_id: str | None) -> Iterator[sa.Connection]:
    _check_scope(session, account_id)
    with session.reading() as connection:
        yield connection


@contextlib.contextmanager
def _changing(session: AdminSession, account_id: str | None) -> Iterator[Change]:
    _check_scope(session, account_id)
    with session.change(unseen=True) as change:
        yield change


@contextlib.contextmanager
def _changing_person(
    session: AdminSession, account_id: str | None, who: str
) -> Iterator[tuple[Change, User]]:
    with _changing(session, account_id) as change:
        user = _find(change.connection, change.ring, account_id, who)
        _check_own(user, account_id)
        could = check_reaches(change, account_id, user)
        yield change, user
        if account_id is not None and could >= ALL_OF_IT:
            check_administered(change, account_id)


def _check_scope(session: AdminSession, account_id: str | None) -> None:
    if account_id is None:
        session.actor.check_installation()
    else:
        session.actor.check_account(account_id)


def _check_own(user: User, account_id: str | None) -> None:
    if account_id is not None and not user.belongs_only_to(account_id):
        raise Conflict(_ROLES_ELSEWHERE(login=user.login))


def check_role(role: str) -> None:
    """Refuse what is no role of an account."""
    if role in EVERYWHERE:
        raise InvalidInput(_OPERATOR_EVERYWHERE())


def _called(role: str) -> str:
    return _ROLES[role]() if role in _ROLES else role


def _find(connection: sa.Connection, ring: KeyRing, account_id: str | None, who: str) -> User:
    if "@" in who:
        user = users.find(connection, ring, normal_login(who))
    else:
        user = users.get(connection, ring, who)
    if user is None or (account_id is not None and account_id not in user.roles):
        raise NotFound(users.NO_PERSON(who=recordable(who)))
    return user


def _with_another_role(change: Change, user: User, account_id: str, role: str) -> Invited:
    """Somebody with roles elsewhere gets one more: from an operator.

    A link that an administrator of this account saw would hand over the roles elsewhere.
    """
    if change.actor.account_id is not None:
        raise Conflict(_ROLES_ONLY_ELSEWHERE(login=user.login))
    said = {"userId": user.user_id, "login": user.login, "role": role}
    change.audit("user.invite", account_id, **said)
    return _entrusted(change, user, account_id, roles={**user.roles, account_id: role})


def _entrusted(
    change: Change, user: User, account_id: str | None = None, **rights: object
) -> Invited:
    """The person with rights in an account that is new to it, or in all of them.

    Nobody has proven that the address is the person's: the administrator of an account who invited
    it first may have kept the link, and would have these rights now. So ways to sign in that came
    from there work no more, and a new link is made. An operator always gets a new one.
    """
    rights["entitled_at_ms"] = change.now_ms
    if user.signs_in_elsewhere or (user.is_vouched_for and account_id is not None):
        links.forget(change, user)
        kept = users.save(change, user.with_rights(**rights))
        return Invited(UserView.of(kept, account_id), None)
    sessions.end_all(change.connection, user.user_id)
    kept = users.save(change, user.without_proofs().with_rights(**rights))
    link = links.make(change, kept, LinkKind.INVITATION)
    return Invited(UserView.of(kept, account_id), link)


def _new(change: Change, login: str, name: str) -> User:
    return User(user_id=change.new_id("usr"), login=login, name=name, created_at_ms=change.now_ms)
