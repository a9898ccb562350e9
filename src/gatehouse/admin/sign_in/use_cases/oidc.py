"""Single sign-on by OpenID Connect: the authorization code flow with PKCE.

People are recognised by issuer and subject. Who comes for the first time is found by the e-mail
address, if the provider has verified it; where groups are mapped to roles, newcomers are made and
the groups decide about all roles at every sign-in.
"""

import base64
import hashlib
import hmac
import logging
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.access.people import User
from gatehouse.access.roles import EVERYWHERE, OF_ACCOUNTS, UserRole
from gatehouse.admin.people.queries import users
from gatehouse.admin.sign_in.queries import sessions
from gatehouse.admin.sign_in.use_cases import links, throttle, tickets
from gatehouse.admin.sign_in.use_cases.logins import check_login, check_name
from gatehouse.admin.sign_in.use_cases.oidc_provider import Provider
from gatehouse.admin.sign_in.use_cases.sessions import SessionOrigin, SignedIn, begin, new_token
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn, by
from gatehouse.core.errors import GatehouseError, InvalidInput, SettingsError, SignInRefused
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.wording.sentences import Phrase
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import Change

_SSO_REFUSED: Final = Phrase(
    "refused.sso_refused",
    "single sign-on did not let you in; ask your administrator for an invitation",
)
_SSO_OTHER_BROWSER: Final = Phrase(
    "refused.sso_other_browser", "this sign-in was begun in another browser; begin again"
)

CALLBACK: Final = "/sign-in/oidc"
_KIND: Final = "oidc"
_LIFETIME_MS: Final = 10 * 60_000
_LEEWAY_S: Final = 60
_REFUSED: Final = _SSO_REFUSED()
_log: Final = logging.getLogger("gatehouse.people")


class Departure(Personal, frozen=True):
    """Where the browser is sent, and the state that it keeps in a cookie meanwhile."""

    url: str
    state: str


class ProviderAnswer(Personal, frozen=True):
    """What the browser brought back from the provider."""

    state: str
    code: str = ""
    issuer: str = ""
    error: str = ""


class ArrivedPerson(msgspec.Struct, frozen=True):
    """Who is signed in now, and the page that was asked for before."""

    signed_in: SignedIn
    next: str


class _Claims(Personal, frozen=True):
    """What the provider says of a person, after everything was checked."""

    subject: str
    email: str | None
    name: str
    groups: frozenset[str]


