"""Passkeys (WebAuthn): keys of a browser, phone or security key, bound to the console's address.

A passkey alone signs in when the device has verified its person; after a password it is enough
that it was touched. A challenge is used once.
"""

from typing import Final
from urllib.parse import urlsplit

import msgspec
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import (
    base64url_to_bytes,
    bytes_to_base64url,
    parse_authentication_credential_json,
)
from webauthn.helpers.structs import (
    AuthenticationCredential,
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from gatehouse.access.actors import Actor
from gatehouse.access.people import Passkey, User
from gatehouse.admin.people.queries import users
from gatehouse.admin.sign_in.use_cases import second_steps, throttle, tickets
from gatehouse.admin.sign_in.use_cases.elsewhere import check_signs_in_here
from gatehouse.admin.sign_in.use_cases.logins import check_name
from gatehouse.admin.sign_in.use_cases.sessions import SessionOrigin, SignedIn, begin
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn, by
from gatehouse.admin.sign_in.use_cases.tickets import TicketContent
from gatehouse.core.errors import Conflict, InvalidInput, NotFound, SignInRefused
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change

_PASSKEY_WRONG: Final = Phrase(
    "refused.passkey_wrong",
    "the passkey was not accepted; try again, or sign in with your password",
)

_PASSKEYS_FULL: Final = Phrase(
    "refused.passkeys_full", "there are {most} passkeys already; remove one first"
)
_PASSKEY_ANSWER: Final = Phrase(
    "refused.passkey_answer", "the browser's answer cannot be used; try again"
)
_PASSKEY_KNOWN: Final = Phrase("refused.passkey_known", "this passkey is there already")
_PASSKEY_GONE: Final = Phrase("refused.passkey_gone", "this passkey is gone already")
_PASSKEY_LAST: Final = Phrase(
    "refused.passkey_last", "without this passkey you could not sign in; choose a password first"
)

MOST_PASSKEYS: Final = 20
LONGEST_RESPONSE: Final = 16_384
_REGISTER: Final = "passkey-new"
_SIGN_IN: Final = "passkey"
_CHALLENGE_MS: Final = 5 * 60_000
_WRONG: Final = _PASSKEY_WRONG()


class PasskeyPlace(msgspec.Struct, frozen=True):
    """Where passkeys are valid: the console, at the address that browsers show."""

    host: str
    origin: str

    @classmethod
    def of(cls, url: str) -> "PasskeyPlace":
        """The place of the console's address."""
        split = urlsplit(url)
        return cls(split.hostname or "", f"{split.scheme}://{split.netloc}")


class Challenge(Personal, frozen=True):
    """What the browser is asked; the ticket comes back with its answer."""

    ticket: str
    options: str
    """As JSON, for `navigator.credentials`."""


def begin_registration(session: AdminSession, user_id: str, place: PasskeyPlace) -> Challenge:
    """Ask a browser for a new passkey of a person."""
    session.actor.check_installation()
    with session.reading() as connection:
        user = users.get(connection, session.ring, user_id)
    check_signs_in_here(user)
    if len(user.passkeys) >= MOST_PASSKEYS:
        raise Conflict(_PASSKEYS_FULL(most=MOST_PASSKEYS))
    challenge = session.randomness(32)
    options = generate_registration_options(
        rp_id=place.host,
        rp_name="Gatehouse",
        user_name=user.login,
        user_display_name=user.name,
        user_id=user.user_id.encode(),
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED,
            user_verification=UserVerificationRequirement.PREFERRED,
        ),
        exclude_credentials=_descriptors(user),
    )
    said = {"challenge": bytes_to_base64url(challenge), "userId": user_id}
    ticket = tickets.make(session, _REGISTER, _CHALLENGE_MS, **said)
    return Challenge(ticket, options_to_json(options))


def register(
    session: AdminSession, user_id: str, ticket: str, given: "NewPasskey", place: PasskeyPlace
) -> Passkey:
    """Keep the passkey that a browser made."""
    session.actor.check_installation()
    name = check_name(given.name)
    found = tickets.read(session, _REGISTER, ticket)
    if found.values["userId"] != user_id:
        raise SignInRefused(_WRONG)
    try:
        made = verify_registration_response(
            credential=_bounded(given.response),
            expected_challenge=_challenge(found),
            expected_rp_id=place.host,
            expected_origin=place.origin,
        )
    except Exception:  # whatever the parsers raise for bytes of strangers
        raise InvalidInput(_PASSKEY_ANSWER()) from None
    with session.change(unseen=True) as change:
        tickets.use(change, _REGISTER, found)
        user = users.get(change.connection, change.ring, user_id)
        check_signs_in_here(user)
        new = Passkey(
            credential_id=bytes_to_base64url(made.credential_id),
            public_key=made.credential_public_key,
            name=name,
            created_at_ms=change.now_ms,
            uses=made.sign_count,
        )
        if any(each.credential_id == new.credential_id for each in user.passkeys):
            raise Conflict(_PASSKEY_KNOWN())
        users.save(change, user.with_rights(passkeys=(*user.passkeys, new)))
        change.audit("user.passkey-add", userId=user_id, name=name)
    return new


