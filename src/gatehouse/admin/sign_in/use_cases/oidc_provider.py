"""What is asked of a provider of single sign-on: its addresses, its keys, and tokens for codes.

Addresses come from the provider's discovery document, and must be of HTTPS; nothing follows
redirects, and every answer is bounded.
"""

import base64
import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from threading import Thread
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.settings.settings import Settings

_SSO_NO_TOKEN: Final = Phrase(
    "refused.sso_no_token", "the provider of single sign-on sent no ID token"
)
_SSO_KEYS: Final = Phrase("refused.sso_keys", "the keys of single sign-on cannot be read")
_SSO_LACKS: Final = Phrase("refused.sso_lacks", "the document of single sign-on lacks: {why}")
_SSO_ISSUER: Final = Phrase(
    "refused.sso_issuer", "the document of single sign-on names another issuer"
)
_SSO_TLS: Final = Phrase(
    "refused.sso_tls", "the document of single sign-on names an address without TLS"
)
_SSO_DOWN: Final = Phrase("refused.sso_down", "single sign-on does not work now: {name}{status}")
_SSO_UNEXPECTED: Final = Phrase(
    "refused.sso_unexpected", "the provider of single sign-on sent something unexpected"
)

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384",
                     "ES512", "EdDSA", "Ed25519")  # fmt: skip
"""Signatures with keys of the provider's own; none that the console's secret could make."""
_TIMEOUT_S: Final = 5
PATIENCE_S: Final = 2.0
"""How long a page waits for the document or the keys; what comes later is there for the next."""
AGAIN_S: Final = 10
"""When a provider that failed is asked again."""
_LARGEST: Final = 1_048_576
_LONGEST_TOKEN: Final = 65_536
_KEPT_S: Final = 3600
KEYS_AGAIN_S: Final = 60
_LOCAL: Final = ("127.0.0.1", "::1", "localhost")

T = TypeVar("T")


class Discovered(msgspec.Struct, frozen=True):
    """The part of a discovery document that is used."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _FetchedBeside(Generic[T]):
    """Something of the provider: fetched beside by one thread at a time, and kept for a while."""

    def __init__(self, fetch: Callable[[], T]) -> None:
        self._fetch = fetch
        self._lock = threading.Lock()
        self._asked_s = 0.0
        self._answer: Future[T] | None = None

    def get(self, kept_s: float) -> T:
        """What was said within this time; a provider that is silent or fails is not waited for."""
        with self._lock:
            waited_s = time.monotonic() - self._asked_s
            if self._answer is None or not self._counts(self._answer, waited_s, kept_s):
                self._asked_s, waited_s = time.monotonic(), 0.0
                self._answer = Future()
                # Not a pool: its threads would keep a console from stopping.
                Thread(target=self._run, args=(self._answer,), daemon=True).start()
            answer = self._answer
        try:
            return answer.result(max(0.0, PATIENCE_S - waited_s))
        except TimeoutError:
            raise ConnectorFailed(_SSO_DOWN(name=TimeoutError.__name__, status="")) from None

    def _counts(self, answer: "Future[T]", age_s: float, kept_s: float) -> bool:
        if not answer.done():
            return True
        return age_s <= (kept_s if answer.exception() is None else AGAIN_S)

    def _run(self, answer: "Future[T]") -> None:
        try:
            answer.set_result(self._fetch())
        except ConnectorFailed as error:
            answer.set_exception(error)
        except Exception:
            # Addresses and documents may be such that no reader of them takes them.
            answer.set_exception(ConnectorFailed(_SSO_UNEXPECTED()))


class Provider:
    """The provider that the settings name; its document and keys are kept for an hour."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._document = _FetchedBeside(self._discover)
        self._keys = _FetchedBeside(self._fetch_keys)

    def document(self) -> Discovered:
        """Where the provider is asked what."""
        return self._document.get(_KEPT_S)

    def id_token(self, code: str, verifier: str, redirect_uri: str) -> str:
        """The ID token that a code stands for."""
        found, settings = self.document(), self._settings
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
            "client_id": settings.oidc_client_id,
        }
        headers = {}
        if settings.oidc_client_secret:
            if "client_secret_basic" in found.token_endpoint_auth_methods_supported:
                pair = f"{quote(settings.oidc_client_id)}:{quote(settings.oidc_client_secret)}"
                headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
            else:
                form["client_secret"] = settings.oidc_client_secret
        answer = self._ask(found.token_endpoint, urlencode(form).encode(), headers)
        token = answer.get("id_token")
        if not isinstance(token, str) or len(token) > _LONGEST_TOKEN:
            raise ConnectorFailed(_SSO_NO_TOKEN())
        return token

    def claims(self, token: str) -> Mapping[str, Any]:
        """What a token says, if a key of the provider signed it; `ValueError` otherwise."""
        for fresh in (False, True):
            try:
                return jwt.decode(token, self._key_set(fresh=fresh), list(ALGORITHMS)).claims
            except (JoseError, ValueError, TypeError) as error:
                problem = error
        raise ValueError(f"its signature does not fit: {type(problem).__name__}")

    def _key_set(self, *, fresh: bool) -> KeySet:
        """The keys of the provider; a token with an unknown one is a reason to ask again."""
        return self._keys.get(KEYS_AGAIN_S if fresh else _KEPT_S)

    def _fetch_keys(self) -> KeySet:
        keys: Any = self._ask(self.document().jwks_uri)
        try:
            return KeySet.import_key_set(keys)
        except (JoseError, ValueError, KeyError, TypeError):
            raise ConnectorFailed(_SSO_KEYS()) from None

    def _discover(self) -> Discovered:
        issuer = self._settings.oidc_issuer
        answer = self._ask(f"{issuer}/.well-known/openid-configuration")
        try:
            found = msgspec.convert(answer, Discovered)
        except msgspec.ValidationError as error:
            raise ConnectorFailed(_SSO_LACKS(why=said_by(error))) from None
        if found.issuer.rstrip("/") != issuer:
            raise ConnectorFailed(_SSO_ISSUER())
        for url in (found.authorization_endpoint, found.token_endpoint, found.jwks_uri):
            split = urlsplit(url)
            is_near = split.scheme == "http" and split.hostname in _LOCAL
            if split.scheme != "https" and not is_near:
                raise ConnectorFailed(_SSO_TLS())
        return found

    def _ask(
        self, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        told = {"Accept": "application/json", **(headers or {})}
        try:
            request = urllib.request.Request(url, data=body, headers=told)  # noqa: S310  # checked
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                read = json.loads(answer.read(_LARGEST))
        except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
            status = f" {error.code}" if isinstance(error, urllib.error.HTTPError) else ""
            raise ConnectorFailed(_SSO_DOWN(name=type(error).__name__, status=status)) from None
        if not isinstance(read, dict):
            raise ConnectorFailed(_SSO_UNEXPECTED())
        return read
