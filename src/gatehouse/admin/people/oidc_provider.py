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
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.sentences import Phrase, said_by
from gatehouse.settings import Settings

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
_TIMEOUT_S: Final = 10
_LARGEST: Final = 1_048_576
_LONGEST_TOKEN: Final = 65_536
_KEPT_S: Final = 3600
_KEYS_AGAIN_S: Final = 60
_LOCAL: Final = ("127.0.0.1", "::1", "localhost")


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


class Provider:
    """The provider that the settings name; its document and keys are kept for an hour."""

    def __init__(self, settings: Settings, ticks: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._ticks = ticks
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._lock = threading.Lock()
        self._document: tuple[float, Discovered] | None = None
        self._keys: tuple[float, KeySet] | None = None

    def document(self) -> Discovered:
        """Where the provider is asked what."""
        with self._lock:
            if self._document is None or self._ticks() - self._document[0] > _KEPT_S:
                self._document = (self._ticks(), self._discover())
            return self._document[1]

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
        uri = self.document().jwks_uri
        with self._lock:
            kept_s = _KEYS_AGAIN_S if fresh else _KEPT_S
            if self._keys is None or self._ticks() - self._keys[0] > kept_s:
                try:
                    keys: Any = self._ask(uri)
                    self._keys = (self._ticks(), KeySet.import_key_set(keys))
                except (JoseError, ValueError, KeyError, TypeError):
                    raise ConnectorFailed(_SSO_KEYS()) from None
            return self._keys[1]

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
            if split.scheme != "https" and split.hostname not in _LOCAL:
                raise ConnectorFailed(_SSO_TLS())
        return found

    def _ask(
        self, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        told = {"Accept": "application/json", **(headers or {})}
        request = urllib.request.Request(url, data=body, headers=told)  # noqa: S310  # checked
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                read = json.loads(answer.read(_LARGEST))
        except (OSError, http.client.HTTPException, ValueError) as error:
            status = f" {error.code}" if isinstance(error, urllib.error.HTTPError) else ""
            raise ConnectorFailed(_SSO_DOWN(name=type(error).__name__, status=status)) from None
        if not isinstance(read, dict):
            raise ConnectorFailed(_SSO_UNEXPECTED())
        return read
