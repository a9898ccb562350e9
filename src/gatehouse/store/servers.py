"""The servers that run on one PostgreSQL database: each says again and again that it is alive.

A row is in the table of single values, with the revision of the tables that the server knows and
the time of the database, so that the clocks of machines do not matter. Where one server can run
alone, as on SQLite, nobody says so.
"""

from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.store.migrations import HEAD

_PREFIX: Final = "server:"
_NOW: Final = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

ALIVE: Final = f"""
INSERT INTO state (name, value) VALUES (%s, '{HEAD} ' || {_NOW})
ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""  # noqa: S608 - of constants
ENDED: Final = """
DELETE FROM state WHERE name = %s AND NOT EXISTS (SELECT FROM holds WHERE owner = %s)
"""
"""A server that leaves holds behind stays, silent, so that others take it for dead."""
_SEEN: Final = sa.text(
    f"SELECT name, split_part(value, ' ', 1), {_NOW} - split_part(value, ' ', 2)::bigint "  # noqa: S608
    "FROM state WHERE name LIKE 'server:%'"
)
_FORGET: Final = sa.text("DELETE FROM state WHERE name = :name")

SILENT_MS: Final = 5000
"""A server that has not said for so long that it is alive is taken for dead."""

ANY_SILENT: Final = f"""
EXISTS (SELECT 1 FROM state WHERE CASE WHEN name LIKE 'server:%'
  THEN {_NOW} - split_part(value, ' ', 2)::bigint >= {SILENT_MS} ELSE false END)
"""  # noqa: S608 - of constants
"""Whether there is such a server, as part of a statement."""


class ServerSeen(NamedTuple):
    """What is known of a server."""

    owner: str
    schema: str
    """The newest revision of the tables that it knows."""
    silent_ms: int

    @property
    def lives(self) -> bool:
        """Whether it said lately that it is alive."""
        return self.silent_ms < SILENT_MS


def row_name(owner: str) -> str:
    """The name of the row of a server."""
    return _PREFIX + owner


def servers_seen(connection: sa.Connection) -> list[ServerSeen]:
    """Every server that has said that it is alive, unless it ended and left nothing held.

    PostgreSQL only.
    """
    rows = connection.execute(_SEEN).all()
    return [ServerSeen(name.removeprefix(_PREFIX), schema, silent) for name, schema, silent in rows]


def forget_server(connection: sa.Connection, owner: str) -> None:
    """A server is dead, and nothing of it is left to be given back."""
    connection.execute(_FORGET, {"name": row_name(owner)})
