"""What Sentry left in a decision record: the event its memory noted, and what it measured."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from gatehouse.core.cards.fingerprints import INNER_PREFIX, Fingerprints
from gatehouse.decisions.packed_values import PackedFeatures, Place, features_in
from gatehouse.decisions.record import RecordOutline, Text, UnreadableRecord, read, read_outline
from gatehouse.decisions.recorded_event import KIND_NUMBERS, KeptEvent, RecordedEvent, event_in
from gatehouse.sentry import kinds
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from gatehouse.sentry.memory.port import ServerMemory
from gatehouse.sentry.response import NAME

MEASURED_IN: Final = ("sentry", "pipeline")
"""The operations whose records may keep what Sentry measured."""
_CARD: Final = kinds.CARD
_RING: Final = KIND_NUMBERS["ring"]
_KINDS: Final[dict[Place, EntityKind]] = {kind.value: kind for kind in EntityKind}


class PastEvent(NamedTuple):
    """An event out of a record."""

    event: MemoryEvent
    counted: bool
    """Whether it counts as an attempt of the customer: no repetition, and every stage completed.

    The memory did not say whether a missed event is a repetition; it knows when it is told later.
    """
    declined: bool
    """Whether the payment was refused, whether the event counts or not."""
    missed: bool = False
    """Whether the memory did not answer when the request came."""
    retracted: bool = False
    """Whether it was counted, and taken back because a stage did not complete."""


class Measured(NamedTuple):
    """What Sentry measured of a request, and the event that goes with it."""

    values: dict[str, float]
    event: RecordedEvent | None
    model: str | None
    """The version of the scorecard that weighed it."""


class _SentryResult(msgspec.Struct, frozen=True):
    event: KeptEvent | None = None
    """The event, where the record itself does not tell it."""
    signals: dict[str, float] | PackedFeatures | None = None
    model: str | None = None


_decode: Final = msgspec.json.Decoder(_SentryResult).decode


def recorded_event(
    event: MemoryEvent,
    shown: Mapping[str, str] | None = None,
    *,
    counted: bool | None,
    declined: bool = False,
    ring: str | None = None,
) -> RecordedEvent:
    """An event for the record, with fingerprints of the account as `shown` for the inner ones.

    Whether it counts is not known of an event that the memory missed. With the name of its ring, if
    others are in it; a memory that is rebuilt does not read that.
    """
    present, values = map(list, zip(*event.entities, strict=True)) if event.entities else ([], [])
    if shown is not None:
        place = -1
        for _ in range(present.count(_CARD)):
            place = present.index(_CARD, place + 1)
            values[place] = shown[values[place]]
    if ring is not None:
        present.append(_RING)
        values.append(ring)
    return RecordedEvent(
        at=round(event.at_s, 3),
        counted=counted is True,
        amount=event.amount,
        currency=event.currency,
        whereabouts=event.whereabouts,
        declined=declined,
        kinds=present,
        values=values,
        missed=counted is None,
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
    named = zip(event.kinds, event.values, strict=False)
    known = [(_KINDS[kind], value) for kind, value in named if kind in _KINDS]
    noted = MemoryEvent(
        account_id,
        event.at,
        known,
        event.amount,
        event.currency,
        event.whereabouts,
        record.request_id,
    )
    if event.missed:
        return PastEvent(noted, _all_completed(record), event.declined, missed=True)
    done = record.completed
    counted, retracted = event.counted and done, event.counted and not done
    return PastEvent(noted, counted, event.declined, retracted=retracted)


def opened_event(event: MemoryEvent, fingerprints: Fingerprints) -> MemoryEvent:
    """An event out of a record as the memory knows it: with the inner fingerprints of its card.

    Earlier records hold the inner one, also in the name of the transaction, which now has the
    account's. A card that cannot be opened is left out.
    """
    recorded = [value for kind, value in event.entities if kind is kinds.CARD]
    if not recorded:
        return event
    if recorded[0].startswith(INNER_PREFIX):
        inner, shown = recorded[0], fingerprints.of_account(event.account_id, recorded[0])
        entities = [
            (kind, value.replace(inner, shown) if kind is kinds.TRANSACTION else value)
            for kind, value in event.entities
        ]
    else:
        opened = {each: fingerprints.opened(event.account_id, each) for each in recorded}
        entities = [
            (kind, known)
            for kind, value in event.entities
            if (known := opened.get(value) if kind is kinds.CARD else value) is not None
        ]
    return msgspec.structs.replace(event, entities=entities)


class RecordedEvents:
    """Notes events out of records in the memory."""

    def __init__(self, memory: ServerMemory, fingerprints: Fingerprints) -> None:
        self._memory = memory
        self._fingerprints = fingerprints

    def note(self, event: MemoryEvent) -> None:
        """Note an event."""
        self._memory.note(opened_event(event, self._fingerprints))

    def note_decline(self, event: MemoryEvent) -> None:
        """Note that a payment was refused."""
        self._memory.note_decline(opened_event(event, self._fingerprints))

    def note_label(
        self, event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """Note the label of an event, in place of its previous label."""
        opened = opened_event(event, self._fingerprints)
        self._memory.note_label(opened, fraud=fraud, previous=previous)

    def forget(self, past: PastEvent, *, fraud: bool | None) -> None:
        """Forget an event whose person was erased, and its label."""
        opened = opened_event(past.event, self._fingerprints)
        known = self._memory.forget(opened, counted=past.counted, declined=past.declined)
        if known and fraud is not None:
            self._memory.note_label(opened, fraud=None, previous=fraud)


def measured_in(record: RecordOutline) -> Measured | None:
    """What Sentry measured; None when it did not run or complete. Raises `UnreadableRecord`."""
    for stage in record.stages:
        if stage.name == NAME and stage.completed:
            result = read(_decode, stage.result)
            if result.signals is None:
                return None
            kept, event = result.signals, record.event
            values = features_in(kept) if isinstance(kept, PackedFeatures) else kept
            if event is None and result.event is not None:
                event = event_in(result.event)
            return Measured(values, event, result.model)
    return None


def _all_completed(record: RecordOutline) -> bool:
    """Whether every stage has completed that did not need the memory."""
    return all(stage.completed for stage in record.stages if stage.name != NAME)


def _event_of_stage(record: RecordOutline) -> RecordedEvent | None:
    for stage in record.stages:
        if stage.name == NAME:
            event = read(_decode, stage.result).event
            if event is not None:
                return event_in(event)
    return None
