"""Sessions of people who are signed in: begun, recognised at every page, renewed, listed, ended."""

import base64
import contextlib
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.access.people import User
from gatehouse.access.visitors import Visitor
from gatehouse.admin.people.queries import own_roles, sealed, users
from gatehouse.admin.sign_in.queries import sessions, tokens
from gatehouse.admin.sign_in.queries.sessions import SessionOrigin, UserSession
from gatehouse.admin.sign_in.use_cases.throttle import network_of
from gatehouse.core.errors import ConfigurationRefused, NotFound, StoreUnavailable
from gatehouse.core.filling import filled
from gatehouse.core.ids import Randomness
from gatehouse.core.wording.sentences import Phrase
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession, Change

_SESSION_OVER: Final = Phrase("refused.session_over", "this session has ended already")

__all__ = ["SessionOrigin", "UserSession"]

_SESSION_ENDED: Final = Phrase(
    "refused.session_ended", "the session has ended meanwhile; sign in again"
)

MOST_SESSIONS: Final = 20
FRESH_MS: Final = 15 * 60_000
_NOTE_SEEN_AFTER_MS: Final = 60_000
_LONGEST_AGENT: Final = 200


class SessionLimits(msgspec.Struct, frozen=True):
    """How long a browser stays signed in."""

    idle_ms: int = 30 * 60_000
    whole_ms: int = 12 * 3_600_000
    same_network: bool = False
    """Whether a session works only from the network that it was begun in."""

    @classmethod
    def of(cls, settings: Settings) -> "SessionLimits":
        """The limits that an operator chose."""
        return cls(
            settings.session_idle_min * 60_000,
            settings.session_hours * 3_600_000,
            settings.session_network == "same",
        )


DEFAULT_LIMITS: Final = SessionLimits()


class SignedIn(msgspec.Struct, frozen=True):
    """A session that has begun, with the token that only the browser keeps."""

    token: str
    session_id: str
    user_id: str
    expires_at_ms: int

    def __repr__(self) -> str:
        return f"SignedIn({self.session_id})"


def new_token(random_bytes: Randomness) -> str:
    """256 random bits, as cookies and links carry them."""
    return base64.urlsafe_b64encode(random_bytes(32)).rstrip(b"=").decode()


def begin(change: Change, user: User, origin: SessionOrigin, limits: SessionLimits) -> SignedIn:
    """Sign a person in, who has proven who it is; what else the sign-in changed is saved, too."""
    now_ms = change.now_ms
    kept = users.save(change, msgspec.structs.replace(user, signed_in_at_ms=now_ms))
    expires_at_ms = now_ms + limits.whole_ms
    started = _add(change, kept, origin, expires_at_ms)
    opened = sessions.of_user(change.connection, change.ring, user.user_id)
    for oldest in opened[:-MOST_SESSIONS]:
        sessions.end(change.connection, user.user_id, oldest.session_id)
    sessions.forget_ended(change.connection, now_ms)
    tokens.forget_old(change.connection, now_ms)
    change.audit("user.sign-in", userId=user.user_id, method=origin.method)
    return started


