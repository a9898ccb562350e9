"""What each running server says about its connectors, where commands can read it.

A report is written again every few seconds, so that an old one is of a server that has ended.
"""

from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.api_values import CamelStruct
from gatehouse.store.state import set_mark
from gatehouse.store.tables import STATE

_PREFIX: Final = "connectors:"
_KEPT_MS: Final = 3_600_000


class ConnectorReport(CamelStruct):
    """One server's report."""

    server: str
    host: str
    pid: int
    at_ms: int
    version: int | None
    """Of the configuration in use, None for none."""
    connectors: msgspec.Raw
    """How each connector is, as JSON."""


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(ConnectorReport).decode


def write_report(connection: sa.Connection, report: ConnectorReport) -> None:
    """Replace the server's report, and delete those of servers that ended long ago."""
    old = [each.server for each in reports(connection) if each.at_ms < report.at_ms - _KEPT_MS]
    for server in old:
        remove_report(connection, server)
    set_mark(connection, _PREFIX + report.server, _encode(report).decode())


def remove_report(connection: sa.Connection, server: str) -> None:
    """The server has ended."""
    connection.execute(STATE.delete().where(STATE.c.name == _PREFIX + server))


def reports(connection: sa.Connection) -> list[ConnectorReport]:
    """Every report, newest first."""
    query = sa.select(STATE.c.value).where(STATE.c.name.startswith(_PREFIX, autoescape=True))
    found = [_decode(value) for value in connection.scalars(query)]
    return sorted(found, key=lambda report: -report.at_ms)
