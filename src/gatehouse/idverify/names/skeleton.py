"""What is left of a word when the habits of spelling are taken away: its consonants, by class.

Spellings of one name mostly share it (Hussein and Husayn, Zimowsky and Zimousky); names that only
look alike mostly do not (Castillo and Castro). Endings that thousands of names share say nothing.
"""

import re
from functools import lru_cache
from operator import itemgetter
from typing import Final

_CLASSES: Final = {
    **dict.fromkeys(("tsch", "tch", "sch", "sh", "ch", "cz", "sz", "zh"), "x"),
    **dict.fromkeys(("ts", "tz", "z"), "s"),
    **dict.fromkeys(("kh", "ck", "qu", "c", "q"), "k"),
    **dict.fromkeys(("th", "dh", "d"), "t"),
    **dict.fromkeys(("ph", "v"), "f"),
    "gh": "g",
    "dj": "j",
    "x": "ks",
}
_SOUNDS: Final = re.compile("|".join(sorted(_CLASSES, key=len, reverse=True)))
_SOFT: Final = str.maketrans("", "", "aeiouyhw")
_DOUBLED: Final = re.compile(r"(.)\1+")
_VOWELS: Final = frozenset("aeiou")

_SHARED_BEGINNING: Final = "abd"
_SHARED_ENDINGS: Final = re.compile(
    "(?:(y?[aeo]v[iy]ch|y?[aeo]vich|[aeo]vna|[iy]vna|a[uw]na|ichna)"
    "|([aeo]va|[aeo]f?f|[aeo]v)|(sk[aiy][aiy]?|sky)|(shvili)|([iy]an)|(s?son|s?sen)|(dottir)"
    r"|(escu)|(poulos)|(za[dh]eh?)|(p[ou]+r)|(lah)|(din)|([ei]z))\Z"
)
_LEAST_STEM: Final = 3


@lru_cache(8192)
def skeleton(word: str) -> str:
    """The consonants of a word in Latin letters by class, after its first sound."""
    word = _SOUNDS.sub(lambda found: _CLASSES[found[0]], word)
    first = "a" if word[:1] in _VOWELS else word[:1]
    return _DOUBLED.sub(itemgetter(1), first + word[1:].translate(_SOFT))


def stems(one: str, other: str) -> tuple[str, str]:
    """Two words without the beginning and the ending that both share with thousands of names."""
    if one.startswith(_SHARED_BEGINNING) and other.startswith(_SHARED_BEGINNING):
        one, other = one[3:], other[3:]
    ending, others = _ending(one), _ending(other)
    if ending is not None and others is not None and ending[0] == others[0]:
        one, other = one[: ending[1]], other[: others[1]]
    return one, other


@lru_cache(8192)
def _ending(word: str) -> tuple[int, int] | None:
    """The kind of a common ending and the place where it begins."""
    found = _SHARED_ENDINGS.search(word, _LEAST_STEM)
    return None if found is None else (found.lastindex or 0, found.start())
