"""Where a store is and how to enter it, read from its URL."""

import ssl
from typing import Final, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from gatehouse.core.errors import SettingsError

_PORT: Final = 6379
_PLAIN: Final = ("redis", "valkey")
_ENCRYPTED: Final = ("rediss", "valkeys")


class StoreAddress(NamedTuple):
    """An address; the repr of it shows no password."""

    host: str
    port: int
    path: str
    """Of a socket on this machine, in place of host and port."""
    user: str
    password: str
    database: int
    tls: ssl.SSLContext | None

    def __repr__(self) -> str:
        return f"StoreAddress({self.shown})"

    @property
    def shown(self) -> str:
        """The address without what is secret."""
        return self.path or f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, url: str) -> "StoreAddress":
        """Read a URL such as `redis://:password@host:6379/0`, `rediss://...` or `unix:///path`."""
        parts = urlsplit(url)
        is_socket = parts.scheme == "unix"
        if parts.scheme not in (*_PLAIN, *_ENCRYPTED) and not is_socket:
            raise SettingsError(
                "the URL of the shared memory must begin with redis://, rediss://, valkey://, "
                "valkeys:// or unix://"
            )
        options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        try:
            port = parts.port or _PORT
            chosen = options.get("db", "0") if is_socket else parts.path.strip("/") or "0"
            database = int(chosen)
        except ValueError:
            raise SettingsError(
                "the URL of the shared memory has a port or a database that is no number"
            ) from None
        if not (parts.path if is_socket else parts.hostname):
            raise SettingsError("the URL of the shared memory names no host, or no path")
        tls = None
        if parts.scheme in _ENCRYPTED:
            tls = ssl.create_default_context(cafile=options.get("ca"))
        return cls(
            parts.hostname or "",
            port,
            unquote(parts.path) if is_socket else "",
            unquote(parts.username or ""),
            unquote(parts.password or ""),
            database,
            tls,
        )
