"""What Sentry's memory took from a request, so that it can be rebuilt; a part of its record.

The kind of each entity is a number here, and a word where people read it. Records of version 1 hold
words, so both forms are read.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NotRequired, TypedDict

import msgspec

from gatehouse.decisions.packed_values import Place

KIND_WORDS: Final = {
    **{1: "address", 2: "network", 3: "operator", 4: "country", 5: "device", 6: "agent"},
    **{
        7: "browser",
        8: "system",
        9: "authentication",
        10: "place",
        11: "session",
        12: "user",
        13: "card",
        14: "bin",
    },
    **{15: "affiliate", 17: "discount", 18: "category", 19: "cart", 20: "custom"},
    **{21: "transaction", 22: "email", 23: "phone", 24: "issuer", 25: "article", 26: "shelf"},
    **{27: "mix", 28: "small", 29: "device_id", 30: "ring"},
}
"""The numbers of Sentry's `EntityKind`. They are stored, so they can never change.

A ring is no entity: it is the name of what the others were linked with, and found by searches.
"""
KIND_NUMBERS: Final = {word: number for number, word in KIND_WORDS.items()}


class NamedEvent(TypedDict):
    """An event as people read it, and as records of version 1 hold it."""

    at: float
    counted: bool
    amount: int | float | None
    currency: str | None
    whereabouts: str | None
    entities: list[tuple[str, str]]
    declined: NotRequired[bool]
    missed: NotRequired[bool]


class RecordedEvent(msgspec.Struct, frozen=True, array_like=True):
    """An event as the text of a record holds it."""

    at: float
    """Seconds since 1970."""
    counted: bool
    """Whether it counts as an attempt of its own; a repeated one does not."""
    amount: int | float | None
    currency: str | None
    whereabouts: str | None
    declined: bool
    """Whether a payment was refused."""
    kinds: Sequence[Place]
    """The kind of everything that is remembered of it; a word where it has no number."""
    values: Sequence[str]
    missed: bool = False
    """Whether the memory did not answer; it is told of the event later, from this record."""

    @property
    def entities(self) -> list[tuple[str, str]]:
        """Kind and value of everything that is remembered of it, the kind as a word."""
        return list(zip(_words(tuple(self.kinds)), self.values, strict=False))

    def named(self) -> NamedEvent:
        """The event as people read it."""
        event = NamedEvent(
            at=self.at,
            counted=self.counted,
            amount=self.amount,
            currency=self.currency,
            whereabouts=self.whereabouts,
            entities=self.entities,
        )
        if self.declined:
            event["declined"] = True
        if self.missed:
            event["missed"] = True
        return event


# The same kinds come again and again, in the same order.
@lru_cache(1024)
def _words(kinds: tuple[Place, ...]) -> tuple[str, ...]:
    words = KIND_WORDS
    return tuple(kind if isinstance(kind, str) else words.get(kind, str(kind)) for kind in kinds)


KeptEvent = RecordedEvent | NamedEvent
"""An event in the text of a record of any version."""


def event_in(kept: KeptEvent) -> RecordedEvent:
    """The event of a record of any version."""
    if isinstance(kept, RecordedEvent):
        return kept
    find = KIND_NUMBERS.get
    return RecordedEvent(
        at=kept["at"],
        counted=kept["counted"],
        amount=kept["amount"],
        currency=kept["currency"],
        whereabouts=kept["whereabouts"],
        declined=kept.get("declined", False),
        kinds=[find(word, word) for word, _ in kept["entities"]],
        values=[value for _, value in kept["entities"]],
        missed=kept.get("missed", False),
    )