class SingleSignOn:
    """Signs people in who have signed in elsewhere."""

    def __init__(self, sign_in: SignIn, settings: Settings) -> None:
        if not settings.oidc_issuer or not settings.oidc_client_id:
            raise SettingsError(
                "single sign-on needs GATEHOUSE_OIDC_ISSUER and GATEHOUSE_OIDC_CLIENT_ID"
            )
        self._sign_in = sign_in
        self._settings = settings
        self._provider = Provider(settings)
        self._redirect_uri: Final = settings.effective_console_url + CALLBACK
        self._roles = [(group, *read_role(role)) for group, role in settings.oidc_roles]

    def depart(self, next_path: str) -> Departure:
        """Send a browser to the provider; the state must come back in the address and a cookie."""
        session = self._sign_in.session
        nonce, verifier = new_token(session.randomness), new_token(session.randomness)
        said = {"nonce": nonce, "verifier": verifier, "next": next_path}
        state = tickets.make(session, _KIND, _LIFETIME_MS, **said)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
        asked = {
            "response_type": "code",
            "scope": "openid email profile",
            "client_id": self._settings.oidc_client_id,
            "redirect_uri": self._redirect_uri,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge.rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        address = self._provider.document().authorization_endpoint
        joint = "&" if "?" in address else "?"
        return Departure(f"{address}{joint}{urlencode(asked)}", state)

    def arrive(
        self, arrival: ProviderAnswer, kept_state: str, origin: SessionOrigin
    ) -> ArrivedPerson:
        """Sign in the person who comes back; `kept_state` is what the browser's cookie says."""
        session = self._sign_in.session
        throttled = throttle.places(origin.address)
        throttle.admit(session, throttled)
        if not hmac.compare_digest(arrival.state.encode(), kept_state.encode()):
            raise SignInRefused(_SSO_OTHER_BROWSER())
        ticket = tickets.read(session, _KIND, arrival.state)
        try:
            claims = self._claims(arrival, ticket.values, session.clock() // 1000)
        except ValueError as error:
            _log.warning("single sign-on was refused: %s", error)
            raise SignInRefused(_REFUSED) from None
        # The person is not known yet; the line of the audit log names it all the same.
        actor = Actor.user(claims.email or claims.subject, None)
        with session.acting_as(actor).change(unseen=True) as change:
            tickets.use(change, _KIND, ticket)
            throttle.take_back(change.connection, session, throttled)
            person, started = self._person(change, claims), None
            if person.roles or person.works_everywhere or not self._roles:
                started = begin(change, person, by(origin, _KIND), self._sign_in.limits)
        if started is None:  # After the commit, so that roles of former groups are gone.
            raise SignInRefused(_REFUSED)
        return ArrivedPerson(started, ticket.values["next"])

    def _claims(self, arrival: ProviderAnswer, asked: Mapping[str, Any], now_s: int) -> _Claims:
        """What the provider says, or `ValueError` with the reason."""
        settings = self._settings
        if arrival.error or not arrival.code:
            raise ValueError("the provider refused")
        if arrival.issuer and arrival.issuer.rstrip("/") != settings.oidc_issuer:
            raise ValueError("the answer names another issuer")
        token = self._provider.id_token(arrival.code, asked["verifier"], self._redirect_uri)
        claims = self._provider.claims(token)
        _check(claims, settings, asked["nonce"], now_s)
        email = claims.get("email")
        verified = claims.get("email_verified") in (True, "true")
        groups = claims.get(settings.oidc_groups_claim, ())
        listed = groups if isinstance(groups, list | tuple) else [groups]
        return _Claims(
            subject=f"{settings.oidc_issuer} {claims['sub']}",
            email=check_login(email) if isinstance(email, str) and verified else None,
            name=str(claims.get("name") or email or ""),
            groups=frozenset(each for each in listed if isinstance(each, str)),
        )

    def _person(self, change: Change, claims: _Claims) -> User:
        """The person, made or brought up to date; `SignInRefused` for strangers."""
        users.check_all(change.connection, change.signer)
        user = users.find_subject(change.connection, change.ring, claims.subject)
        if user is None and claims.email is not None:
            user = users.find(change.connection, change.ring, claims.email)
            if user is not None and user.subject not in (None, claims.subject):
                user = None
                _log.warning("single sign-on was refused: the address belongs to another subject")
        if user is not None and user.disabled_at_ms is not None:
            raise SignInRefused(_REFUSED)
        if user is not None and user.subject is None:
            # Another person than the provider knows by this address may have the invitation.
            sessions.end_all(change.connection, user.user_id)
            links.forget(change, user)
            linked = {"subject": claims.subject, "entitled_at_ms": change.now_ms}
            user = users.save(change, msgspec.structs.replace(user.without_proofs(), **linked))
            change.audit("user.single-sign-on", userId=user.user_id)
        if self._roles:
            return self._by_groups(change, user, claims)
        if user is None:
            raise SignInRefused(_REFUSED)
        return user

    def _by_groups(self, change: Change, user: User | None, claims: _Claims) -> User:
        mine = [(role, account) for group, role, account in self._roles if group in claims.groups]
        is_operator = any(role is UserRole.OPERATOR for role, _ in mine)
        is_billing = any(role is UserRole.BILLING for role, _ in mine)
        roles: dict[str, str] = {}
        for role, account_id in mine:
            if account_id is not None and _exists(change, account_id):
                roles.setdefault(account_id, role)  # The first group that is mapped decides.
        if user is None:
            if not mine or claims.email is None or _is_taken(change, claims.email):
                raise SignInRefused(_REFUSED)
            user = users.add(change, _newcomer(change, claims))
            change.audit("user.single-sign-on", userId=user.user_id, isNew=True)
        everywhere = {"is_operator": is_operator, "is_billing": is_billing}
        before = (dict(user.roles), user.is_operator, user.is_billing)
        if before != (roles, is_operator, is_billing):
            # A link that an administrator made earlier must not hand over what groups give.
            links.forget(change, user)
            rights = {"roles": roles, **everywhere, "entitled_at_ms": change.now_ms}
            user = users.save(change, user.with_rights(**rights))
            change.audit(
                "user.groups",
                userId=user.user_id,
                roles=roles,
                operator=is_operator,
                billing=is_billing,
            )
        elif not mine:
            raise SignInRefused(_REFUSED)
        return user


def read_role(text: str) -> tuple[UserRole, str | None]:
    """`operator`, `billing`, or `role@account`, as the setting has it."""
    role, separator, account_id = text.partition("@")
    if role in EVERYWHERE and not separator:
        return UserRole(role), None
    if role not in OF_ACCOUNTS or not account_id:
        raise SettingsError(
            f"GATEHOUSE_OIDC_ROLES: {text} is neither operator nor billing nor a role at an "
            "account, such as analyst@acct_..."
        )
    return UserRole(role), account_id


def _check(claims: Mapping[str, Any], settings: Settings, nonce: str, now_s: int) -> None:
    """Refuse a token that is not for us, not from there, not of now, or not of this sign-in."""
    audience = claims.get("aud")
    named = audience if isinstance(audience, list) else [audience]
    if str(claims.get("iss", "")).rstrip("/") != settings.oidc_issuer:
        raise ValueError("the token is of another issuer")
    if settings.oidc_client_id not in named:
        raise ValueError("the token is for somebody else")
    if claims.get("azp", settings.oidc_client_id) != settings.oidc_client_id:
        raise ValueError("the token was handed to somebody else")
    expires, issued = claims.get("exp"), claims.get("iat")
    if not isinstance(expires, int | float) or expires + _LEEWAY_S <= now_s:
        raise ValueError("the token has expired")
    if not isinstance(issued, int | float) or issued - _LEEWAY_S > now_s:
        raise ValueError("the token is of the future")
    if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
        raise ValueError("the token is of another sign-in")
    if not isinstance(claims.get("sub"), str) or not 0 < len(claims["sub"]) <= 255:
        raise ValueError("the token names nobody")


def _exists(change: Change, account_id: str) -> bool:
    try:
        accounts.get(change.connection, account_id)
    except GatehouseError:
        _log.warning("GATEHOUSE_OIDC_ROLES names an account that does not exist")
        return False
    return True


def _is_taken(change: Change, login: str) -> bool:
    return users.find(change.connection, change.ring, login) is not None


def _newcomer(change: Change, claims: _Claims) -> User:
    login = claims.email or ""
    try:
        name = check_name(claims.name[:100])
    except InvalidInput:
        name = login
    return User(
        user_id=change.new_id("usr"),
        login=login,
        name=name,
        created_at_ms=change.now_ms,
        subject=claims.subject,
    )
