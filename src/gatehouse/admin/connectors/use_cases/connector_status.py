"""How the connectors of running servers are, as each server reports it every few seconds."""

from collections.abc import Sequence
from typing import Final

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.connectors.types import ConnectorCondition, ConnectorPage, ConnectorShown
from gatehouse.connectors.definition import decode_program
from gatehouse.connectors.routing.seat import SeatState
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.wording.notes import read_note
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.admin.use_case import use_case
from gatehouse.store.configured import configurations
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.configurations import CONNECTORS_KEY
from gatehouse.store.connector_reports import ConnectorReport, reports

_decode: Final = msgspec.json.Decoder(dict[str, SeatState]).decode
_HEARD_MS: Final = 20_000
"""A server that has reported within this time is running."""


class ServerConnectors(CamelStruct):
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
    with session.installation_reading() as connection:
        found = reports(connection)
    return _heard(found, session.clock())


@use_case(
    "GET /connectors",
    scope="manage:connectors",
    permission=Permission.SEE,
    answers="connectorsResponse",
)
def list_connectors(reading: Reading, account_id: str) -> ConnectorPage:
    """Connectors.

    The connectors that can serve the account, and whether they work. They belong to the
    installation, so that only its operator changes them.
    """
    signer = reading.session.signer
    check_account(reading.connection, signer, CONNECTORS_KEY.account_id)
    stored = configurations.find(reading.connection, CONNECTORS_KEY)
    if stored is None:
        return ConnectorPage([])
    configurations.check_versions(signer, [stored])
    servers = _heard(reports(reading.connection), reading.now_ms)
    serving: dict[tuple[str, str], None] = {}
    for function, routes in decode_program(stored.program).routes.items():
        for route in routes:
            if not route.accounts or account_id in route.accounts:
                serving |= {(function.value, name): None for name in route.use}
    return ConnectorPage([ConnectorShown(*each, _condition(servers, each[1])) for each in serving])


def _condition(servers: Sequence[ServerConnectors], name: str) -> ConnectorCondition:
    known = [each.connectors[name].up for each in servers if name in each.connectors]
    if not known:
        return ConnectorCondition.UNKNOWN
    if all(known):
        return ConnectorCondition.UP
    return ConnectorCondition.PARTLY if any(known) else ConnectorCondition.DOWN


def _noted(state: SeatState) -> SeatState:
    """A state as its server gave it: its problem may be a sentence."""
    return msgspec.structs.replace(state, problem=state.problem and read_note(state.problem))


def _heard(found: Sequence[ConnectorReport], now_ms: int) -> list[ServerConnectors]:
    """The reports of servers that run."""
    return [
        ServerConnectors(
            each.server,
            each.host,
            each.pid,
            each.at_ms,
            each.version,
            {name: _noted(state) for name, state in _decode(each.connectors).items()},
        )
        for each in found
        if each.at_ms > now_ms - _HEARD_MS
    ]
