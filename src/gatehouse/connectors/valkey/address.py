"""Where a store is, read from its URL."""

from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from redis.asyncio.connection import parse_url

from gatehouse.core.errors import SettingsError

_PORT: Final = 6379
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
        """Read a URL such as `redis://:password@host:6379/0`, `rediss://...` or `unix:///path`.

        What the client can be told stands behind a question mark, such as `?ssl_ca_certs=FILE`.
        """
        scheme, _, rest = text.partition("://")
        url = f"{_NAMES.get(scheme, scheme)}://{rest}"
        try:
            parts, options = urlsplit(url), dict[str, Any](parse_url(url))
            database = parts.path.strip("/")
        except ValueError:
            # The client's own words could hold a part of the URL, and that a password.
            raise SettingsError(
                "the URL of the shared memory cannot be read; it must begin with redis://, "
                "rediss://, valkey://, valkeys:// or unix://, and ports are numbers"
            ) from None
        if "path" in options:
            return cls(url, options["path"])
        if "host" not in options or (database and not database.isdecimal()):
            raise SettingsError(
                "the URL of the shared memory names no host, no path, or a database that is no "
                "number"
            )
        return cls(url, f"{options['host']}:{options.get('port', _PORT)}")
