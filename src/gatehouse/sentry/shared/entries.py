"""Entries of an entity's log: packed by one server, applied by all in the same order.

An entry is one byte for what happened and the number of partners, then the facts of the event,
then the keys of the partners.
"""

from array import array
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from struct import Struct
from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.entity_history import EntityHistory, UserHistory
from gatehouse.sentry.memory.history_changes import (
    EventFacts,
    first_history,
    logarithm_of,
    note_habits,
    with_refusal,
    without_event,
    without_refusal,
)
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent

MOST_PARTNERS: Final = 15
_LONGEST_WORD: Final = 16
_MOMENT: Final = Struct("<dd")
_PARTNERS: Final = tuple(Struct(f"<{count}q") for count in range(MOST_PARTNERS + 1))


class LogEntry(IntEnum):
    """What happened. The numbers are in the store."""

    COUNT = 1
    RETRACT = 2
    REFUSE = 3
    FORGET = 4
    """The person of an event was erased."""
    FORGET_REFUSED = 5
    """The same of an event whose payment was refused."""


def pack_facts(event: MemoryEvent) -> bytes:
    """What all entries of an event have in common."""
    currency = (event.currency or "").encode()[:_LONGEST_WORD]
    country = (event.whereabouts or "").encode()[:_LONGEST_WORD]
    moment = _MOMENT.pack(event.at_s, event.amount or 0.0)
    return b"%b%c%b%c%b" % (moment, len(currency), currency, len(country), country)


def apply_entries(
    history: EntityHistory | None, kind: EntityKind, log: bytes, start: int
) -> EntityHistory | None:
    """A history after the entries of a log from some place on."""
    place, end = start, len(log)
    while place < end:
        what, partners = log[place] >> 4, log[place] & 15
        at_s, amount = _MOMENT.unpack_from(log, place + 1)
        place += 17
        after = place + 1 + log[place]
        currency, place = _word(log[place + 1 : after]), after
        after = place + 1 + log[place]
        country, place = _word(log[place + 1 : after]), after
        row = array("d", (at_s, 1.0, amount))
        facts = EventFacts(row, int(at_s), currency, logarithm_of(amount), country)
        met = _PARTNERS[partners].unpack_from(log, place)
        place += 8 * partners
        history = apply_entry(history, kind, what, facts, met)
    return history


def apply_entry(
    history: EntityHistory | None,
    kind: EntityKind,
    what: int,
    facts: EventFacts,
    met: Sequence[int],
) -> EntityHistory | None:
    """A history after one entry."""
    if what == LogEntry.COUNT:
        return count_in(history, kind, facts, met)
    card = met[0] if met else None
    if what == LogEntry.REFUSE:
        return with_refusal(history, kind, facts, card)
    if history is None:
        return None
    if what == LogEntry.RETRACT:
        return without_event(history, kind, facts, met)
    declined = what == LogEntry.FORGET_REFUSED
    return without_refusal(history, kind, facts, card, declined=declined)


def count_in(
    history: EntityHistory | None, kind: EntityKind, facts: EventFacts, met: Sequence[int]
) -> EntityHistory:
    """A history after an event was counted."""
    if history is None:
        history = first_history(kind, facts, met)
    else:
        history.see(facts.row, facts.currency, met, facts.whole_s)
    if kind is kinds.USER:
        assert isinstance(history, UserHistory)
        note_habits(history, facts)
    return history


@lru_cache(maxsize=1024)
def _word(packed: bytes) -> str | None:
    return packed.decode(errors="replace") or None
