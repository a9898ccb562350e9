"""Reference data on names: sounds across scripts, readings of Han characters, common names,
nicknames. `scripts/build_names.py` packs the file, which is loaded once.
"""

import lzma
import re
from functools import cache
from importlib import resources
from operator import itemgetter
from typing import Final

import msgspec

DATA_FILE: Final = "names.msgpack.xz"


class SoundTable(msgspec.Struct, frozen=True):
    """How strongly a unit of one script suggests a unit of Latin letters, in hundredths of a nat.

    `pairs[n][l]` is for native unit n beside Latin unit l, `gone` for a native unit with nothing
    beside it, `added` for a Latin one.
    """

    native: list[str]
    latin: list[str]
    pairs: list[list[int]]
    gone: list[int]
    added: list[int]


class Knowledge(msgspec.Struct, frozen=True):
    """The contents of the packed file."""

    sounds: dict[str, SoundTable]
    readings: dict[str, dict[str, list[str]]]
    """Han character to language (m, c, k, j, v) to readings."""
    han_fold: dict[str, str]
    """Variants of a Han character, simplified and traditional, to one form."""
    spellings: dict[str, list[str]]
    """Names in other scripts to their customary spellings in Latin letters."""
    common: dict[str, int]
    """Common names to a level from 1 to 3."""
    given: dict[str, list[int]]
    """Common given names to the numbers of the names they are spellings of."""
    gender: dict[str, int]
    """The same given names to the gender that bears them: 1 men, 2 women, 3 both."""
    nicknames: dict[str, list[str]]
    """Short names to full names, and full names to short ones."""
    families: list[str] = []
    """Spellings of one name in several languages that do not look alike, such as "jacob yakov"."""


@cache
def knowledge() -> Knowledge:
    """The reference data, loaded at first use."""
    packed = (resources.files(__package__) / "data" / DATA_FILE).read_bytes()
    return msgspec.msgpack.decode(lzma.decompress(packed), type=Knowledge)


@cache
def _families() -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for number, words in enumerate(knowledge().families):
        for word in words.split():
            found.setdefault(word, set()).add(number)
    return found


@cache
def related() -> frozenset[str]:
    """All words that have another form: a nickname, or one in another language."""
    return frozenset(knowledge().nicknames) | frozenset(_families())


def are_of_one_family(one: str, other: str) -> bool:
    """Whether two words are known forms of one name: Oleksiy and Aleksey, Mehmet and Muhammad."""
    families = _families()
    names = families.get(one)
    # Most words have no family.
    others = None if names is None else families.get(other)
    return (
        names is not None
        and others is not None
        and not names.isdisjoint(others)
        # Aleksandra is of the family of Aleksandr, but not the same person.
        and one.endswith("a") == other.endswith("a")
        and not differ_in_gender(one, other)
    )


def are_one_given_name(one: str, other: str) -> bool:
    """Whether two words are known spellings of one given name: Mohammed and Muhammad."""
    if differ_in_gender(one, other):
        return False
    given = knowledge().given
    names, others = given.get(one), given.get(other)
    if names is None or others is None:
        return False
    return (
        not set(names).isdisjoint(others)
        or _same_consonants(one, other)
        or are_of_one_family(one, other)
    )


def are_two_given_names(one: str, other: str) -> bool:
    """Whether two words are known given names that are not spellings of one name: Jon and Joan."""
    given = knowledge().given
    return one in given and other in given and not are_one_given_name(one, other)


def differ_in_gender(one: str, other: str) -> bool:
    """Whether one is a man's name and the other a woman's."""
    gender = knowledge().gender
    return not gender.get(one, 3) & gender.get(other, 3)


def _same_consonants(one: str, other: str) -> bool:
    """Whether two names differ only in spelling habits and vowels: Catherine and Kathryn."""
    one, other = _plain_spelling(one), _plain_spelling(other)
    if one == other:
        return True
    consonants = one[:1] + _VOWELS.sub("", one[1:])
    # Short names have too few consonants to tell them apart: Jon and Joan, Mario and Maria.
    return len(consonants) > 2 and consonants == other[:1] + _VOWELS.sub("", other[1:])


def _plain_spelling(name: str) -> str:
    name = name.replace("ph", "f").replace("ck", "k").replace("ch", "k").replace("th", "t")
    name = name.translate(_SOUNDS_LIKE)
    return _DOUBLED.sub(itemgetter(1), name[:1] + name[1:].replace("h", "").replace("w", ""))


_SOUNDS_LIKE: Final = str.maketrans("cqvz", "kkfs")
_VOWELS: Final = re.compile("[aeiouy]+")
_DOUBLED: Final = re.compile(r"(.)\1+")
