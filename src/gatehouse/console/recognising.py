"""Recognises sentences that another process noted as plain text, so that they can be translated.

Servers report why a connector does not work, jobs why they failed, and trainings what is to be
known of a model, as texts in the database.
"""

import importlib
import re
from functools import cache
from string import Formatter
from typing import Any, Final, NamedTuple

import re2

from gatehouse.core.sentences import PHRASES, Phrase, Sentence

_OF: Final = Phrase("noted.of", "{what}: {why}")
_PERCENT: Final = Phrase("noted.percent", "{number}%")
_SHARE: Final = re.compile(r"(\d+(?:\.\d+)?)%")
_LEAST_WORDS: Final = 2
"""Of a phrase without gaps; with fewer, any text could be one."""
_DIGITS: Final = r"\d[\d,]*"
_NUMBER: Final = ","
"""How a gap is written that a whole number fills."""
_NOTING: Final = (
    "gatehouse.admin.jobs.worker.worker",
    "gatehouse.connectors.http.connector",
    "gatehouse.connectors.iso8583.pool",
    "gatehouse.connectors.routing.roster",
    "gatehouse.admin.webhooks.use_cases.sender",
    "gatehouse.training.phrases",
)
"""Modules with phrases that are noted; nothing else of the console needs all of them."""


_LONGEST: Final = 1000
_DEEPEST: Final = 4
"""Longer texts, and what is deeper in others, stay as they are: others can write into them."""


class _Wording(NamedTuple):
    """How a phrase is known by its English."""

    phrase: Phrase
    own: tuple[str, ...]
    """What stands between its gaps."""
    pattern: Any
    numbers: frozenset[str]
    """The gaps that whole numbers fill."""


def recognised(text: str, depth: int = 0) -> str:
    """The sentence that a text is, with what is in it; the text itself if it is none."""
    if len(text) > _LONGEST or depth > _DEEPEST:
        return text
    share = _SHARE.fullmatch(text)
    if share is not None:
        return _PERCENT.worded(text, number=float(share[1]))
    for wording in _wordings():
        values = _filled(wording, text)
        if values is not None:
            return wording.phrase.worded(
                text,
                **{
                    name: int(value.replace(_NUMBER, ""))
                    if name in wording.numbers
                    else recognised(value, depth + 1)
                    for name, value in values.items()
                },
            )
    what, _, why = text.partition(": ")
    told = recognised(why, depth + 1) if why else why
    return _OF(what=what, why=told) if isinstance(told, Sentence) else text


def _filled(wording: _Wording, text: str) -> dict[str, str] | None:
    """What fills the gaps of a phrase if the text is one; a name stands for one thing."""
    if not all(part in text for part in wording.own):
        return None
    found = wording.pattern.fullmatch(text)
    if found is None:
        return None
    values: dict[str, str] = {}
    for name, value in found.groupdict().items():
        if values.setdefault(name.partition("__")[0], value) != value:
            return None
    return values


@cache
def _wordings() -> tuple[_Wording, ...]:
    """Every phrase, those with the most words of their own first."""
    for module in _NOTING:
        importlib.import_module(module)
    own = {phrase: _own_words(phrase) for phrase in PHRASES.values()}
    usable = [phrase for phrase, words in own.items() if words >= _LEAST_WORDS]
    return tuple(map(_wording, sorted(usable, key=lambda each: -own[each])))


def _own_words(phrase: Phrase) -> int:
    """How many words a text must have to be this phrase; a number is as good as a word."""
    words = sum(len(text.split()) for text, *_ in Formatter().parse(phrase.english))
    return words + len(_numbers(phrase))


def _numbers(phrase: Phrase) -> frozenset[str]:
    parsed = Formatter().parse(phrase.english)
    return frozenset(name for _, name, form, _ in parsed if name and form == _NUMBER)


def _wording(phrase: Phrase) -> _Wording:
    numbers = _numbers(phrase)
    own, parts = [], ["(?s)"]
    for place, (text, name, _, _) in enumerate(Formatter().parse(phrase.english)):
        own.append(text)
        parts.append(re2.escape(text))
        if name:
            parts.append(f"(?P<{name}__{place}>{_DIGITS if name in numbers else '.*?'})")
    return _Wording(phrase, tuple(own), re2.compile("".join(parts)), numbers)
