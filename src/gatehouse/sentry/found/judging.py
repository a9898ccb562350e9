"""Says what a custom input looks like, from what was counted of its values.

An identifier has many values, some of which come back: with another person, or another day. An
order's number never does, and a session's only within the hour. A category has values that many
people share. Measures, moments and flags are neither, whatever they do, and free text hardly ever
comes back.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from gatehouse.sentry.found.found_inputs import InputKind
from gatehouse.sentry.found.shapes import NameHint

FEWEST_EVENTS: Final = 64
FEW_VALUES: Final = 64
"""So many values can be a category of few; more must come back to say something."""
_EVENTS_PER_VALUE: Final = 8.0
"""A category of few values has been seen with all of them by then. Where nobody is known, more
values that are as frequent are a category, too.
"""
_CONSTANT: Final = 0.995
"""A value with this share of the requests is all there is."""
_FIT_SHARE: Final = 0.8
"""So many of the values must look like names; the rest may be mistakes."""
_LEAST_RETURNED: Final = 3
_RETURNED_SHARE: Final = 0.01
"""Most devices of a shop are seen once; order numbers hardly ever come back at all."""
_TEXTS_RETURNED: Final = 0.15
"""What people write is now and then the same; names of goods come back."""
_MANY_TEXTS: Final = 0.2
_PEOPLE_SHARING: Final = 4.0
"""With so many people per value, it is no value of a person's own."""
_RETURNED_OFTEN: Final = 0.15
_BY_OTHERS: Final = 1.7
"""Nor is it where many values come back, and mostly with somebody else."""
_FEW_PEOPLE: Final = 2.0
_FEW_NUMBERS: Final = 12
"""So few whole numbers may be codes; more that lie close together are ages and quantities."""
_DENSE: Final = 4
_ONE_LENGTH: Final = 0.9
_LONG_NUMBERS: Final = 5


class InputVerdict(StrEnum):
    """What a custom input is taken for."""

    UNDECIDED = "UNDECIDED"
    IDENTIFIER = "IDENTIFIER"
    CATEGORY = "CATEGORY"
    UNFIT = "UNFIT"
    """Values of this shape are never worth remembering."""

    @property
    def kind(self) -> InputKind | None:
        """What it is remembered as."""
        return _KINDS.get(self)


_KINDS: Final = {
    InputVerdict.IDENTIFIER: InputKind.IDENTIFIER,
    InputVerdict.CATEGORY: InputKind.CATEGORY,
}


class NumberSpread(NamedTuple):
    """How whole numbers lie among the values of an input."""

    low: int
    high: int
    length: int
    """The most frequent number of digits."""
    of_that_length: float
    """The share of the numbers that have it."""


class Evidence(NamedTuple):
    """What was counted of the values of one input."""

    events: int
    distinct: int
    """Different values, estimated from those in the sample."""
    sampled: int
    returned: int
    """Values of the sample that came back."""
    people: float | None
    """Different people per value of the sample; None where nobody is known."""
    people_of_returned: float
    """The same of values that came back; 0 without any."""
    top_share: float
    """Of the most frequent value."""
    words: float
    """The share of values that look like names."""
    numbers: float
    """The share of values that are whole numbers."""
    texts: float
    """The share of values with many words."""
    spread: NumberSpread
    hint: NameHint
    personal: bool
    """Whether the name of the key says that each value should be one person's."""


def judge(found: Evidence) -> InputVerdict:
    """What the input looks like."""
    if found.events < FEWEST_EVENTS:
        return InputVerdict.UNDECIDED
    fit = found.words + found.texts + (found.numbers if _are_names(found) else 0.0)
    if fit < _FIT_SHARE:
        return InputVerdict.UNFIT
    if found.distinct < 2 or found.top_share > _CONSTANT:
        return InputVerdict.UNDECIDED
    if found.distinct <= FEW_VALUES:
        return _of_few(found)
    share = _TEXTS_RETURNED if found.texts > _MANY_TEXTS else _RETURNED_SHARE
    if found.returned < max(_LEAST_RETURNED, share * found.sampled):
        return InputVerdict.UNDECIDED
    return InputVerdict.CATEGORY if _is_shared(found) else InputVerdict.IDENTIFIER


def _is_shared(found: Evidence) -> bool:
    """Whether values are of many people, also where each was seen a few times only."""
    if found.people is None:
        return found.events >= _EVENTS_PER_VALUE * found.distinct
    if found.people >= _PEOPLE_SHARING:
        return True
    # Under attack, a few devices with many users can be most of what there is.
    often = not found.personal and found.returned >= _RETURNED_OFTEN * found.sampled
    return often and found.people_of_returned >= _BY_OTHERS


def _of_few(found: Evidence) -> InputVerdict:
    if found.events < _EVENTS_PER_VALUE * found.distinct:
        return InputVerdict.UNDECIDED
    # In a small shop each of few loyalty numbers is one person's own.
    own = found.people is not None and found.people < _FEW_PEOPLE
    return InputVerdict.IDENTIFIER if own else InputVerdict.CATEGORY


def _are_names(found: Evidence) -> bool:
    """Whether whole numbers stand for something, and do not measure it."""
    if found.hint is not NameHint.NOTHING:
        return found.hint is NameHint.IDENTIFIER
    spread = found.spread
    if found.distinct <= _FEW_NUMBERS:
        return True
    if spread.high - spread.low < _DENSE * found.distinct:
        return False
    if found.distinct <= FEW_VALUES:
        return True
    return spread.length >= _LONG_NUMBERS and spread.of_that_length >= _ONE_LENGTH
