"""Reads names in Han characters, or in Hangul without spaces, beside names in Latin letters.

A character is one syllable in Chinese, Korean and Vietnamese. A part of a Japanese name is looked
up, or spelt from the readings of its characters. Foreign names are compared by their sound.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from operator import attrgetter
from typing import Final

import msgspec
from rapidfuzz.distance import OSA

from gatehouse.idverify.names.knowledge import knowledge
from gatehouse.idverify.names.romanisation import (
    ALIKE,
    SOUTHERN,
    southern_spellings,
    spells_character,
)
from gatehouse.idverify.names.scripts import HAN, HANGUL, script_of
from gatehouse.idverify.names.sounds import sounds_like
from gatehouse.idverify.names.tokens import KOREAN_FAMILIES, Token

_MOST_CHARACTERS: Final = 5
_MOST_LATIN_WORDS: Final = 5
_LONGEST_SYLLABLE: Final = 7
_LONGEST_BY_SOUND: Final = 12
_SOUNDS_ALIKE: Final = 0.62
# The most that a family name may score when its spelling is not known.
_OTHER_FAMILY: Final = 0.5
# Japanese words that are less alike than this are two words, which score but a part of it.
_ONE_SLIP: Final = 0.85
_OTHER_WORD: Final = 0.6
# A name that reads this well in one language is not tried in the others.
_CERTAIN: Final = 0.9
_ROUNDING: Final = 1e-9

_ROMAJI: Final = re.compile(
    "(?:(?:[kgsztdnhbpmrfjwy]|[kgsnhbpmrc]h?y?|ts|tch|kk|ss|tt|pp)?[aeiou]|n)+"
)


class NameReading(msgspec.Struct, frozen=True):
    """One way to read a name: how alike its parts are, and how many Latin words it uses."""

    score: float
    likenesses: tuple[float, ...] = ()
    words_used: int = 0
    language: str = ""
    """m, c, k, v as in the readings; j for Japanese, f for a foreign name written by its sound."""


_NO_READING: Final = NameReading(-1.0)


def is_eastern(tokens: Sequence[Token]) -> bool:
    """Whether the words are one name in Han characters or Hangul without spaces."""
    if any(token.script not in (HAN, HANGUL) for token in tokens):
        return False
    if not 2 <= sum([len(token.text) for token in tokens]) <= _MOST_CHARACTERS:
        return False
    return len(tokens) == 1 or all(len(token.text) == 1 for token in tokens)


def may_be_divided(tokens: Sequence[Token]) -> bool:
    """Whether the words may be a Korean name with a space after the family name; a foreign name
    in Hangul has spaces, too.
    """
    if len(tokens) != 2 or any(token.script != HANGUL for token in tokens):
        return False
    return len(tokens[0].text) <= 2 and 1 <= len(tokens[1].text) <= 2


def read_word(native: Token, latin: Token) -> float:
    """How well one word in Latin letters spells one in Han characters or Hangul, by its weakest
    syllable; what is less than `ALIKE` may be said to be nothing.
    """
    if len(native.text) > _MOST_CHARACTERS:
        return 0.0
    languages = "k" if native.script == HANGUL else "mkcv"
    least = ALIKE * len(native.text) - _ROUNDING
    ways = [min(_spelt(native.text, language, latin.text, least)) for language in languages]
    if native.script == HAN:
        ways.append(_part(native.text, latin.text))
    return max(ways)


def read_eastern(name: Sequence[Token], latin: Sequence[Token]) -> NameReading:
    """The best of all possible readings of a name beside Latin words."""
    text = "".join([token.text for token in name])
    words = [token.text for token in latin[:_MOST_LATIN_WORDS]]
    if name[0].script == HANGUL:
        return _by_syllables(text, words, "k", _NO_READING)
    best = _NO_READING
    for language in "mkcv":
        best = _by_syllables(text, words, language, best)
        if best.score > _CERTAIN:
            return best
    return _best((best, *_japanese(text, words), *_by_sound(text, words)))


def _best(readings: Iterable[NameReading]) -> NameReading:
    return max(readings, key=attrgetter("score"), default=_NO_READING)


def read_parts(
    name: tuple[Sequence[Token], Sequence[Token]], latin: tuple[Sequence[Token], Sequence[Token]]
) -> tuple[float, float]:
    """How well the family names agree, and the given names, when it is known which is which.

    The weakest syllable decides. 1 is a known spelling, from `ALIKE` on the difference is only one
    of romanisation, and anything less is another name.
    """
    family, given = ("".join([token.text for token in part]) for part in name)
    word = "".join([token.text for token in latin[0]])
    words = [token.text for token in latin[1][:_MOST_LATIN_WORDS]]
    if len(family) > 2 or len(given) > 3:
        return _sound(family, word), _sound(given, "".join(words))
    hangul = name[0][0].script == HANGUL
    ways = [
        (_family(family, language, word), min(_given(given, language, words)))
        for language in ("k" if hangul else "mkcv")
    ]
    if not hangul:
        whole = "".join(words)
        ways.append((_part(family, word), _part(given, whole)))
    return max(ways, key=lambda way: (min(way), max(way)))


def _sound(text: str, word: str) -> float:
    """Compare a foreign name that is written by its sound: at most `ALIKE`."""
    if len(text) > _LONGEST_BY_SOUND:
        return 0.0
    likeness = sounds_like(text, script_of(text[0]), word)
    return ALIKE if likeness >= _SOUNDS_ALIKE else min(likeness, _OTHER_FAMILY)


def _by_syllables(text: str, words: list[str], language: str, best: NameReading) -> NameReading:
    """The best of the readings in one language, if it is better than the best so far."""
    for length in (1, 2) if len(text) >= 4 else (1,):
        family, given = text[:length], text[length:]
        for word, others, skipped in _orders(words):
            if sum(map(len, others)) > _LONGEST_SYLLABLE * len(given):
                continue
            cost = 0.04 * skipped + (0.02 if language in "cv" else 0.0)
            first = _family(family, language, word)
            least = (best.score + cost) * (1 + len(given)) - first - _ROUNDING
            if least >= len(given):
                continue
            likenesses = (first, *_given(given, language, others, least))
            score = sum(likenesses) / len(likenesses) - cost
            if score > best.score:
                best = NameReading(score, likenesses, len(others) + 1, language)
    return best


def _orders(words: list[str]) -> Iterator[tuple[str, list[str], int]]:
    """Possible family names, each with the given names and the number of words skipped."""
    for place in range(len(words) - 1):
        yield words[place], words[place + 1 :], place
    for place in range(len(words) - 1):
        yield words[-1], words[place:-1], place


def _family(text: str, language: str, word: str) -> float:
    if language == "k":
        return _korean_family(text, word)
    known = knowledge().spellings.get(text, ())
    if word in known:
        return 1.0
    if word in southern_spellings("families", text):
        return SOUTHERN
    if len(text) == 1:
        # Family names are few and alike, so another spelling is mostly another family.
        likeness = spells_character(text, language, word)
        return likeness if likeness == 1 else min(likeness, _OTHER_FAMILY)
    return _nearest(known, word)


def _nearest(spellings: Iterable[str], word: str) -> float:
    return max((OSA.normalized_similarity(each, word) for each in spellings), default=0.0)


def _korean_family(text: str, word: str) -> float:
    readings: Sequence[str] = (text,)
    if script_of(text[0]) == HAN:
        readings = knowledge().readings.get(text, {}).get("k", ())
    if any(word in KOREAN_FAMILIES.get(reading, ()) for reading in readings):
        return 1.0
    if len(text) > 1:
        return 0.0
    return min(spells_character(text, "k", word), _OTHER_FAMILY)


def _given(text: str, language: str, words: list[str], least: float = 0.0) -> list[float]:
    if len(text) != len(words):
        return _spelt(text, language, "".join(words), least)
    spelt: list[float] = []
    spare = len(text) - least
    for sign, word in zip(text, words, strict=True):
        if spare < 0:
            return [0.0] * len(text)
        spelt.append(spells_character(sign, language, word))
        spare -= 1 - spelt[-1]
    return spelt


def _spelt(text: str, language: str, word: str, least: float = 0.0) -> list[float]:
    """Split a word into one syllable for each character, where that fits best.

    Words whose likenesses cannot add up to `least` any more are given up, and not alike at all.
    """
    # The best likenesses of the characters so far, by the number of letters they used.
    ways: dict[int, list[float]] = {0: []}
    for left, sign in zip(range(len(text) - 1, -1, -1), text, strict=True):
        reached: dict[int, list[float]] = {}
        for place, spelt in ways.items():
            if sum(spelt) + left + 1 < least:
                continue
            ends = range(place + 1, min(place + _LONGEST_SYLLABLE, len(word) - left) + 1)
            for end in ends if left else (len(word),):
                way = [*spelt, spells_character(sign, language, word[place:end])]
                if end not in reached or sum(way) > sum(reached[end]):
                    reached[end] = way
        ways = reached
    return ways.get(len(word), [0.0] * len(text))


def _japanese(text: str, words: list[str]) -> Iterator[NameReading]:
    if len(words) < 2:
        return
    first, last = (words[0], "".join(words[1:])), (words[-1], "".join(words[:-1]))
    for cut in range(1, len(text)):
        for family, given in (first, last):
            likenesses = (_part(text[:cut], family), _part(text[cut:], given))
            yield NameReading(sum(likenesses) / 2, likenesses, len(words), "j")


def _part(text: str, word: str) -> float:
    if _ROMAJI.fullmatch(word) is None:
        return 0.0
    word = _japanese_fold(word)
    known = _nearest(_japanese_spellings(text), word)
    if known >= _ONE_SLIP:
        return known
    return max(_OTHER_WORD * known, 0.95 * _spells(text, word))


def _spells(text: str, word: str) -> float:
    """The share of a word that the readings of the characters spell, in order."""
    ways = {0: 0.0}
    for sign in text:
        reached: dict[int, float] = {}
        for place, spelt in ways.items():
            for reading in _japanese_readings(sign):
                end = place + len(reading)
                if word.startswith(reading, place) and reached.get(end, -1) < spelt + len(reading):
                    reached[end] = spelt + len(reading)
            # An unknown reading uses two letters and scores nothing.
            reached.setdefault(min(place + 2, len(word)), spelt)
        ways = reached
    best = max(spelt * (1.0 if end == len(word) else 0.8) for end, spelt in ways.items())
    return best / max(1, len(word))


@lru_cache(4096)
def _japanese_readings(sign: str) -> tuple[str, ...]:
    known = knowledge()
    readings = {_japanese_fold(each) for each in known.readings.get(sign, {}).get("j", ())}
    spellings = [each for each in known.spellings.get(sign, ()) if _ROMAJI.fullmatch(each)]
    readings.update(map(_japanese_fold, spellings))
    readings.update(_given_readings().get(sign, ()))
    # Verbs and adjectives lose their ending in names.
    readings.update([reading[:-1] for reading in readings if len(reading) > 3])
    return tuple(sorted(filter(None, readings)))


@lru_cache(1)
def _given_readings() -> dict[str, list[str]]:
    text = (resources.files(__package__) / "japanese.toml").read_text(encoding="utf-8")
    fold = knowledge().han_fold
    return {
        fold.get(sign, sign): words.split() for sign, words in tomllib.loads(text)["given"].items()
    }


@lru_cache(4096)
def _japanese_spellings(text: str) -> tuple[str, ...]:
    return tuple({_japanese_fold(each) for each in knowledge().spellings.get(text, ())})


def _japanese_fold(word: str) -> str:
    for long, short in (("ou", "o"), ("oo", "o"), ("oh", "o"), ("uu", "u"), ("si", "shi")):
        word = word.replace(long, short)
    return word.replace("tu", "tsu").replace("ti", "chi")


def _by_sound(text: str, words: list[str]) -> Iterator[NameReading]:
    candidates = [("".join(words), len(words))]
    if len(words) > 1:
        candidates += [(word, 1) for word in words]
    if len(words) == 2:
        candidates.append((words[1] + words[0], 2))
    for word, used in candidates:
        likeness = max(
            sounds_like(text, HAN, word), _nearest(knowledge().spellings.get(text, ()), word)
        )
        yield NameReading(likeness - 0.1, (likeness,), used, "f")
