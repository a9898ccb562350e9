"""Puts a connector together: its secrets, client, authentication and compiled calls."""

from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from gatehouse.connectors.http.answers import WordKind
from gatehouse.connectors.http.authentication import Authentication
from gatehouse.connectors.http.calls import CompiledCall, PartyCaller
from gatehouse.connectors.http.client import Endpoint, HttpClient
from gatehouse.connectors.http.compiled import SharedParts, compile_errors, compile_requests
from gatehouse.connectors.http.mapping import Errors, Requests
from gatehouse.connectors.http.options import HttpDefinition, url_problem
from gatehouse.connectors.http.signing import (
    HmacSigner,
    RequestSigner,
    TokenSigner,
    fixed_headers,
    fixed_text,
)
from gatehouse.connectors.http.templates import Environment
from gatehouse.connectors.http.wire import Header
from gatehouse.connectors.secret_sources import read_secret
from gatehouse.connectors.tls import TlsOptions, client_context
from gatehouse.core.errors import SettingsError
from gatehouse.core.wording.sentences import Phrase

if TYPE_CHECKING:
    from gatehouse.connectors.http.encryption import MessageCipher

_NO_SECRET: Final = Phrase("connector.no_secret", "the mapping {mapping} needs the secret {name}")
_WRONG_URL: Final = Phrase("connector.wrong_url", "the URL {problem}")

_USUAL_HEADERS: Final[tuple[Header, ...]] = (
    (b"accept", b"application/json"),
    (b"user-agent", b"gatehouse"),
)


class Asking(Protocol):
    """What all functions of a mapping have."""

    @property
    def request(self) -> Requests:
        """How it is asked."""

    @property
    def errors(self) -> Errors:
        """How errors are classed."""


class Building:
    """What the ports of one connector share."""

    def __init__(self, name: str, definition: HttpDefinition) -> None:
        mapping = definition.mapping
        self.environment = _environment(definition)
        self.timeout_s = definition.timeout_ms / 1000
        self._definition = definition
        tls = definition.tls or TlsOptions()
        self._context = client_context(tls)
        offered = ["h2", "http/1.1"] if definition.http2 else ["http/1.1"]
        self._context.set_alpn_protocols(offered)
        endpoint, prefix = split_url(definition.base_url, tls.server_name)
        self._endpoint, self._authority = endpoint, endpoint.authority.lower()
        self.client = self._client(endpoint)
        self._prefix = prefix
        self._closing = [self.client.close]
        authentication = mapping.authentication
        signer = None if authentication is None else self._signer(authentication, endpoint)
        fixed = (*_USUAL_HEADERS, *fixed_headers(authentication, self.environment))
        cipher = self._cipher()
        seal = None if cipher is None else cipher.seal
        self._shared = SharedParts(prefix, mapping.headers, fixed, seal)
        self.caller = PartyCaller(name, self.client, signer, self.timeout_s)
        self.caller.cipher = cipher

    def call(
        self, asking: Asking, kind: WordKind, *, may_repeat: bool, needs_answer: bool = True
    ) -> CompiledCall:
        """How one function is asked for."""
        return CompiledCall(
            compile_requests(asking.request, self.environment, self._shared),
            compile_errors(asking.errors, kind, self.environment),
            may_repeat,
            needs_answer,
        )

    def own_path(self, link: str) -> str | None:
        """The path of a link in an answer; None where it leads to another host."""
        if link.startswith("/"):
            return link
        host, slash, path = link.removeprefix("https://").partition("/")
        ours = self._endpoint.is_secure and host.lower().encode() == self._authority
        return slash + path if ours else None

    def close(self) -> None:
        """Close all connections."""
        for close in self._closing:
            close()

    def _cipher(self) -> "MessageCipher | None":
        written = self._definition.mapping.encryption
        if written is None:
            return None
        # Its library is large, and few mappings need it.
        from gatehouse.connectors.http.encryption import make_cipher

        return make_cipher(written, self.environment)

    def _client(self, endpoint: Endpoint) -> HttpClient:
        return HttpClient(
            endpoint,
            self._context if endpoint.is_secure else None,
            connections=self._definition.connections,
            connect_timeout_s=self._definition.connect_timeout_ms / 1000,
        )

    def _signer(self, written: Authentication, endpoint: Endpoint) -> RequestSigner | None:
        if written.hmac is not None:
            return HmacSigner(written.hmac, self.environment, endpoint.authority)
        if written.oauth2 is None:
            return None
        url = fixed_text(written.oauth2.token_url, self.environment)
        if url.startswith("/"):
            client, target = self.client, self._prefix + url
        else:
            elsewhere, target = split_url(url)
            client = self._client(elsewhere)
            self._closing.append(client.close)
        signer = TokenSigner(
            written.oauth2, self.environment, client, (target or "/").encode(), self.timeout_s
        )
        self._closing.append(signer.close)
        return signer


def _environment(definition: HttpDefinition) -> Environment:
    mapping = definition.mapping
    constants: dict[str, str | None] = {
        f"option.{name}": definition.options.get(name, option.default)
        for name, option in mapping.options.items()
    }
    for name, need in mapping.secrets.items():
        source = definition.secrets.get(name)
        if source is None and (isinstance(need, str) or need.required):
            raise SettingsError(_NO_SECRET(mapping=mapping.mapping, name=name))
        constants[f"secret.{name}"] = None if source is None else read_secret(source)
    return Environment(constants, mapping.tables)


def split_url(url: str, server_name: str | None = None) -> tuple[Endpoint, str]:
    """The endpoint of a URL, and the beginning of its paths; or `SettingsError`."""
    problem = url_problem(url)
    if problem is not None:
        raise SettingsError(_WRONG_URL(problem=problem))
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    assert parts.hostname is not None
    port = parts.port or (443 if secure else 80)
    return Endpoint(parts.hostname, port, secure, server_name), parts.path.rstrip("/")
