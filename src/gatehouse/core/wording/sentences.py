"""Sentences for people that can be said in other languages: each knows its key and its values.

A sentence is its English text, and code that knows nothing of languages uses it as such.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from typing import Any, Final, Literal

from msgspec import Meta

_WHOLE_FROM: Final = 100_000
"""Larger numbers are told without what comes after the point."""


class Sentence(str):
    """An English text that remembers what it was made of."""

    __slots__ = ("key", "values")

    key: str
    values: Mapping[str, object]
    """Texts, numbers and other sentences by their names in the phrase."""

    def __new__(cls, english: str, key: str, values: Mapping[str, object]) -> "Sentence":
        """The English text, with the key of its phrase and what fills it."""
        made = super().__new__(cls, english)
        made.key, made.values = key, values
        return made

    def __reduce__(self) -> tuple[type["Sentence"], tuple[str, str, Mapping[str, object]]]:
        """Errors with sentences travel between processes."""
        return Sentence, (str(self), self.key, self.values)


class _Number(float):
    """A number that is written as people write it: 1,180 and 0.00002, never with an exponent."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if spec and not spec.endswith("g"):
            return super().__format__(spec)
        if not math.isfinite(self):
            return str(float(self))
        sign = spec[:1] if spec.startswith("+") else ""
        if abs(self) >= _WHOLE_FROM:
            return super().__format__(f"{sign},.0f")
        return format(Decimal(super().__format__(spec or "g")), f"{sign},f")


def number_text(value: float, spec: str = "g") -> str:
    """A number in a sentence or a table for people."""
    return format(_Number(value), spec)


class Phrase:
    """A text with named gaps; catalogues of other languages have it by its key."""

    def __init__(self, key: str, english: str) -> None:
        assert key not in PHRASES, f"two phrases are called {key}"
        self.key: Final = key
        self.english: Final = english
        PHRASES[key] = self

    def __call__(self, **values: object) -> Sentence:
        """The phrase with its gaps filled."""
        told = {
            name: _Number(value) if isinstance(value, float) else value
            for name, value in values.items()
        }
        return Sentence(self.english.format_map(told), self.key, values)

    def worded(self, english: str, **values: object) -> Sentence:
        """The same where English is put together in another way."""
        return Sentence(english, self.key, values)


PHRASES: Final[dict[str, Phrase]] = {}
"""Every phrase of the modules that are loaded, by key."""
_AND: Final = Phrase("joined.and", "{first} and {second}")
_OR: Final = Phrase("joined.or", "{first} or {second}")
_LINES: Final = Phrase("joined.lines", "{first}\n{second}")
_ROW: Final = {
    ",": Phrase("joined.comma", "{first}, {second}"),
    ";": Phrase("joined.semicolon", "{first}; {second}"),
}


def phrases_of(start: str, english: Mapping[str, str]) -> dict[str, Phrase]:
    """Phrases of one kind by their names; their keys begin alike."""
    return {name: Phrase(f"{start}.{name}", text) for name, text in english.items()}


def all_of(parts: Iterable[str]) -> str:
    """Things that are all meant: a and b and c."""
    return reduce(lambda one, other: _AND(first=one, second=other), parts)


def any_either(parts: Iterable[str]) -> str:
    """Things of which one is meant: a or b or c."""
    return reduce(lambda one, other: _OR(first=one, second=other), parts)


def any_of(parts: Sequence[str]) -> str:
    """Things of which one is enough: a, b or c."""
    return _ended(parts, _OR)


def listed(parts: Sequence[str]) -> str:
    """A list of things: a, b and c."""
    return _ended(parts, _AND)


def row(parts: Iterable[str], between: Literal[",", ";"] = ",") -> str:
    """Things in a row: a, b, c."""
    return reduce(lambda one, other: _ROW[between](first=one, second=other), parts)


def _ended(parts: Sequence[str], last: Phrase) -> str:
    return parts[0] if len(parts) == 1 else last(first=row(parts[:-1]), second=parts[-1])


def said_by(error: Exception) -> str:
    """What an error says; a sentence if it was given one, where `str` would make it plain text."""
    said = error.args[0] if error.args else None
    return said if isinstance(said, Sentence) else str(error)


def lines(parts: Iterable[str]) -> str:
    """Things of which each has a line of its own; empty for none."""
    given = list(parts)
    return reduce(lambda one, other: _LINES(first=one, second=other), given) if given else ""


def described(phrase: Phrase, **limits: Any) -> Meta:
    """The `Meta` of a text whose form a phrase says, so that refusals can say it, too."""
    return Meta(description=phrase.english, extra={"phrase": phrase}, **limits)


def each_line(text: str) -> list[str]:
    """The parts that `lines` put together; of another text, its lines."""
    if not isinstance(text, Sentence):
        return text.splitlines()
    found: list[str] = []
    while isinstance(text, Sentence) and text.key == _LINES.key:
        found.append(str_value(text, "second"))
        text = str_value(text, "first")
    return [text, *reversed(found)]


def str_value(sentence: Sentence, name: str) -> str:
    """A text that fills a gap of a sentence."""
    value = sentence.values[name]
    assert isinstance(value, str), "what stands in this gap is a text"
    return value


def encoding(say: Callable[[Sentence], str]) -> Callable[[object], str]:
    """How encoders write sentences and moments; they know no kind of text but one."""

    def encode(value: object) -> str:
        if isinstance(value, Sentence):
            return say(value)
        if isinstance(value, int):  # a `Moment`, which writes itself
            return str(value)
        raise NotImplementedError(f"{type(value).__name__} cannot be encoded")

    return encode


plain: Final = encoding(str)
"""Writes sentences as the English texts that they are, and moments as RFC 3339."""
