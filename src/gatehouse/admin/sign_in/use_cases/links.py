"""Links that work once: invitations, resets, and the one that signs in to the demo."""

from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.access.people import User
from gatehouse.admin.people.queries import users
from gatehouse.admin.sign_in.queries import tokens
from gatehouse.admin.sign_in.queries.tokens import FoundToken, NewToken
from gatehouse.admin.sign_in.use_cases.sessions import new_token
from gatehouse.core.secrets.hidden import Personal
from gatehouse.store.admin.admin_session import AdminSession, Change

_HOUR_MS: Final = 3_600_000


class LinkKind(StrEnum):
    """What a link is for."""

    INVITATION = "invitation"
    RESET = "reset"
    DEMO = "demo"


LIFETIMES_MS: Final = {
    LinkKind.INVITATION: 7 * 24 * _HOUR_MS,
    LinkKind.RESET: 24 * _HOUR_MS,
    LinkKind.DEMO: 12 * _HOUR_MS,
}


class NewLink(msgspec.Struct, frozen=True):
    """A link that was made; its token is here and nowhere else."""

    kind: LinkKind
    token: str
    expires_at_ms: int

    def __repr__(self) -> str:
        return f"NewLink({self.kind})"


class ShownLink(Personal, frozen=True):
    """What the page of a link says before it is used."""

    kind: LinkKind
    login: str
    name: str


def make(change: Change, user: User, kind: LinkKind, *, forget_factors: bool = False) -> NewLink:
    """Make a link; earlier ones of the person work no more.

    With `forget_factors`, using it removes the second factors, for somebody who lost a phone.
    """
    token = new_token(change.random_bytes)
    expires_at_ms = change.now_ms + LIFETIMES_MS[kind]
    if kind is not LinkKind.DEMO:
        forget(change, user)
    tokens.forget_old(change.connection, change.now_ms)
    new = NewToken(
        kind=kind,
        user_id=user.user_id,
        expires_at_ms=expires_at_ms,
        content={
            "forgetFactors": forget_factors,
            "by": str(change.actor),
            "account": change.actor.account_id,
        },
    )
    tokens.add(change.connection, change.ring, change.random_bytes, token, new)
    return NewLink(kind, token, expires_at_ms)


def forget(change: Change, user: User) -> None:
    """Let the links of a person that set a password work no more."""
    tokens.forget_of(change.connection, user.user_id, LinkKind.INVITATION, LinkKind.RESET)


def look(session: AdminSession, token: str) -> ShownLink | None:
    """What a link is for, without using it; None when it works no more."""
    session.actor.check_installation()
    with session.reading() as connection:
        for kind in LinkKind:
            found = tokens.find(connection, session.ring, session.clock(), kind, token)
            if found is not None and found.user_id is not None:
                user = users.get(connection, session.ring, found.user_id)
                return ShownLink(kind, user.login, user.name)
    return None


def take(change: Change, token: str) -> tuple[LinkKind, FoundToken] | None:
    """Use a link up; None when it works no more."""
    for kind in LinkKind:
        found = tokens.find(change.connection, change.ring, change.now_ms, kind, token)
        if found is not None and tokens.use(change.connection, change.ring, kind, token):
            return kind, found
    return None
