"""The second step of a sign-in: a code of the app, or a recovery code, after the password."""

from typing import Final

import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.access.people import User
from gatehouse.admin.people.queries import users
from gatehouse.admin.sign_in.queries import tokens
from gatehouse.admin.sign_in.use_cases import throttle
from gatehouse.admin.sign_in.use_cases.sessions import SessionOrigin, SignedIn, begin
from gatehouse.admin.sign_in.use_cases.sign_in import SECOND_STEP, SignIn, by
from gatehouse.admin.sign_in.use_cases.totp import use_code
from gatehouse.core.errors import SignInRefused
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change

_CODE_WRONG: Final = Phrase("refused.code_wrong", "the code is wrong, or was used already")
_SIGN_IN_SLOW: Final = Phrase("refused.sign_in_slow", "this took too long; sign in again")

_WRONG: Final = _CODE_WRONG()
OVER: Final = _SIGN_IN_SLOW()


def by_code(sign_in: SignIn, ticket: str, code: str, origin: SessionOrigin) -> SignedIn:
    """Finish a sign-in with a code; `SignInRefused` or `TooManyAttempts` otherwise."""
    session = sign_in.session
    user = waiting(session, ticket)
    counted = throttle.subjects("second", user.user_id, origin.address)
    throttle.admit(session, counted)
    with session.acting_as(Actor.user(user.login, None)).change(unseen=True) as change:
        current = take_ticket(change, ticket)
        used = use_code(change.ring, current, code, change.now_ms)
        if used is None:
            raise SignInRefused(_WRONG)
        throttle.take_back(change.connection, session, counted)
        method = "password+totp" if used.totp_step != current.totp_step else "password+recovery"
        return begin(change, used, by(origin, method), sign_in.limits)


def waiting(session: AdminSession, ticket: str) -> User:
    """Who has to do a second step; `SignInRefused` when that took too long."""
    session.actor.check_installation()
    with session.reading() as connection:
        return _waiting(connection, session.ring, session.clock(), ticket)


def take_ticket(change: Change, ticket: str) -> User:
    """Use a ticket up; what follows in the transaction brings it back if it fails."""
    user = _waiting(change.connection, change.ring, change.now_ms, ticket)
    tokens.use(change.connection, change.ring, SECOND_STEP, ticket)
    return user


def _waiting(connection: sa.Connection, ring: KeyRing, now_ms: int, ticket: str) -> User:
    found = tokens.find(connection, ring, now_ms, SECOND_STEP, ticket)
    if found is None or found.user_id is None:
        raise SignInRefused(OVER)
    user = users.get(connection, ring, found.user_id)
    if user.disabled_at_ms is not None or user.rights != found.content["rights"]:
        raise SignInRefused(OVER)
    return user
