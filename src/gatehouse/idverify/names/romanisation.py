"""How well a syllable in Latin letters spells one Han character or one Hangul syllable.

How a Korean syllable is written in Latin letters: by the official systems, and as people like.

The letters of a syllable are spelt one by one, so all spellings of a syllable are every initial
with every vowel and every final. Usual spellings cost nothing, rarer ones a little each.
"""

import re
import tomllib
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from gatehouse.idverify.names.knowledge import knowledge
from gatehouse.idverify.names.scripts import HANGUL, PINYIN
from gatehouse.idverify.names.sounds import sounds_like

Spellings = dict[str, int]
"""Ways to spell a letter or a syllable, with the number of rarer choices in each."""

_FIRST: Final = 0xAC00
_SYLLABLES: Final = 11172
_FINALS: Final = 28
_VOWELS: Final = 21
_INITIALS: Final = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_FIRST_VOWEL: Final = ord("ㅏ")
# Each final in the order of code points, as the letter that is heard of it.
_HEARD_FINALS: Final = (
    *("", "ㄱ", "ㄱ", "ㄱ", "ㄴ", "ㄴ", "ㄴ", "ㄷ", "ㄹ", "ㄱ", "ㅁ", "ㄹ", "ㄹ", "ㄹ"),
    *("ㅂ", "ㄹ", "ㅁ", "ㅂ", "ㅂ", "ㅅ", "ㅅ", "ㅇ", "ㅈ", "ㅊ", "ㅋ", "ㅌ", "ㅍ", "ㅎ"),
)
_MOST_RARE: Final = 2
# How well a syllable is spelt by the number of rarer choices.
_LIKENESS: Final = (1.0, 0.93, 0.85)


def spells_korean(syllable: str, latin: str) -> float:
    """How usual a spelling of a Hangul syllable is, from 0.85 to 1, or 0 when nobody writes so."""
    rare = _spellings_of(syllable).get(latin)
    return 0.0 if rare is None else _LIKENESS[rare]


