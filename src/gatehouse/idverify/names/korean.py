"""How a Korean syllable is written in Latin letters: by the official systems, and as people like.

The letters of a syllable are spelt one by one, so all spellings of a syllable are every initial
with every vowel and every final. Usual spellings cost nothing, rarer ones a little each.
"""

import tomllib
from functools import lru_cache
from importlib import resources
from typing import Final

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
