"""An event inside a decision record: written by the stage, read when the memory is rebuilt."""

from typing import Any, Final

import msgspec

from gatehouse.sentry.memory import Kind, Sighting

STAGE: Final = "Sentry"

_WORDS: Final = {kind: kind.name.lower() for kind in Kind}
_KINDS: Final = {word: kind for kind, word in _WORDS.items()}


class _Event(msgspec.Struct, frozen=True):
    at: float
    entities: list[tuple[str, str]]
    counted: bool
    amount: float | None = None
    currency: str | None = None
    whereabouts: str | None = None


class _Result(msgspec.Struct, frozen=True):
    event: _Event | None = None


class _Stage(msgspec.Struct, frozen=True):
    name: str
    completed: bool
    result: _Result | None = None


class _Record(msgspec.Struct, frozen=True):
    stages: list[_Stage]


_decode: Final = msgspec.json.Decoder(_Record).decode


def event_facts(sighting: Sighting, *, counted: bool) -> dict[str, Any]:
    """An event for the record."""
    return {
        "at": round(sighting.at_s, 3),
        "counted": counted,
        "amount": sighting.amount,
        "currency": sighting.currency,
        "whereabouts": sighting.whereabouts,
        "entities": [(_WORDS[kind], value) for kind, value in sighting.entities],
    }


def sighting_in(account_id: str, record: str) -> Sighting | None:
    """The event of a record that counts; None when it has none.

    A request in which another party failed was never the customer's attempt.
    """
    try:
        stages = _decode(record).stages
    except msgspec.MsgspecError:
        return None
    if not all(stage.completed for stage in stages):
        return None
    for stage in stages:
        event = stage.result.event if stage.name == STAGE and stage.result else None
        if event is not None and event.counted:
            known = [(_KINDS[word], value) for word, value in event.entities if word in _KINDS]
            return Sighting(
                account_id, event.at, known, event.amount, event.currency, event.whereabouts
            )
    return None
