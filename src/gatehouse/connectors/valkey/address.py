"""Where a store is, read from its URL."""

from typing import Any, Final, NamedTuple

from redis.asyncio.connection import Connection, parse_url
from redis.exceptions import RedisError

from gatehouse.core.errors import SettingsError

_PORT: Final = 6379
_FIXED: Final = frozenset({"decode_responses", "protocol"})
"""What a URL must not change: replies could not be read."""
_NAMES: Final = {"valkey": "redis", "valkeys": "rediss"}
"""The client knows the older names of the same protocol."""


class StoreAddress(NamedTuple):
    """An address; the repr of it shows no password."""

    url: str
    shown: str
    """The address without what is secret."""

    def __repr__(self) -> str:
        return f"StoreAddress({self.shown})"

    @classmethod
    def parse(cls, text: str) -> "StoreAddress":
        """Read a URL such as `valkey://:password@host:6379/0`, `rediss://...` or `unix:///path`.

        What the client can be told stands behind a question mark, such as `?ssl_ca_certs=FILE`.
        """
        scheme, _, rest = text.partition("://")
        url = f"{_NAMES.get(scheme.lower(), scheme)}://{rest}"
        # The client's own words are not passed on: they could repeat what is secret.
        try:
            options: dict[str, Any] = dict(parse_url(url))
        except ValueError:
            raise SettingsError(
                "the URL of the shared memory cannot be read; it looks like "
                "valkey://user:password@host:6379/0, valkeys:// for TLS, or unix:///path/to/socket"
            ) from None
        kind = options.pop("connection_class", Connection)
        try:
            if options.keys() & _FIXED:
                raise ValueError
            kind(**options)
        except (TypeError, ValueError, RedisError):
            raise SettingsError(
                "the URL of the shared memory has an option that cannot be used, or a wrong value"
            ) from None
        where = f"{options.get('host', 'localhost')}:{options.get('port', _PORT)}"
        return cls(url, options.get("path") or where)
