"""What one event changes in the history of one entity, the same in every kind of memory.

A memory in one process applies changes as events come. A shared one applies them in the order of
the entity's log, so every server comes to the same history.
"""

import math
from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.entity_history import EntityHistory, UserHistory, new_links
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent

REFUSED: Final = frozenset(
    (
        *(kinds.CARD, kinds.BIN, kinds.ADDRESS, kinds.PLACE, kinds.SESSION, kinds.USER),
        *(kinds.EMAIL, kinds.DEVICE_ID),
    )
)
"""The kinds whose refused payments are remembered."""
OF_A_PERSON: Final = frozenset(
    (kinds.USER, kinds.CARD, kinds.EMAIL, kinds.PHONE, kinds.SESSION, kinds.DEVICE_ID)
)
"""The kinds by which it is seen whether an event of a person was noted."""


class EventFacts(NamedTuple):
    """What the histories of all entities of an event take from it."""

    row: "array[float]"
    """The event as a row of a timeline: moment, one event, amount."""
    whole_s: int
    currency: str | None
    logarithm: float | None
    """Of the amount; None when nothing was paid."""
    whereabouts: str | None


def facts_of(event: MemoryEvent) -> EventFacts:
    """The facts of an event."""
    at_s, amount = event.at_s, event.amount
    row = array("d", (at_s, 1.0, amount or 0.0))
    return EventFacts(row, int(at_s), event.currency, logarithm_of(amount), event.whereabouts)


def logarithm_of(amount: float | None) -> float | None:
    """The natural logarithm of an amount, if it has one."""
    return math.log(amount) if amount is not None and 0 < amount < math.inf else None


def first_history(kind: EntityKind, facts: EventFacts, met: Sequence[int]) -> EntityHistory:
    """The history of an entity after its first event: as `see` makes it, but in one step."""
    row, whole_s, currency, _, _ = facts
    at_s = row[0]
    return (UserHistory if kind is kinds.USER else EntityHistory)(
        at_s, at_s, currency, 1, 0, None, row[:], new_links(met, whole_s)
    )


def empty_history(kind: EntityKind, at_s: float, currency: str | None) -> EntityHistory:
    """The history of an entity without events."""
    return (UserHistory if kind is kinds.USER else EntityHistory)(at_s, at_s, currency)


def note_habits(history: UserHistory, facts: EventFacts) -> None:
    """Note what only users have, for an event that the history has counted."""
    row, _, currency, logarithm, whereabouts = facts
    if logarithm is not None:
        history.pay(logarithm, currency, row[0])
    if whereabouts is not None:
        history.arrive(whereabouts, row[0])


def without_event(
    history: EntityHistory, kind: EntityKind, facts: EventFacts, met: Sequence[int]
) -> EntityHistory | None:
    """A history after an event of it was taken back; None when nothing is left."""
    if history.events > 1:
        _take_back(history, facts, met)
        return history
    if history.refused is None:
        return None
    # Refusals stay, and nothing else of the history does.
    left = empty_history(kind, facts.row[0], facts.currency)
    left.refused = history.refused
    return left


def with_refusal(
    history: EntityHistory | None, kind: EntityKind, facts: EventFacts, card: int | None
) -> EntityHistory:
    """A history after a payment was refused, with the card if the entity is none itself."""
    at_s = facts.row[0]
    if history is None:
        history = empty_history(kind, at_s, facts.currency)
    history.refuse(at_s, None if kind is kinds.CARD else card)
    return history


def without_refusal(
    history: EntityHistory, kind: EntityKind, facts: EventFacts, card: int | None, *, declined: bool
) -> EntityHistory | None:
    """A history after a person was erased, for an event whose payment was refused or not."""
    if history.refused is None:
        return history
    if declined:
        history.take_refusal_back(facts.row[0], card)
    if not history.events and (history.refused is None or kind in OF_A_PERSON):
        return None
    return history


def _take_back(history: EntityHistory, facts: EventFacts, met: Sequence[int]) -> None:
    """Undo what counting an event did to a history that has others."""
    row, whole_s, currency, logarithm, whereabouts = facts
    at_s = row[0]
    history.events -= 1
    history.take_back(at_s, row[2] if history.currency == currency else 0.0)
    if history.first_s == at_s and history.timeline is not None:
        history.first_s = history.timeline[0]
    if history.last_s == at_s and history.previous_s is not None:
        history.last_s = history.previous_s
    for key in met:
        history.part(key, whole_s)
    if isinstance(history, UserHistory):
        if logarithm is not None:
            history.take_payment_back(logarithm, currency, at_s)
        if whereabouts is not None:
            history.leave(whereabouts, at_s)
