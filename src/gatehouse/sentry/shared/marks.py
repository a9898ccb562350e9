"""The marks by which the store knows an event again, and what was already done with it."""

from typing import Final

from gatehouse.core.ids import id_time_ms, is_id
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.shared.entries import LogEntry
from gatehouse.sentry.shared.keys import AccountNames, KeyedEntities, StableKeys
from gatehouse.sentry.shared.packing import NO_MARKS, Marks

TRANSACTION_S: Final = 7 * 86_400
"""For so long a transaction that comes again is known to be the same."""
REQUEST_S: Final = 15 * 60
"""The same of an event without a transaction, by its request: time enough to tell it again."""
CHANGE_S: Final = 86_400
"""The same of retractions, refusals and erasures."""
NOBODY: Final = b"\0" * 8
"""Who made the mark of an event without a request: the same event is never told again."""
_OF_KEY: Final = -8
_CLOCKS_S: Final = 60
"""The clocks of servers differ by less."""


class EventMarks:
    """Makes the marks of events."""

    def __init__(self, keys: StableKeys) -> None:
        self._keys = keys

    def of_count(
        self,
        event: MemoryEvent,
        names: AccountNames,
        keyed: KeyedEntities,
        known_s: int | None = None,
    ) -> Marks:
        """Count a transaction once, and a request whose call was lost once.

        With `known_s` only the request is known again, and only for so long.
        """
        request = self._request(event)
        if known_s is not None and request is not None:
            return Marks(names.once(request), known_s, request)
        transaction = _transaction(names, keyed)
        if transaction is not None:
            return Marks(transaction, TRANSACTION_S, request or NOBODY)
        if request is not None:
            return Marks(names.once(request), REQUEST_S, request)
        return NO_MARKS

    def of_change(
        self,
        what: LogEntry,
        event: MemoryEvent,
        names: AccountNames,
        keyed: KeyedEntities,
        known_s: int = CHANGE_S,
    ) -> Marks:
        """Change an event once; a transaction that is taken back can be counted again."""
        removed = _transaction(names, keyed) if what is LogEntry.RETRACT else None
        if not event.request_id:
            return Marks(removed=removed)
        once = self._keys.digest(what.name, event.request_id)
        return Marks(names.once(once), known_s, once, removed)

    def of_retraction(
        self, event: MemoryEvent, names: AccountNames, keyed: KeyedEntities, now_ms: int
    ) -> Marks:
        """Take an event back once, and only from a memory that has counted it.

        One that a rebuild has begun anew, or that came back empty, has no mark of the event. It
        would take the event of somebody else away. When the mark can be over, it says nothing.
        """
        marks = self.of_change(LogEntry.RETRACT, event, names, keyed)
        request, transaction = self._request(event), _transaction(names, keyed)
        kept_s = REQUEST_S if transaction is None else TRANSACTION_S
        if request is None or not _came_within(event, kept_s - _CLOCKS_S, now_ms):
            return marks
        counted = transaction or names.once(request)
        return marks._replace(by=request, removed=counted, owned=True)

    def of_take_back(self, event: MemoryEvent, names: AccountNames, keyed: KeyedEntities) -> Marks:
        """Take an event back if it is its request that counted; the mark goes with it."""
        request = self._request(event) or NOBODY
        counted = _transaction(names, keyed) or names.once(request)
        return Marks(by=request, removed=counted, owned=True)

    def _request(self, event: MemoryEvent) -> bytes | None:
        return self._keys.digest("request", event.request_id) if event.request_id else None


def _came_within(event: MemoryEvent, seconds: int, now_ms: int) -> bool:
    """Whether the request came so recently; its event can have happened long before."""
    request_id = event.request_id
    return is_id(request_id, "req") and now_ms - id_time_ms(request_id) < seconds * 1000


def _transaction(names: AccountNames, keyed: KeyedEntities) -> bytes | None:
    place = keyed.layout.transaction
    return None if place is None else names.once(keyed.names[place][_OF_KEY:])
