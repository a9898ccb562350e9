"""Where a store is and how to enter it, read from its URL."""

from typing import Any, Final

from redis.asyncio.connection import AbstractConnection, Connection, parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from gatehouse.core.errors import SettingsError

_OTHER_NAMES: Final = {"valkey:": "redis:", "valkeys:": "rediss:"}
_OURS: Final = {
    # Calls have a time limit of their own, and what to do after a failure is ours to say.
    "socket_timeout": None,
    "retry": Retry(NoBackoff(), 0),
    "protocol": 2,
    "decode_responses": False,
}


class StoreAddress:
    """An address; the repr of it shows no password."""

    def __init__(self, shown: str, kind: type[AbstractConnection], options: dict[str, Any]) -> None:
        self.shown = shown
        """The address without what is secret."""
        self._kind = kind
        self._options = options

    @classmethod
    def parse(cls, url: str) -> "StoreAddress":
        """Read a URL such as `valkey://:password@host:6379/0`, `rediss://...` or `unix:///path`."""
        scheme, _, rest = url.partition("//")
        try:
            options: dict[str, Any] = dict(parse_url(f"{_OTHER_NAMES.get(scheme, scheme)}//{rest}"))
        except ValueError:
            # The library's own text could repeat what is secret.
            raise SettingsError(
                "the URL of the shared memory cannot be read; it looks like "
                "valkey://user:password@host:6379/0, valkeys:// for TLS, or unix:///path/to/socket"
            ) from None
        kind = options.pop("connection_class", Connection)
        where = options.get("path") or (
            f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"
        )
        try:
            kind(**options | _OURS)
        except (TypeError, ValueError):
            raise SettingsError(
                "the URL of the shared memory has an option that the client does not know"
            ) from None
        return cls(str(where), kind, options | _OURS)

    def __repr__(self) -> str:
        return f"StoreAddress({self.shown})"

    def at(self, host: str, port: int) -> "StoreAddress":
        """The same for another server of a cluster."""
        other = self._options | {"host": host, "port": port}
        return StoreAddress(f"{host}:{port}", self._kind, other)

    def new_connection(self, within_s: float) -> AbstractConnection:
        """A connection that is not open yet."""
        return self._kind(**self._options, socket_connect_timeout=within_s)
