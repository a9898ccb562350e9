"""The two clients: what they are made with, and how they are closed."""

import os
import ssl
import sys
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Final, TypeVar
from urllib.parse import urlsplit

import httpx2

from gatehouse_client import _async_methods, _methods
from gatehouse_client._calls import Options, positive
from gatehouse_client._sending import AsyncSender, Sender
from gatehouse_client._version import __version__

TIMEOUT_S: Final = 10.0
MAX_RETRIES: Final = 2
SANDBOX_URL: Final = "http://127.0.0.1:8080"
_PYTHON: Final = ".".join(map(str, sys.version_info[:3]))
_USER_AGENT: Final = f"gatehouse-client/{__version__} python/{_PYTHON}"
_LOCAL: Final = frozenset({"127.0.0.1", "::1", "localhost"})
Blocking = TypeVar("Blocking", bound="Gatehouse")
Async = TypeVar("Async", bound="AsyncGatehouse")


class Gatehouse(_methods.Methods):
    """Calls Gatehouse and blocks until it answers. One client serves any number of threads."""

    def __init__(
        self,
        api_key: str,
        base_url: str = SANDBOX_URL,
        *,
        timeout_s: float = TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
        strict: bool = False,
        allow_plain_http: bool = False,
        http_client: httpx2.Client | None = None,
    ) -> None:
        """`strict` makes fields that nothing reads errors instead of warnings.

        Plain HTTP is for this machine only, unless `allow_plain_http` says that the network is
        trusted. An `http_client` of your own (a proxy, certificates) is closed by you.
        """
        options = _options(api_key, base_url, timeout_s, max_retries, strict)
        _check_transport(options.base_url, allow_plain_http=allow_plain_http)
        self._own = http_client is None
        self._start(Sender(http_client or httpx2.Client(verify=_trust(base_url)), options))

    def _start(self, sender: Sender) -> None:
        self._sender = sender
        super().__init__(sender)

    @classmethod
    def from_env(cls: type[Blocking], environ: Mapping[str, str] | None = None) -> Blocking:
        """A client for `GATEHOUSE_API_KEY`, at `GATEHOUSE_URL` or at the local sandbox."""
        return cls(*_from_env(environ))

    def with_options(
        self: Blocking, *, timeout_s: float | None = None, max_retries: int | None = None
    ) -> Blocking:
        """The same client with other limits; both share their connections."""
        other = object.__new__(type(self))
        other._own = False
        options = _changed(self._sender.options, timeout_s, max_retries)
        other._start(Sender(self._sender.http, options))
        return other

    def close(self) -> None:
        """Close the connections."""
        if self._own:
            self._sender.http.close()

    def __enter__(self: Blocking) -> Blocking:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Gatehouse({self._sender.options.base_url!r})"


class AsyncGatehouse(_async_methods.Methods):
    """Calls Gatehouse from asyncio. One client serves any number of tasks of one event loop."""

    def __init__(
        self,
        api_key: str,
        base_url: str = SANDBOX_URL,
        *,
        timeout_s: float = TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
        strict: bool = False,
        allow_plain_http: bool = False,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        """The same as for `Gatehouse`."""
        options = _options(api_key, base_url, timeout_s, max_retries, strict)
        _check_transport(options.base_url, allow_plain_http=allow_plain_http)
        self._own = http_client is None
        http = http_client or httpx2.AsyncClient(verify=_trust(base_url))
        self._start(AsyncSender(http, options))

    def _start(self, sender: AsyncSender) -> None:
        self._sender = sender
        super().__init__(sender)

    @classmethod
    def from_env(cls: type[Async], environ: Mapping[str, str] | None = None) -> Async:
        """A client for `GATEHOUSE_API_KEY`, at `GATEHOUSE_URL` or at the local sandbox."""
        return cls(*_from_env(environ))

    def with_options(
        self: Async, *, timeout_s: float | None = None, max_retries: int | None = None
    ) -> Async:
        """The same client with other limits; both share their connections."""
        other = object.__new__(type(self))
        other._own = False
        options = _changed(self._sender.options, timeout_s, max_retries)
        other._start(AsyncSender(self._sender.http, options))
        return other

    async def close(self) -> None:
        """Close the connections."""
        if self._own:
            await self._sender.http.aclose()

    async def __aenter__(self: Async) -> Async:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncGatehouse({self._sender.options.base_url!r})"


def _options(
    api_key: str, base_url: str, timeout_s: float, max_retries: int, strict: bool
) -> Options:
    key = api_key.strip()
    if not key.isascii() or not key.isprintable() or not key or " " in key:
        raise ValueError("the API key is empty, or not a key")
    return Options(
        api_key=key,
        base_url=base_url.rstrip("/"),
        timeout_s=positive(timeout_s),
        max_retries=max(0, max_retries),
        strict=strict,
        user_agent=_USER_AGENT,
    )


def _changed(options: Options, timeout_s: float | None, max_retries: int | None) -> Options:
    return replace(
        options,
        timeout_s=options.timeout_s if timeout_s is None else positive(timeout_s),
        max_retries=options.max_retries if max_retries is None else max(0, max_retries),
    )


def _check_transport(base_url: str, *, allow_plain_http: bool) -> None:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("base_url must be an address such as https://gatehouse.example")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("base_url must have no credentials, query or fragment")
    if parts.scheme == "http" and parts.hostname not in _LOCAL and not allow_plain_http:
        raise ValueError(
            "cards and keys must not travel over plain HTTP: use https, or say "
            "allow_plain_http=True if the network is trusted"
        )


def _trust(base_url: str) -> ssl.SSLContext | bool:
    """Whom to trust. For plain HTTP on this machine nobody: reading certificates takes longest."""
    parts = urlsplit(base_url)
    if parts.scheme == "http" and parts.hostname in _LOCAL:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return True


def _from_env(environ: Mapping[str, str] | None) -> tuple[str, str]:
    given = os.environ if environ is None else environ
    if "GATEHOUSE_API_KEY" not in given:
        raise ValueError("set GATEHOUSE_API_KEY to the key of your account")
    return given["GATEHOUSE_API_KEY"], given.get("GATEHOUSE_URL", SANDBOX_URL)
