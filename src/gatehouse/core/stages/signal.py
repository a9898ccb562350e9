"""What a signal is: a named fact about a request, with a type, that conditions can speak of."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec


class Type(StrEnum):
    """What kind of value a signal or an expression has. Any of them can be missing (NULL)."""

    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    WORDS = "words"
    """Several texts, such as the codes of reasons; asked with HAS."""


class SignalInfo(msgspec.Struct, frozen=True):
    """What an author needs to know about a signal."""

    name: str
    type: Type
    about: str
    group: str
    """What its name begins with."""
    example: str = ""
    """A value as it is written in a condition."""
    values: tuple[str, ...] = ()
    """All texts it can have, where that is a closed set; comparing with another is a mistake."""


def describe_signal(
    name: str, kind: Type, about: str, example: str = "", values: Iterable[str] = ()
) -> SignalInfo:
    """What an author needs to know about a signal, in the group that its name says."""
    return SignalInfo(name, kind, about, name.partition(".")[0], example, tuple(map(str, values)))


def text_signals(facts: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """The texts among a stage's facts, by the signals that `keys` gives them."""
    found: dict[str, Any] = {}
    for name, key in keys.items():
        value = facts.get(key)
        if value is not None:
            # Live facts hold members of enumerations, records their texts.
            found[name] = getattr(value, "_value_", value)
    return found