def resolve(
    session: AdminSession,
    token: str,
    now_ms: int,
    address: str | None,
    limits: SessionLimits = DEFAULT_LIMITS,
) -> Visitor | None:
    """Who holds this token, with the rights of this moment; None when the session is over."""
    session.actor.check_installation()
    with session.reading() as connection:
        found = _live(session, connection, token, now_ms, limits)
        if found is None:
            return None
        user = _present(session, connection, found)
    if user is None or (limits.same_network and not _is_same_network(found, address)):
        return None
    if now_ms - found.seen_at_ms >= min(_NOTE_SEEN_AFTER_MS, limits.idle_ms // 4):
        # A page can be shown without that note; the next one makes it.
        with contextlib.suppress(StoreUnavailable), session.database.writing() as connection:
            sessions.note_seen(connection, found.session_id, now_ms)
    return filled(
        Visitor,
        user,
        session_id=found.session_id,
        csrf_token=sealed.hashed(session.ring, "csrf", token),
        composed=own_roles.held(session, user.roles),
        needs_new_token=found.rights != user.rights,
    )


def renew(
    session: AdminSession, token: str, limits: SessionLimits = DEFAULT_LIMITS
) -> SignedIn | None:
    """Another token for the same session, which ends when it would have; the old one is over."""
    session.actor.check_installation()
    now_ms = session.clock()
    with session.reading() as connection:
        found = _live(session, connection, token, now_ms, limits)
        user = None if found is None else _present(session, connection, found)
    if found is None or user is None:
        return None
    with session.acting_as(Actor.user(user.login, None)).change(unseen=True) as change:
        if not sessions.end(change.connection, user.user_id, found.session_id):
            raise NotFound(_SESSION_ENDED())
        change.audit("session.renew", userId=user.user_id)
        return _add(change, user, found.origin, found.expires_at_ms, found.created_at_ms)


def listing(session: AdminSession, user_id: str) -> list[UserSession]:
    """The sessions of a person that are not over, oldest first."""
    session.actor.check_installation()
    now_ms = session.clock()
    with session.reading() as connection:
        users.get(connection, session.ring, user_id)
        found = sessions.of_user(connection, session.ring, user_id)
    return [each for each in found if each.expires_at_ms > now_ms]


def end(session: AdminSession, user_id: str, session_id: str) -> None:
    """End one session of a person."""
    session.actor.check_installation()
    with session.change(unseen=True) as change:
        if not sessions.end(change.connection, user_id, session_id):
            raise NotFound(_SESSION_OVER())
        change.audit("session.end", userId=user_id, sessionId=session_id)


def end_all(session: AdminSession, user_id: str, but: str | None = None) -> int:
    """End all sessions of a person, but perhaps the one that asks; how many."""
    session.actor.check_installation()
    with session.change(unseen=True) as change:
        users.get(change.connection, change.ring, user_id)
        ended = sessions.end_all(change.connection, user_id, but)
        change.audit("session.end-all", userId=user_id, ended=ended)
    return ended


def is_fresh(session: AdminSession, user_id: str, session_id: str) -> bool:
    """Whether a person signed in a short while ago, with the session that asks."""
    now_ms = session.clock()
    return any(
        now_ms - each.created_at_ms < FRESH_MS
        for each in listing(session, user_id)
        if each.session_id == session_id
    )


def _add(
    change: Change,
    user: User,
    origin: SessionOrigin,
    expires_at_ms: int,
    created_at_ms: int | None = None,
) -> SignedIn:
    token = new_token(change.random_bytes)
    agent = "".join(filter(str.isprintable, origin.agent))[:_LONGEST_AGENT]
    new = UserSession(
        session_id=change.new_id("ses"),
        user_id=user.user_id,
        created_at_ms=change.now_ms if created_at_ms is None else created_at_ms,
        expires_at_ms=expires_at_ms,
        seen_at_ms=change.now_ms,
        rights=user.rights,
        origin=msgspec.structs.replace(origin, agent=agent),
    )
    sessions.add(change.connection, change.ring, change.random_bytes, new, token)
    return SignedIn(token, new.session_id, user.user_id, expires_at_ms)


def _live(
    session: AdminSession,
    connection: sa.Connection,
    token: str,
    now_ms: int,
    limits: SessionLimits,
) -> UserSession | None:
    """The session of a token, if neither of its limits has passed; one of another hand is none."""
    try:
        found = sessions.find(connection, session.ring, token)
    except ConfigurationRefused:
        return None
    if found is None or now_ms - found.seen_at_ms >= limits.idle_ms:
        return None
    # The limit may have been lowered since the session began.
    ends_at_ms = min(found.expires_at_ms, found.created_at_ms + limits.whole_ms)
    return found if now_ms < ends_at_ms else None


def _present(session: AdminSession, connection: sa.Connection, found: UserSession) -> User | None:
    """The person of a session, unless disabled, gone, or put back to an earlier state."""
    try:
        user = users.get(connection, session.ring, found.user_id)
    except NotFound:
        return None
    return None if user.disabled_at_ms is not None or user.rights < found.rights else user


def _is_same_network(found: UserSession, address: str | None) -> bool:
    return network_of(found.origin.address) == network_of(address or "")
