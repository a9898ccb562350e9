"""Signing in: by a password, by a link that works once, and by a second step where one is set up.

Every failure is answered in the same words, so that nobody learns who has an account.
"""

from typing import Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.access.people import User
from gatehouse.admin.people.queries import users
from gatehouse.admin.sign_in.queries import sessions as session_rows
from gatehouse.admin.sign_in.queries import tokens
from gatehouse.admin.sign_in.queries.tokens import NewToken
from gatehouse.admin.sign_in.use_cases import links, throttle
from gatehouse.admin.sign_in.use_cases.links import LinkKind
from gatehouse.admin.sign_in.use_cases.logins import normal_login
from gatehouse.admin.sign_in.use_cases.passwords import Passwords, check_new
from gatehouse.admin.sign_in.use_cases.sessions import (
    DEFAULT_LIMITS,
    SessionLimits,
    SessionOrigin,
    SignedIn,
    begin,
    new_token,
)
from gatehouse.core.errors import InvalidInput, SignInRefused
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change

_SIGN_IN_WRONG: Final = Phrase(
    "refused.sign_in_wrong", "the e-mail address or the password is wrong"
)
_LINK_OVER: Final = Phrase(
    "refused.link_over", "this link does not work any more; ask for another one"
)

_CHOOSE_PASSWORD: Final = Phrase("refused.choose_password", "choose a password")
_WRONG_PASSWORD: Final = Phrase("refused.wrong_password", "the password is wrong")

SECOND_STEP: Final = "second-step"
_SECOND_STEP_MS: Final = 10 * 60_000
_WRONG: Final = _SIGN_IN_WRONG()
_OVER: Final = _LINK_OVER()


class SecondStep(msgspec.Struct, frozen=True):
    """The password was right; a code or a passkey has to follow within ten minutes."""

    ticket: str
    totp: bool
    passkey: bool

    def __repr__(self) -> str:
        return "SecondStep(…)"


class SignIn:
    """The ways to sign in, as the console offers them."""

    def __init__(
        self,
        session: AdminSession,
        passwords: Passwords | None = None,
        limits: SessionLimits = DEFAULT_LIMITS,
    ) -> None:
        session.actor.check_installation()
        self.session: Final = session
        self.passwords: Final = passwords or Passwords()
        self.limits: Final = limits

    def by_password(
        self, login: str, password: str, origin: SessionOrigin
    ) -> SignedIn | SecondStep:
        """Sign in by password; `SignInRefused` or `TooManyAttempts` otherwise."""
        session, plain = self.session, normal_login(login)
        counted = throttle.subjects("password", plain, origin.address)
        throttle.admit(session, counted)
        with session.reading() as connection:
            users.check_all(connection, session.signer)
            user = users.find(connection, session.ring, plain)
        fits = self.passwords.fits(None if user is None else user.password, password)
        if user is None or not fits or user.disabled_at_ms is not None or user.signs_in_elsewhere:
            raise SignInRefused(_WRONG)
        renewed = user.password
        if renewed is not None and self.passwords.is_outdated(renewed):
            renewed = self.passwords.hash(password)
        with self._acting_as(user).change(unseen=True) as change:
            current = users.get(change.connection, change.ring, user.user_id)
            if current.rights != user.rights:  # Disabled, or with another password, meanwhile.
                raise SignInRefused(_WRONG)
            throttle.take_back(change.connection, session, counted)
            changed = msgspec.structs.replace(current, password=renewed)
            return self._proceed(change, changed, origin, "password")

    def by_link(
        self, token: str, origin: SessionOrigin, password: str | None = None
    ) -> SignedIn | SecondStep:
        """Use a link up: an invitation or a reset sets the password, that of the demo signs in."""
        session = self.session
        shown = links.look(session, token)
        if shown is None:
            raise SignInRefused(_OVER)
        hashed = None
        if shown.kind is not LinkKind.DEMO:
            if not password:
                raise InvalidInput(_CHOOSE_PASSWORD())
            check_new(password, shown.login)
            hashed = self.passwords.hash(password)
        with session.acting_as(Actor.user(shown.login, None)).change(unseen=True) as change:
            return self._use_link(change, token, hashed, origin)

    def prove_again(self, user_id: str, password: str, origin: SessionOrigin) -> None:
        """Ask a person who is signed in for the password, before something important changes."""
        with self.session.reading() as connection:
            user = users.get(connection, self.session.ring, user_id)
        counted = throttle.subjects("password", user.login, origin.address)
        throttle.admit(self.session, counted)
        if not self.passwords.fits(user.password, password):
            raise SignInRefused(_WRONG_PASSWORD())
        with self.session.database.writing() as connection:
            throttle.take_back(connection, self.session, counted)

    def _use_link(
        self, change: Change, token: str, hashed: str | None, origin: SessionOrigin
    ) -> SignedIn | SecondStep:
        taken = links.take(change, token)
        if taken is None or taken[1].user_id is None:
            raise SignInRefused(_OVER)
        kind, found = taken
        user = users.get(change.connection, change.ring, str(found.user_id))
        if user.disabled_at_ms is not None or (kind is LinkKind.DEMO and self._is_production):
            raise SignInRefused(_OVER)
        if hashed is None:
            return begin(change, user, by(origin, kind), self.limits)
        if user.signs_in_elsewhere:
            # An administrator made this link, for when single sign-on cannot be used. The next
            # sign-in there links the person again, and removes the password.
            user = msgspec.structs.replace(user.without_proofs(), subject=None)
            change.audit("user.unlink", userId=user.user_id)
        changed = user.with_rights(
            password=hashed,
            introduced_by=found.content.get("by"),
            introduced_in=found.content.get("account"),
            entitled_at_ms=change.now_ms,
        )
        if found.content.get("forgetFactors"):
            changed = msgspec.structs.replace(changed, totp=None, recovery=(), passkeys=())
        session_rows.end_all(change.connection, user.user_id)
        change.audit("user.set-password", userId=user.user_id, by=kind)
        return self._proceed(change, changed, origin, kind)

    def _proceed(
        self, change: Change, user: User, origin: SessionOrigin, method: str
    ) -> SignedIn | SecondStep:
        """Begin the session, or ask for the second step of who has set one up."""
        if not user.has_second_factor:
            return begin(change, user, by(origin, method), self.limits)
        kept = users.save(change, user)
        ticket = new_token(change.random_bytes)
        new = NewToken(
            kind=SECOND_STEP,
            user_id=kept.user_id,
            expires_at_ms=change.now_ms + _SECOND_STEP_MS,
            content={"method": method, "rights": kept.rights},
        )
        tokens.add(change.connection, change.ring, change.random_bytes, ticket, new)
        change.audit("user.first-step", userId=kept.user_id, method=method)
        return SecondStep(ticket, kept.totp is not None, bool(kept.passkeys))

    @property
    def _is_production(self) -> bool:
        return self.session.environment == "production"

    def _acting_as(self, user: User) -> AdminSession:
        return self.session.acting_as(Actor.user(user.login, None))


def by(origin: SessionOrigin, method: str) -> SessionOrigin:
    """Where a session begins, with the way in which it did."""
    return msgspec.structs.replace(origin, method=str(method))