@lru_cache(2048)
def _spellings_of(syllable: str) -> Spellings:
    place = ord(syllable) - _FIRST
    if not 0 <= place < _SYLLABLES:
        return {}
    initials, vowels, finals = _letters()
    initial = initials[_INITIALS[place // (_VOWELS * _FINALS)]]
    vowel = vowels[chr(_FIRST_VOWEL + place // _FINALS % _VOWELS)]
    final = finals[_HEARD_FINALS[place % _FINALS]]
    found: Spellings = {}
    for begin, first in initial.items():
        for middle, second in vowel.items():
            for end, third in final.items():
                # Whan has one w, not two.
                spelt = (begin + middle + end).replace("whw", "wh")
                rare = first + second + third
                if rare <= _MOST_RARE and rare < found.get(spelt, _MOST_RARE + 1):
                    found[spelt] = rare
    return found


@lru_cache(1)
def _letters() -> tuple[dict[str, Spellings], dict[str, Spellings], dict[str, Spellings]]:
    text = (resources.files(__package__) / "korean.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    initials, vowels, finals = (
        {letter: _ways(line) for letter, line in tables[kind].items()}
        for kind in ("initials", "vowels", "finals")
    )
    return initials, vowels, finals


def _ways(line: str) -> Spellings:
    usual, _, rarer = line.partition("|")
    ways = dict.fromkeys(rarer.replace(".", " . ").split(), 1)
    ways |= dict.fromkeys(usual.split(), 0)
    return {"" if spelt == "." else spelt: rare for spelt, rare in ways.items()}


ALIKE: Final = 0.85
"""Syllables that only a romanisation tells apart, or a foreign name that sounds the same."""

_SYLLABLE: Final = re.compile(
    "(tsz|sch|zh|ch|sh|ts|tz|hs|kw|gw|ph|th|ng(?=[aeiou])|kh|[bcdfghjklmnpqrstvwxyz])?"
    "([aeiouyw]*)(.*)"
)
_INITIAL_CLASSES: Final = {
    initial: group
    for group, initials in {
        "p": "b p ph",
        "t": "d t th",
        "k": "g k kw gw kh",
        "c": "j ch zh z c ts tz q tsz",
        "s": "s sh x hs sch",
        "l": "l r",
        "w": "w v",
        "": "ng",
    }.items()
    for initial in initials.split()
}
SOUTHERN: Final = 0.9
"""A spelling of Hong Kong, Taiwan or South-East Asia that no system accounts for."""
# The most that a syllable may score which nobody spells so.
_WORST_KOREAN: Final = 0.7
_NO_SPELLINGS: Final[frozenset[str]] = frozenset()
_PLAIN_ENDINGS: Final = str.maketrans("gbd", "kpt")


def _spelling_rules(rules: str) -> dict[str, str]:
    return dict(rule.split(":") for rule in rules.split())


_WADE_GILES_INITIALS: Final = _spelling_rules("b:p d:t g:k j:ch q:ch x:hs zh:ch r:j z:ts c:ts")
_WADE_GILES_FINALS: Final = _spelling_rules("ie:ieh ian:ien ong:ung iong:iung ue:ueh ve:ueh uo:o")
_WADE_GILES_SYLLABLES: Final = _spelling_rules(
    "zhi:chih chi:chih shi:shih ri:jih zi:tzu ci:tzu si:ssu"
)
_HONG_KONG_INITIALS: Final = _spelling_rules("gw:kw g:k z:ch c:ch jy:y j:y b:p d:t")


@lru_cache(16384)
def spells_character(sign: str, language: str, syllable: str) -> float:
    """How well a syllable spells a character as one language reads it, from 0 to 1."""
    if not syllable:
        return 0.0
    if "\uac00" <= sign <= "\ud7a3":
        return _spells_hangul(sign, syllable)
    spells = _spells_hangul if language == "k" else _spells_reading
    readings = knowledge().readings.get(sign, {}).get(language, ())
    best = max((spells(reading, syllable) for reading in readings), default=0.0)
    if best < SOUTHERN and language in "mc" and syllable in southern_spellings("given", sign):
        return SOUTHERN
    return best


@cache
def _southern() -> dict[str, dict[str, frozenset[str]]]:
    text = (resources.files(__package__) / "chinese.toml").read_text(encoding="utf-8")
    fold = knowledge().han_fold
    return {
        kind: {
            "".join([fold.get(sign, sign) for sign in name]): frozenset(spellings.split())
            for name, spellings in names.items()
        }
        for kind, names in tomllib.loads(text).items()
    }


def southern_spellings(kind: str, name: str) -> frozenset[str]:
    """How Hong Kong, Taiwan and South-East Asia write one of the `families` or `given` names."""
    return _southern()[kind].get(name, _NO_SPELLINGS)


def _spells_hangul(hangul: str, syllable: str) -> float:
    return spells_korean(hangul, syllable) or _WORST_KOREAN * sounds_like(hangul, HANGUL, syllable)


def _spells_reading(reading: str, syllable: str) -> float:
    if syllable in (reading, _wade_giles(reading), _hong_kong(reading)):
        return 1.0
    left, right = _shape(reading), _shape(syllable)
    if left == right:
        return ALIKE
    same = [x == y for x, y in zip(left, right, strict=True)]
    return 0.3 * same[0] + 0.2 * same[1] + 0.1 * same[2]


@lru_cache(4096)
def _wade_giles(pinyin: str) -> str:
    """A Mandarin syllable in the older spelling, without its apostrophes."""
    if pinyin in _WADE_GILES_SYLLABLES:
        return _WADE_GILES_SYLLABLES[pinyin]
    match = PINYIN.match(pinyin)
    assert match is not None, "every part of the pattern is optional"
    initial, final = match.groups()
    return _WADE_GILES_INITIALS.get(initial, initial) + _WADE_GILES_FINALS.get(final, final)


@lru_cache(4096)
def _hong_kong(jyutping: str) -> str:
    """A Cantonese syllable as Hong Kong writes it."""
    word = jyutping.replace("oe", "eu").replace("eo", "u").replace("aa", "a")
    for initial, usual in _HONG_KONG_INITIALS.items():
        if word.startswith(initial):
            return usual + word[len(initial) :]
    return word


@lru_cache(16384)
def _shape(syllable: str) -> tuple[str, str, str]:
    """The classes of a syllable's initial, vowel and ending on which all romanisations agree."""
    match = _SYLLABLE.match(syllable)
    assert match is not None, "every part of the pattern is optional"
    initial, vowels, ending = match.groups(default="")
    ending = ending.replace("r", "").replace("h", "")
    begin = _INITIAL_CLASSES.get(initial, initial)
    vowel = _vowel_class(vowels.replace("w", "u").replace("y", "i"))
    if (begin, vowel) in (("y", "i"), ("w", "o")):
        begin = ""
    return begin, vowel, ending[:1].translate(_PLAIN_ENDINGS)


def _vowel_class(vowels: str) -> str:
    if not vowels:
        return ""
    if "a" in vowels:
        if vowels.endswith(("ai", "ae")):
            return "e"
        return "o" if vowels.endswith(("ao", "au")) else "a"
    if "o" in vowels or "u" in vowels:
        return "i" if vowels in ("ui", "uei") else "e" if vowels == "oe" else "o"
    return "i" if vowels in ("ee", "i", "ii") else "e"
