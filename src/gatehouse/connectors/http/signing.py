"""How requests are authenticated: fixed headers, a signature, or a token that is fetched."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Callable
from typing import Final, Protocol
from urllib.parse import urlencode

import msgspec

from gatehouse.connectors.http.asked import Asked
from gatehouse.connectors.http.authentication import (
    Authentication,
    BasicAuth,
    ByteEncoding,
    HmacAuth,
    OAuthAuth,
    SendClient,
)
from gatehouse.connectors.http.client import HttpClient
from gatehouse.connectors.http.templates import (
    Environment,
    Render,
    compile_template,
    parse_template,
)
from gatehouse.connectors.http.wire import CallFailed, Header, PartyRequest
from gatehouse.core.errors import ConnectorFailed, SettingsError
from gatehouse.core.wording.sentences import Phrase, said_by

_NO_TOKEN: Final = Phrase("connector.no_token", "no token: {why}")
_TOKEN_LATE: Final = Phrase("connector.token_late", "the token service did not answer in time")
_TOKEN_FAILED: Final = Phrase("connector.token_failed", "of the token service, {why}")
_TOKEN_STATUS: Final = Phrase("connector.token_status", "the token service answered {status}")
_TOKEN_UNUSABLE: Final = Phrase(
    "connector.token_unusable", "the token service answered without a usable token"
)
_NO_VALUE: Final = Phrase("connector.no_value", "a value for authentication is missing")
_CONTROL: Final = Phrase(
    "connector.header_control", "a header would hold a line break or another control character"
)
_BEYOND_LATIN: Final = Phrase(
    "connector.header_latin", "a header would hold a character beyond Latin-1"
)
_SIGNING_KEY: Final = Phrase("connector.signing_key", "the key of the signature is not {encoding}")

_AHEAD: Final = 0.1
"""A new token is fetched when this part of its life is left."""
_SHORTEST_LIFE_S: Final = 10.0
_USUAL_LIFE_S: Final = 300.0
_PAUSE_S: Final = 1.0


class RequestSigner(Protocol):
    """Adds to a request what proves who sends it."""

    async def sign(self, request: PartyRequest, asked: Asked) -> None:
        """Add headers to a request; or `ConnectorFailed`."""

    def refused(self, asked: Asked) -> bool:
        """The party did not accept the proof; returns whether the next one will be another."""


def fixed_text(template: str, environment: Environment) -> str:
    """A template without fields of the request as text; or `SettingsError`."""
    compiled = compile_template(parse_template(template), environment)
    if compiled is None or callable(compiled):
        raise SettingsError(_NO_VALUE())
    return str(compiled)


def fixed_headers(written: Authentication | None, environment: Environment) -> list[Header]:
    """The headers that are the same for every request."""
    if written is None:
        return []
    if written.basic is not None:
        return [(b"authorization", _basic(written.basic, environment))]
    if written.bearer is not None:
        token = fixed_text(written.bearer, environment)
        return [(b"authorization", header_value(f"Bearer {token}"))]
    return []


def _basic(basic: BasicAuth, environment: Environment) -> bytes:
    user = fixed_text(basic.user, environment)
    password = fixed_text(basic.password, environment)
    return b"Basic " + base64.b64encode(f"{user}:{password}".encode())


def header_value(text: str) -> bytes:
    """A text as the value of a header; or `SettingsError` when it cannot be one."""
    if not text.isprintable():
        raise SettingsError(_CONTROL())
    try:
        return text.strip().encode("latin-1")
    except UnicodeEncodeError:
        raise SettingsError(_BEYOND_LATIN()) from None


def sendable(text: str) -> bytes:
    """The same of a text that the request decides; or `ConnectorFailed`."""
    try:
        return header_value(text)
    except SettingsError as error:
        raise ConnectorFailed(said_by(error), sent=False, answered=True) from None


class HmacSigner:
    """Signs parts of every request with a shared key."""

    def __init__(self, written: HmacAuth, environment: Environment, authority: bytes) -> None:
        self._key = key_bytes(fixed_text(written.key, environment), written.key_encoding)
        self._host = authority.decode()
        self._digest_of = getattr(hashlib, written.digest.value)
        self._algorithm = written.algorithm.value
        self._encode = _ENCODERS[written.encoding]
        self._encode_digest = _ENCODERS[written.digest_encoding]
        self._signed = compile_template(parse_template(written.sign), environment)
        self._headers = [
            (name.lower().encode(), compile_template(parse_template(text), environment))
            for name, text in written.headers.items()
        ]

    async def sign(self, request: PartyRequest, asked: Asked) -> None:
        """Add the headers of the signature."""
        signing = asked.signing = {
            "method": request.method.decode(),
            "host": self._host,
            "path": request.target.decode(),
            "body": request.body.decode(),
            "digest": self._encode_digest(self._digest_of(request.body).digest()),
        }
        text = _rendered(self._signed, asked)
        mac = hmac.new(self._key, text.encode(), self._algorithm)
        signing["signature"] = self._encode(mac.digest())
        for name, template in self._headers:
            request.headers.append((name, sendable(_rendered(template, asked))))

    def refused(self, _asked: Asked) -> bool:
        """Another signature would be refused as well."""
        return False


def _rendered(template: Render | str | int | None, asked: Asked) -> str:
    value = template(asked) if callable(template) else template
    if value is None:
        message = "a field that the signature needs is absent"
        raise ConnectorFailed(message, sent=False, answered=True)
    return str(value)


def key_bytes(text: str, encoding: ByteEncoding) -> bytes:
    """A key as it is written in a secret; or `SettingsError`."""
    try:
        if encoding is ByteEncoding.BASE64:
            return base64.b64decode(text, validate=True)
        return bytes.fromhex(text) if encoding is ByteEncoding.HEX else text.encode()
    except ValueError:
        raise SettingsError(_SIGNING_KEY(encoding=encoding.value)) from None


_ENCODERS: Final[dict[ByteEncoding, Callable[[bytes], str]]] = {
    ByteEncoding.BASE64: lambda data: base64.b64encode(data).decode(),
    ByteEncoding.HEX: bytes.hex,
}


class _TokenAnswer(msgspec.Struct):
    access_token: str
    expires_in: float | None = None


class TokenSigner:
    """Sends a token that it fetches by client credentials, one fetch at a time."""

    def __init__(
        self,
        written: OAuthAuth,
        environment: Environment,
        client: HttpClient,
        target: bytes,
        timeout_s: float,
    ) -> None:
        self._client = client
        self._target = target
        self._timeout_s = timeout_s
        self._header: Header | None = None
        self._renew_at_s = 0.0
        self._expires_at_s = 0.0
        self._not_before_s = 0.0
        self._fetching: asyncio.Task[None] | None = None
        self._problem = ""
        client_id = fixed_text(written.client_id, environment)
        client_secret = fixed_text(written.client_secret, environment)
        form = {"grant_type": "client_credentials"}
        if written.scope is not None:
            form["scope"] = fixed_text(written.scope, environment)
        form |= {name: fixed_text(text, environment) for name, text in written.extra.items()}
        self._headers = [
            (b"content-type", b"application/x-www-form-urlencoded"),
            (b"accept", b"application/json"),
        ]
        if written.send is SendClient.BASIC:
            basic = base64.b64encode(f"{client_id}:{client_secret}".encode())
            self._headers.append((b"authorization", b"Basic " + basic))
        else:
            form |= {"client_id": client_id, "client_secret": client_secret}
        self._body = urlencode(form).encode()

    async def sign(self, request: PartyRequest, asked: Asked) -> None:
        """Add the token; waits for one if there is none that is still good."""
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._renew_at_s:
            fetching = self._fetch_once(now_s)
            if now_s >= self._expires_at_s:
                if fetching is not None:
                    # One caller that gives up must not end the fetch that others wait for.
                    await asyncio.shield(fetching)
                if self._header is None or self._expires_at_s <= now_s:
                    raise ConnectorFailed(_NO_TOKEN(why=self._problem), sent=False)
        assert self._header is not None
        asked.proof = self._header
        request.headers.append(self._header)

    def refused(self, asked: Asked) -> bool:
        """The token is no longer good, whatever was said about its life."""
        if asked.proof is self._header:
            self._header = None
            self._renew_at_s = self._expires_at_s = 0.0
        return True

    def close(self) -> None:
        """End a fetch that is under way."""
        if self._fetching is not None:
            self._fetching.cancel()

    def _fetch_once(self, now_s: float) -> asyncio.Task[None] | None:
        if self._fetching is None and now_s >= self._not_before_s:
            self._fetching = asyncio.create_task(self._fetch())
            self._fetching.add_done_callback(self._fetched)
        return self._fetching

    def _fetched(self, _task: asyncio.Task[None]) -> None:
        self._fetching = None

    async def _fetch(self) -> None:
        """Fetch a token; a failure is kept for those who wait, and followed by a pause."""
        loop = asyncio.get_running_loop()
        self._not_before_s = loop.time() + _PAUSE_S
        request = PartyRequest(b"POST", self._target, [*self._headers], self._body)
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await self._client.ask(request)
        except TimeoutError:
            self._failed(_TOKEN_LATE())
            return
        except CallFailed as failure:
            self._failed(_TOKEN_FAILED(why=said_by(failure)))
            return
        if answer.status != 200:
            self._failed(_TOKEN_STATUS(status=answer.status))
            return
        try:
            found = msgspec.json.decode(answer.body, type=_TokenAnswer)
            header = header_value(f"Bearer {found.access_token}")
        except (msgspec.MsgspecError, SettingsError):
            self._failed(_TOKEN_UNUSABLE())
            return
        life_s = max(found.expires_in or _USUAL_LIFE_S, _SHORTEST_LIFE_S)
        now_s = loop.time()
        self._header = (b"authorization", header)
        self._expires_at_s = now_s + life_s * (1 - _AHEAD / 2)
        self._renew_at_s = now_s + life_s * (1 - _AHEAD)
        self._not_before_s = now_s

    def _failed(self, problem: str) -> None:
        self._problem = problem
        if asyncio.get_running_loop().time() >= self._expires_at_s:
            self._header = None
