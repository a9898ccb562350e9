"""How two words of a name are related: the rules that decide on one part of a name."""

from typing import Final

from rapidfuzz.distance import OSA

from gatehouse.idverify.comparison import Comparison
from gatehouse.idverify.names.align import Likeness, Match
from gatehouse.idverify.names.knowledge import (
    are_one_given_name,
    are_two_given_names,
    differ_in_gender,
    knowledge,
)
from gatehouse.idverify.names.scripts import ARABIC, CYRILLIC, GREEK, HEBREW, LATIN
from gatehouse.idverify.names.sounds import sound_likeness
from gatehouse.idverify.names.tokens import Token
from gatehouse.idverify.response import Result, Why

# Words of two scripts from this likeness on are one name. One in a thousand unrelated pairs reaches
# the second threshold.
_SAME_SOUND: Final = 0.8
_NEAR_SOUND: Final = 0.42
# Longer words of one script that sound this much alike are spellings of one name.
_ONE_SPELLING: Final = 0.72
_LONG_ENOUGH: Final = 6
# Letters that scanners and readers mistake for each other.
_MISREAD: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("0", "o"), ("1", "l"), ("5", "s"))
# Letters that stand for the -a that tells Petrov and Petrova apart, where one is written.
_ENDS_IN_A: Final = ("а", "я", "α", "ا", "ة", "ه", "ה")
_VOWELS: Final = frozenset("aeiou")
_WRITES_A: Final = (CYRILLIC, GREEK, ARABIC, HEBREW)
# First letters that are one sound.
_ONE_SOUND: Final = (
    {"c", "k", "q"},
    {"v", "w"},
    {"i", "j", "y"},
    {"s", "z"},
    {"f", "p"},
    {"o", "u"},
    {"e", "i"},
    {"a", "e"},
)


def relation_of(
    left: Token, right: Token, found: Likeness | Match, *, given: bool
) -> Comparison | None:
    """How two words are related, or None when they are different words."""
    why = found.why
    if why is Why.EXACT:
        return Comparison(Result.MATCH, why)
    if why is Why.INITIAL or (why is Why.NICKNAME and given):
        return Comparison(Result.PARTIAL_MATCH, why)
    if left.script != right.script:
        return _across_scripts(left, right, found.likeness, given=given)
    if given and _are_other_given_names(left.text, right.text):
        return None
    if given and are_one_given_name(left.text, right.text):
        return Comparison(Result.PARTIAL_MATCH, Why.TRANSLITERATION)
    return _in_one_script(left, right, found.spelling)


def _are_other_given_names(one: str, other: str) -> bool:
    return (
        are_two_given_names(one, other)
        or differ_in_gender(one, other)
        or _is_counterpart(one, other)
    )


def _is_counterpart(one: str, other: str) -> bool:
    """Whether only the ending differs that makes a woman's name: Denis and Denise."""
    gender = knowledge().gender
    if gender.get(one, 0) == gender.get(other, 3) != 3:
        # Ann and Anne: both are women's names.
        return False
    short, long = sorted((one, other), key=len)
    if long in (short + "a", short + "e", short + "ah"):
        return True
    return one[:-1] == other[:-1] and one[-1] in _VOWELS and other[-1] in _VOWELS


def _begin_alike(one: str, other: str) -> bool:
    first = {one[0], other[0]}
    return len(first) == 1 or any(first <= letters for letters in _ONE_SOUND)


def _across_scripts(
    left: Token, right: Token, likeness: float, *, given: bool
) -> Comparison | None:
    native, latin = (right, left) if left.script == LATIN else (left, right)
    known = knowledge().spellings.get(native.text, ())
    if latin.text in known:
        return Comparison(Result.MATCH, Why.TRANSLITERATION)
    names = [each for each in known if each in knowledge().given]
    if given and names:
        others = sum(are_two_given_names(each, latin.text) for each in names)
        # Sasha is among the spellings of Aleksandr, and also Aleksandra's.
        if 2 * others > len(names):
            return None
    if likeness < _NEAR_SOUND:
        return None
    same_end = latin.text.endswith("a") == native.text.endswith(_ENDS_IN_A)
    same_end = same_end or native.script not in _WRITES_A
    result = Result.MATCH if likeness >= _SAME_SOUND and same_end else Result.PARTIAL_MATCH
    return Comparison(result, Why.TRANSLITERATION)


def _in_one_script(left: Token, right: Token, spelling: float) -> Comparison | None:
    one, other = left.text, right.text
    if one.isdigit() or other.isdigit():
        return None
    longer = max(len(one), len(other))
    slips = OSA.distance(one, other, score_cutoff=2)
    # In a short word, or at its beginning, another letter makes another name: Fox and Cox.
    plausible = longer >= 8 or (longer >= 4 and _begin_alike(one, other))
    if plausible and (slips == 1 or (slips == 2 and longer >= 8)):
        return Comparison(Result.PARTIAL_MATCH, Why.TYPO)
    if left.script != LATIN:
        return None
    if _seen(one) == _seen(other):
        return Comparison(Result.PARTIAL_MATCH, Why.TYPO)
    if longer < _LONG_ENOUGH or not spelling or not _begin_alike(one, other):
        return None
    if max(spelling, 0.97 * sound_likeness(left, right, _ONE_SPELLING)[0]) >= _ONE_SPELLING:
        return Comparison(Result.PARTIAL_MATCH, Why.TRANSLITERATION)
    return None


def _seen(word: str) -> str:
    for written, read in _MISREAD:
        word = word.replace(written, read)
    return word
