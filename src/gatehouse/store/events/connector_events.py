"""Tells accounts that a connector went down or serves again, once for all servers together.

A mark in the database says that it was told. Problems are not part of it: they name hosts, which
are the operator's affair.
"""

from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import derived_id
from gatehouse.store.connector_reports import reports
from gatehouse.store.events import outbox
from gatehouse.store.state import lock_changes, set_mark
from gatehouse.store.tables import STATE

_PREFIX: Final = "connector-down:"
_FRESH_MS: Final = 30_000
"""Servers report every few seconds; an older report is of one that has ended."""
_ups: Final = msgspec.json.Decoder(dict[str, dict[str, object]]).decode


class ConnectorsSeen(NamedTuple):
    """What a server sees of its connectors."""

    server: str
    up: dict[str, bool | None]
    """By name; None for one that may just have begun."""
    at_ms: int


def tell_changes(connection: sa.Connection, seen: ConnectorsSeen) -> None:
    """Tell what changed, unless another server told it or still sees it."""
    lock_changes(connection)
    told = _told(connection)
    for name in sorted({name for name, up in seen.up.items() if up is False} - told):
        set_mark(connection, _PREFIX + name, str(seen.at_ms))
        _tell(connection, EventName.CONNECTOR_DOWN, name, seen.at_ms)
    for name in sorted(told - _down_elsewhere(connection, seen)):
        is_used = name in seen.up
        if not is_used or seen.up[name]:
            connection.execute(STATE.delete().where(STATE.c.name == _PREFIX + name))
        if is_used and seen.up[name]:
            _tell(connection, EventName.CONNECTOR_RECOVERED, name, seen.at_ms)


def _told(connection: sa.Connection) -> set[str]:
    query = sa.select(STATE.c.name).where(STATE.c.name.startswith(_PREFIX, autoescape=True))
    return {name.removeprefix(_PREFIX) for name in connection.scalars(query)}


def _down_elsewhere(connection: sa.Connection, seen: ConnectorsSeen) -> set[str]:
    fresh = (
        report
        for report in reports(connection)
        if report.server != seen.server and report.at_ms > seen.at_ms - _FRESH_MS
    )
    return {
        name
        for report in fresh
        for name, state in _ups(report.connectors).items()
        if not state.get("up")
    }


def _tell(connection: sa.Connection, kind: EventName, name: str, at_ms: int) -> None:
    event = NewEvent(
        derived_id("evt", at_ms, f"{kind} {name}"),
        outbox.INSTALLATION,
        at_ms,
        kind,
        "connectors",
        name,
        encode_data({"connector": name}),
    )
    outbox.add(connection, [event])
