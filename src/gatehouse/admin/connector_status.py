"""How the connectors of running servers are, as each server reports it every few seconds."""

from typing import Final

import msgspec

from gatehouse.admin.scopes import installation_reading
from gatehouse.connectors.routing.seat import SeatState
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.connector_reports import reports

_HEARD_MS: Final = 20_000
"""A server that has reported within this time is running."""


class ServerConnectors(msgspec.Struct, frozen=True, rename="camel"):
    """What one running server says."""

    server: str
    host: str
    pid: int
    at_ms: int
    version: int | None
    """Of the configuration that it uses."""
    connectors: dict[str, SeatState]


def connector_status(session: AdminSession) -> list[ServerConnectors]:
    """The reports of the servers that run now; none when no server uses connectors."""
    with installation_reading(session) as connection:
        found = reports(connection)
    now_ms = session.clock()
    return [
        ServerConnectors(
            each.server,
            each.host,
            each.pid,
            each.at_ms,
            each.version,
            msgspec.json.decode(each.connectors, type=dict[str, SeatState]),
        )
        for each in found
        if each.at_ms > now_ms - _HEARD_MS
    ]
