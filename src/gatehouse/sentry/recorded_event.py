"""What Sentry left in a decision record: the event its memory noted, and what it measured."""

from typing import Final, NamedTuple

import msgspec

from gatehouse.decisions.record import (
    RecordedEvent,
    RecordOutline,
    Text,
    UnreadableRecord,
    read,
    read_outline,
)
from gatehouse.sentry.memory import EntityKind, MemoryEvent
from gatehouse.sentry.spec import SENTRY

_WORDS: Final = {kind: kind.name.lower() for kind in EntityKind}
_KINDS: Final = {word: kind for kind, word in _WORDS.items()}


class PastEvent(NamedTuple):
    """An event out of a record."""

    event: MemoryEvent
    counted: bool
    """Whether it counts as an attempt of the customer: no repetition, and every stage completed."""
    declined: bool
    """Whether the payment was refused, whether the event counts or not."""


class Measured(NamedTuple):
    """What Sentry measured of a request, and the event that goes with it."""

    values: dict[str, float]
    event: RecordedEvent | None


class _SentryResult(msgspec.Struct, frozen=True):
    event: RecordedEvent | None = None
    """The event, where the record itself does not tell it."""
    signals: dict[str, float] | None = None


_decode: Final = msgspec.json.Decoder(_SentryResult).decode


def recorded_event(event: MemoryEvent, *, counted: bool, declined: bool = False) -> RecordedEvent:
    """An event for the record."""
    return RecordedEvent(
        at=round(event.at_s, 3),
        counted=counted,
        amount=event.amount,
        currency=event.currency,
        whereabouts=event.whereabouts,
        entities=[(_WORDS[kind], value) for kind, value in event.entities],
        declined=declined,
    )


def past_event_in(account_id: str, text: Text) -> PastEvent | None:
    """The event of a record; None when it has none, or cannot be read."""
    try:
        record = read_outline(text)
        event = record.event or _event_of_stage(record)
    except UnreadableRecord:
        return None
    if event is None:
        return None
    # Entities of a kind that only a newer version knows are left out.
    known = [(_KINDS[word], value) for word, value in event.entities if word in _KINDS]
    return PastEvent(
        MemoryEvent(account_id, event.at, known, event.amount, event.currency, event.whereabouts),
        counted=event.counted and record.completed,
        declined=event.declined,
    )


def measured_in(record: RecordOutline) -> Measured | None:
    """What Sentry measured; None when it did not run or complete. Raises `UnreadableRecord`."""
    for stage in record.stages:
        if stage.name == SENTRY.name and stage.completed:
            result = read(_decode, stage.result)
            if result.signals is None:
                return None
            return Measured(result.signals, record.event or result.event)
    return None


def _event_of_stage(record: RecordOutline) -> RecordedEvent | None:
    for stage in record.stages:
        if stage.name == SENTRY.name:
            event = read(_decode, stage.result).event
            if event is not None:
                return event
    return None