class NewPasskey(Personal, frozen=True):
    """What a browser answered, as JSON, and what the person calls the passkey."""

    response: str
    name: str


def listing(session: AdminSession, user_id: str) -> tuple[Passkey, ...]:
    """The passkeys of a person."""
    session.actor.check_installation()
    with session.reading() as connection:
        return users.get(connection, session.ring, user_id).passkeys


def remove(session: AdminSession, user_id: str, credential_id: str) -> None:
    """Let a passkey sign in no more."""
    session.actor.check_installation()
    with session.change(unseen=True) as change:
        user = users.get(change.connection, change.ring, user_id)
        left = tuple(each for each in user.passkeys if each.credential_id != credential_id)
        if len(left) == len(user.passkeys):
            raise NotFound(_PASSKEY_GONE())
        if not left and user.password is None and user.subject is None:
            raise Conflict(_PASSKEY_LAST())
        users.save(change, user.with_rights(passkeys=left))
        change.audit("user.passkey-remove", userId=user_id)


def begin_sign_in(
    session: AdminSession, place: PasskeyPlace, second_step: str | None = None
) -> Challenge:
    """Ask a browser for a passkey: of anybody, or as the second step of a sign-in."""
    session.actor.check_installation()
    user = None if second_step is None else second_steps.waiting(session, second_step)
    challenge = session.randomness(32)
    options = generate_authentication_options(
        rp_id=place.host,
        challenge=challenge,
        allow_credentials=None if user is None else _descriptors(user),
        user_verification=UserVerificationRequirement.REQUIRED
        if user is None
        else UserVerificationRequirement.PREFERRED,
    )
    said = {"challenge": bytes_to_base64url(challenge), "secondStep": second_step}
    said["userId"] = None if user is None else user.user_id
    ticket = tickets.make(session, _SIGN_IN, _CHALLENGE_MS, **said)
    return Challenge(ticket, options_to_json(options))


def sign_in_by(
    sign_in: SignIn, ticket: str, response: str, place: PasskeyPlace, origin: SessionOrigin
) -> SignedIn:
    """Sign in by the passkey that a browser answered with; `SignInRefused` otherwise."""
    session = sign_in.session
    counted = throttle.places(origin.address)
    throttle.admit(session, counted)
    found = tickets.read(session, _SIGN_IN, ticket)
    try:
        credential = parse_authentication_credential_json(_bounded(response))
    except Exception:  # whatever the parsers raise for bytes of strangers
        raise SignInRefused(_WRONG) from None
    handle = (credential.response.user_handle or b"").decode(errors="replace")
    user_id = found.values["userId"] or handle
    with session.reading() as connection:
        users.check_all(connection, session.signer)
        try:
            user = users.get(connection, session.ring, user_id)
        except NotFound:
            raise SignInRefused(_WRONG) from None
    with session.acting_as(Actor.user(user.login, None)).change(unseen=True) as change:
        tickets.use(change, _SIGN_IN, found)
        second_step = found.values["secondStep"]
        current = _current(change, user_id, second_step)
        used = _verified(current, credential, found, place, change.now_ms)
        throttle.take_back(change.connection, session, counted)
        method = "password+passkey" if second_step else "passkey"
        return begin(change, used, by(origin, method), sign_in.limits)


def _current(change: Change, user_id: str, second_step: str | None) -> User:
    if second_step is not None:
        return second_steps.take_ticket(change, second_step)
    user = users.get(change.connection, change.ring, user_id)
    if user.disabled_at_ms is not None or user.signs_in_elsewhere:
        raise SignInRefused(_WRONG)
    return user


def _verified(
    user: User,
    credential: AuthenticationCredential,
    found: TicketContent,
    place: PasskeyPlace,
    now_ms: int,
) -> User:
    """The person after a passkey was used, with its new count; `SignInRefused` otherwise."""
    named = bytes_to_base64url(credential.raw_id)
    key = next((each for each in user.passkeys if each.credential_id == named), None)
    if key is None:
        raise SignInRefused(_WRONG)
    try:
        done = verify_authentication_response(
            credential=credential,
            expected_challenge=_challenge(found),
            expected_rp_id=place.host,
            expected_origin=place.origin,
            credential_public_key=key.public_key,
            credential_current_sign_count=key.uses,
            require_user_verification=found.values["userId"] is None,
        )
    except Exception:  # whatever the parsers raise for bytes of strangers
        raise SignInRefused(_WRONG) from None
    used = msgspec.structs.replace(key, uses=done.new_sign_count, used_at_ms=now_ms)
    keys = tuple(used if each is key else each for each in user.passkeys)
    return msgspec.structs.replace(user, passkeys=keys)


def _challenge(found: TicketContent) -> bytes:
    return base64url_to_bytes(found.values["challenge"])


def _bounded(response: str) -> str:
    if len(response) > LONGEST_RESPONSE:
        raise ValueError
    return response


def _descriptors(user: User) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(id=base64url_to_bytes(each.credential_id))
        for each in user.passkeys
    ]
