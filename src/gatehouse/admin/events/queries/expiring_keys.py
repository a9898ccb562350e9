"""Tells accounts that API keys of theirs end soon, once for each key and end."""

from typing import Any, Final

import sqlalchemy as sa

from gatehouse.access.keys import OF_PLAYGROUND
from gatehouse.core.clock import Clock, iso_time
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import derived_id
from gatehouse.store.background import repeat
from gatehouse.store.database import Database
from gatehouse.store.events import outbox
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import API_KEYS, EVENTS

_K: Final = API_KEYS.c
_DAY_MS: Final = 86_400_000
TOLD_BEFORE_MS: Final = 7 * _DAY_MS
_TOLD_AFTER_MS: Final = _DAY_MS
"""One that ended while no server looked is told all the same."""
_LOOK_S: Final = 600.0
_AT_ONCE: Final = 500


class ExpiringKeys:
    """Looks for such keys in the background of a server; several servers share the work."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def run(self) -> None:
        """Look until cancelled."""
        await repeat(self.look, _LOOK_S, "could not look for keys that end soon")

    async def look(self) -> None:
        """Tell what was not told yet; usually there is nothing, and nothing is locked."""
        now_ms = self._clock()
        while await self._database.read_on_thread(lambda c: _untold(c, now_ms)):
            await self._database.write_on_thread(lambda c: tell_expiring(c, now_ms))


def tell_expiring(connection: sa.Connection, now_ms: int) -> int:
    """Tell of keys that end soon; returns of how many."""
    lock_changes(connection)
    events = _untold(connection, now_ms)
    outbox.add(connection, events)
    return len(events)


def _untold(connection: sa.Connection, now_ms: int) -> list[NewEvent]:
    query = sa.select(API_KEYS).where(
        _K.expires_at_ms.between(now_ms - _TOLD_AFTER_MS, now_ms + TOLD_BEFORE_MS),
        _K.revoked_at_ms.is_(None),
        # It is meant to end soon, and nobody else has it.
        _K.name != OF_PLAYGROUND,
    )
    events = {each.id: each for each in (_event(key, now_ms) for key in connection.execute(query))}
    ids = list(events)
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        for told in connection.scalars(sa.select(EVENTS.c.id).where(EVENTS.c.id.in_(some))):
            del events[told]
    return list(events.values())[:_AT_ONCE]


def _event(key: Any, now_ms: int) -> NewEvent:
    kind, ends_ms = EventName.KEY_EXPIRING, key.expires_at_ms
    said = {"keyId": key.id, "name": key.name, "expiresAt": iso_time(ends_ms)}
    if key.successor is not None:
        said["successor"] = key.successor
    return NewEvent(
        # The same for every server and at every look.
        derived_id("evt", ends_ms - TOLD_BEFORE_MS, f"{kind} {key.id}"),
        key.account_id,
        now_ms,
        kind,
        "keys",
        key.id,
        encode_data(said),
    )
