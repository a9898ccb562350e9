"""Codes of an authenticator app (RFC 6238), and recovery codes for who has lost it.

A code counts once: the step that it belongs to is noted in the transaction that it signs in by. The
code of the step before and after is taken too, for clocks that are off.
"""

import base64
import hmac
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import msgspec
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.hotp import HOTP

from gatehouse.access.people import User
from gatehouse.admin.people.queries import sealed, users
from gatehouse.admin.sign_in.use_cases import tickets
from gatehouse.admin.sign_in.use_cases.elsewhere import check_signs_in_here
from gatehouse.core.errors import Conflict, SignInRefused
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession

_TOTP_SLOW: Final = Phrase(
    "refused.totp_slow", "this took too long; begin again with a new code to scan"
)
_TOTP_WRONG: Final = Phrase(
    "refused.totp_wrong", "the code is wrong; the clock of your device must be right"
)
_TOTP_NONE: Final = Phrase("refused.totp_none", "there is no authenticator app to remove")
_TOTP_FIRST: Final = Phrase(
    "refused.totp_first", "recovery codes stand in for an authenticator app; set one up first"
)

RECOVERY_CODES: Final = 10
_KIND: Final = "totp"
_STEP_MS: Final = 30_000
_SECRET_BYTES: Final = 20
_MINUTES_MS: Final = 15 * 60_000


class Enrolment(Personal, frozen=True):
    """What an authenticator app is shown; nothing is kept of it until a code was confirmed."""

    ticket: str
    secret: str
    """In base 32, for typing."""
    uri: str
    """For the QR code."""


def enrol(session: AdminSession, user_id: str) -> Enrolment:
    """Choose a secret for a person; it counts when `confirm` was called with a code."""
    session.actor.check_installation()
    shown = base64.b32encode(session.randomness(_SECRET_BYTES)).decode()
    with session.reading() as connection:
        user = users.get(connection, session.ring, user_id)
    check_signs_in_here(user)
    ticket = tickets.make(session, _KIND, _MINUTES_MS, userId=user_id, secret=shown)
    return Enrolment(
        ticket,
        shown,
        f"otpauth://totp/{quote(f'Gatehouse:{user.login}')}?secret={shown}&issuer=Gatehouse",
    )


def confirm(session: AdminSession, user_id: str, ticket: str, code: str) -> list[str]:
    """Let the secret count from now on; the recovery codes, which are shown once."""
    session.actor.check_installation()
    with session.change(unseen=True) as change:
        try:
            found = tickets.read(session, _KIND, ticket)
            tickets.use(change, _KIND, found)
        except SignInRefused:
            raise Conflict(_TOTP_SLOW()) from None
        if found.values["userId"] != user_id:
            raise Conflict(_TOTP_SLOW())
        secret = base64.b32decode(found.values["secret"])
        step = fitting_step(secret, code, change.now_ms, after=0)
        if step is None:
            raise SignInRefused(_TOTP_WRONG())
        user = users.get(change.connection, change.ring, user_id)
        check_signs_in_here(user)
        codes = _new_codes(change.random_bytes)
        kept = recovery_hashes(change.ring, user_id, codes)
        users.save(change, user.with_rights(totp=secret, totp_step=step, recovery=kept))
        change.audit("user.totp-on", userId=user_id)
    return codes


def remove(session: AdminSession, user_id: str) -> None:
    """Let codes of the app and recovery codes sign in no more."""
    session.actor.check_installation()
    with session.change(unseen=True) as change:
        user = users.get(change.connection, change.ring, user_id)
        if user.totp is None:
            raise Conflict(_TOTP_NONE())
        users.save(change, user.with_rights(totp=None, totp_step=0, recovery=()))
        change.audit("user.totp-off", userId=user_id)


def new_recovery_codes(session: AdminSession, user_id: str) -> list[str]:
    """New recovery codes, shown once; the earlier ones work no more."""
    session.actor.check_installation()
    with session.change(unseen=True) as change:
        user = users.get(change.connection, change.ring, user_id)
        if user.totp is None:
            raise Conflict(_TOTP_FIRST())
        codes = _new_codes(change.random_bytes)
        kept = recovery_hashes(change.ring, user_id, codes)
        users.save(change, msgspec.structs.replace(user, recovery=kept))
        change.audit("user.recovery-codes", userId=user_id)
    return codes


def use_code(ring: KeyRing, user: User, code: str, now_ms: int) -> User | None:
    """The person after a code was used up, be it one of the app or for recovery; None if wrong."""
    typed = "".join(code.split()).replace("-", "").casefold()[:40]
    if user.totp is not None:
        step = fitting_step(user.totp, typed, now_ms, after=user.totp_step)
        if step is not None:
            return msgspec.structs.replace(user, totp_step=step)
    [used] = recovery_hashes(ring, user.user_id, [typed])
    left = tuple(kept for kept in user.recovery if not hmac.compare_digest(kept, used))
    if len(left) == len(user.recovery):
        return None
    return msgspec.structs.replace(user, recovery=left)


def fitting_step(secret: bytes, code: str, now_ms: int, *, after: int) -> int | None:
    """The step that a code belongs to, if it is about now and after the last one that was used."""
    now = now_ms // _STEP_MS
    app = HOTP(secret, 6, SHA1())  # noqa: S303  # what all apps use; HMAC does not need more
    for step in (now - 1, now, now + 1):
        if step > after and hmac.compare_digest(app.generate(step), code.encode()):
            return step
    return None


def recovery_hashes(ring: KeyRing, user_id: str, codes: Sequence[str]) -> tuple[str, ...]:
    """Recovery codes as they are kept."""
    plain = (code.replace("-", "") for code in codes)
    return tuple(sealed.hashed(ring, f"recovery {user_id}", code) for code in plain)


def _new_codes(random_bytes: Randomness) -> list[str]:
    """Ten codes of 50 random bits, in two halves."""
    codes = []
    for _ in range(RECOVERY_CODES):
        letters = base64.b32encode(random_bytes(10)).decode().casefold()
        codes.append(f"{letters[:5]}-{letters[5:10]}")
    return codes
