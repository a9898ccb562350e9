"""An event inside a decision record: written with it, read when the memory is rebuilt."""

from functools import lru_cache
from typing import Any, Final

import msgspec

from gatehouse.sentry.memory import EntityKind, MemoryEvent
from gatehouse.sentry.spec import SENTRY

_WORDS: Final = {kind: kind.name.lower() for kind in EntityKind}
_KINDS: Final = {word: kind for kind, word in _WORDS.items()}


class _Event(msgspec.Struct, frozen=True):
    at: float
    entities: list[tuple[str, str]]
    counted: bool
    amount: float | None = None
    currency: str | None = None
    whereabouts: str | None = None
    declined: bool = False


class _Result(msgspec.Struct, frozen=True):
    event: _Event | None = None


class _Stage(msgspec.Struct, frozen=True):
    name: str
    completed: bool
    result: _Result | None = None


class _Record(msgspec.Struct, frozen=True):
    stages: list[_Stage]
    event: _Event | None = None
    """Where a record tells the event itself, and not as a part of what Sentry found."""


_decode: Final = msgspec.json.Decoder(_Record).decode


def event_facts(event: MemoryEvent, *, counted: bool, declined: bool = False) -> dict[str, Any]:
    """An event for the record."""
    facts = {
        "at": round(event.at_s, 3),
        "counted": counted,
        "amount": event.amount,
        "currency": event.currency,
        "whereabouts": event.whereabouts,
        "entities": [(_WORDS[kind], value) for kind, value in event.entities],
    }
    if declined:
        facts["declined"] = True
    return facts


def counted_event_in(account_id: str, record: str) -> MemoryEvent | None:
    """The event of a record that counts; None when it has none.

    A request in which another party failed was never the customer's attempt.
    """
    event, completed = _read(record)
    return _sighting(account_id, event) if event and event.counted and completed else None


def recorded_event_in(account_id: str, record: str) -> MemoryEvent | None:
    """The event of a record, whether it counts or not: what it turned out to be is as true."""
    event, _ = _read(record)
    return _sighting(account_id, event) if event else None


def declined_event_in(account_id: str, record: str) -> MemoryEvent | None:
    """The event of a record whose payment was refused, whether it counts or not."""
    event, _ = _read(record)
    return _sighting(account_id, event) if event and event.declined else None


# Both questions are asked about one record after the other.
@lru_cache(maxsize=1)
def _read(record: str) -> tuple[_Event | None, bool]:
    """The event of a record, and whether everybody who was asked has answered."""
    try:
        found = _decode(record)
    except msgspec.MsgspecError:
        return None, False
    completed = all(stage.completed for stage in found.stages)
    if found.event is not None:
        return found.event, completed
    events = [one.result.event for one in found.stages if one.name == SENTRY.name and one.result]
    return next((event for event in events if event is not None), None), completed


def _sighting(account_id: str, event: _Event) -> MemoryEvent:
    known = [(_KINDS[word], value) for word, value in event.entities if word in _KINDS]
    return MemoryEvent(account_id, event.at, known, event.amount, event.currency, event.whereabouts)
