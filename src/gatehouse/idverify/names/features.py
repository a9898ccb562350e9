"""Turns two names into the numbers (features) that the model weighs.

They are computed from the pairs of words. `short` is the name with fewer full words, `long` the
other; a full word is neither an initial nor a particle.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from gatehouse.idverify.names.align import Match, align, joined
from gatehouse.idverify.names.eastern import (
    NameReading,
    is_eastern,
    may_be_divided,
    read_eastern,
)
from gatehouse.idverify.names.knowledge import knowledge
from gatehouse.idverify.names.scripts import HANGUL, LATIN, SCRIPTS
from gatehouse.idverify.names.skeleton import skeleton, stems
from gatehouse.idverify.names.tokens import Token
from gatehouse.idverify.response import Why

# Each feature, and whether a greater value may only raise (1) or only lower (-1) the score.
FEATURES: Final[dict[str, int]] = {
    "script": 0,
    "short_words": 0,
    "long_words": 0,
    "short_mean": 1,
    "long_mean": 1,
    "least": 1,
    "spelling_mean": 1,
    "evidence_share": 1,
    "short_first": 1,
    "short_last": 1,
    "long_first": 1,
    "long_last": 1,
    "long_unmatched": -1,
    "exact": 1,
    "sorted_ratio": 1,
    "short_letters": 0,
    "short_missing": -1,
    "long_missing": -1,
    "rarest": 1,
    "rare_sum": 1,
    "long_rare_mean": 1,
    "long_other_given": 0,
    "skeleton_least": 1,
    "skeleton_mean": 1,
    "skeleton_last": 1,
    "out_of_order": -1,
    "other_initials": -1,
}

_KNOWN_LIKENESS: Final = (Why.EXACT, Why.NICKNAME, Why.INITIAL)
_TELLING_ORDER: Final = 3
_UNMATCHED: Final = 0.6
_CLEAR: Final = 0.8
_UNKNOWN_RARITY: Final = 0.6
_RARITY: Final = (1.0, 0.75, 0.5, 0.25)
_NATS_PER_LETTER: Final = 2.0
FIRST_READ_SCRIPT: Final = len(SCRIPTS)
"""From this number on, the first feature is a language in which Han or Hangul was read."""
_EASTERN: Final = {"m": 8, "c": 9, "k": 10, "v": 11, "j": 12, "f": 13}
_EASTERN_HANGUL: Final = 14
_SCRIPT_NUMBERS: Final = {script: number for number, script in enumerate(SCRIPTS)}


class NameComparison(NamedTuple):
    """Two names, aligned word by word."""

    numbers: list[float]
    left: list[Token]
    right: list[Token]
    matches: list[Match]
    reading: NameReading | None
    """Set when one name is in Han characters or Hangul; then there are no matches."""


def compare_tokens(left: list[Token], right: list[Token]) -> NameComparison:
    """Align two names; neither may be empty, and their order does not matter."""
    if [token.text for token in right] < [token.text for token in left]:
        left, right = right, left
    if left[0].script != right[0].script:
        for one, other in ((left, right), (right, left)):
            divided = may_be_divided(one)
            if not (divided or is_eastern(one)) or len(other) < 2:
                continue
            if all(t.script == LATIN for t in other):
                reading = read_eastern(one, other)
                # In a divided name the family name must be a Korean one.
                if reading.likenesses and (not divided or reading.likenesses[0] == 1):
                    numbers = _eastern_numbers(reading, one, other)
                    return NameComparison(numbers, left, right, [], reading)
    matches = align(left, right)
    for _ in range(2):
        shorter = joined(left, right, matches)
        if shorter is None:
            break
        left, right = shorter
        matches = align(left, right)
    return NameComparison(_numbers(left, right, matches), left, right, matches, None)


def _eastern_numbers(
    reading: NameReading, name: Sequence[Token], latin: Sequence[Token]
) -> list[float]:
    alike = reading.likenesses
    mean = sum(alike) / len(alike)
    share = reading.words_used / len(latin)
    hangul = name[0].script == HANGUL
    rest = alike[1:] or alike
    numbers = dict.fromkeys(FEATURES, 0.0)
    numbers |= {
        "script": _EASTERN_HANGUL if hangul else _EASTERN[reading.language],
        "short_words": len(alike),
        "long_words": len(latin),
        "short_mean": mean,
        "long_mean": mean * share,
        "least": min(alike),
        "spelling_mean": mean,
        "evidence_share": reading.score,
        "short_first": alike[0],
        "short_last": alike[-1],
        "long_first": alike[0],
        "long_last": sum(rest) / len(rest),
        "long_unmatched": len(latin) - reading.words_used,
        "exact": sum(each == 1 for each in alike),
        "short_letters": sum(len(token.text) for token in name),
        "rarest": _UNKNOWN_RARITY,
        "long_rare_mean": mean * share,
        "skeleton_least": min(alike),
        "skeleton_mean": mean,
        "skeleton_last": alike[-1],
    }
    return list(numbers.values())


def _numbers(left: list[Token], right: list[Token], matches: list[Match]) -> list[float]:
    of_left = {match.left: match for match in matches}
    of_right = {match.right: match for match in matches}
    short, long, of_short, of_long = left, right, of_left, of_right
    full_short, full_long = _full(short), _full(long)
    if len(full_short) > len(full_long):
        short, long, of_short, of_long = long, short, of_long, of_short
        full_short, full_long = full_long, full_short
    found = [of_short.get(place) for place in full_short]
    alike = [match.likeness if match else 0.0 for match in found]
    alike_long = [m.likeness if (m := of_long.get(place)) else 0.0 for place in full_long]
    mean, missing, letters = _weigh(short, full_short, alike)
    long_mean, long_missing, _ = _weigh(long, full_long, alike_long)
    rare_long = _rarities(long, full_long)
    known, known_alike = rare_long, alike_long
    if short[full_short[0]].script == LATIN:
        known, known_alike = _rarities(short, full_short), alike
    clear = [r for r, a in zip(known, known_alike, strict=True) if a > _CLEAR]
    spelling = evidence = 0.0
    for match in found:
        if match is not None:
            spelling += match.spelling
            evidence += match.evidence if match.evidence > 0 else 0.0
    bones = [_skeleton_likeness(left, right, match) for match in found]
    rare_alike = sum([a * r for a, r in zip(alike_long, rare_long, strict=True)])
    text, text_long = [t.ascii for t in short], [t.ascii for t in long]
    return [
        _script(short, long),
        len(full_short),
        len(full_long),
        mean,
        long_mean,
        min(alike),
        spelling / len(found),
        evidence / (_NATS_PER_LETTER * letters),
        alike[0],
        alike[-1],
        alike_long[0],
        alike_long[-1],
        sum([each < _UNMATCHED for each in alike_long]),
        alike.count(1.0),
        fuzz.ratio(" ".join(sorted(text)), " ".join(sorted(text_long))) / 100,
        letters,
        missing,
        long_missing,
        max(clear, default=0.0),
        sum(clear),
        rare_alike / sum(rare_long),
        _other_given(long, full_long, alike_long),
        min(bones),
        sum(bones) / len(bones),
        bones[-1],
        _out_of_order(matches),
        _other_initials(left, of_left, right, of_right),
    ]


def _out_of_order(matches: list[Match]) -> int:
    """Whether words changed places otherwise than by moving the family name to the other end.

    Given names in another order, or a father's name before the son's, are other people.
    """
    if len(matches) < _TELLING_ORDER:
        return 0
    places = [match.right for match in sorted(matches)]
    falls = sum([one > other for one, other in pairwise((*places, places[0]))])
    return int(falls > 1)


def _other_initials(
    left: list[Token],
    of_left: Mapping[int, Match],
    right: list[Token],
    of_right: Mapping[int, Match],
) -> int:
    """The number of initials that nothing in the other name can stand for, though it has a word
    or an initial to spare.
    """
    if True not in [token.initial for token in (*left, *right)]:
        return 0
    alone = [_alone(left, of_left), _alone(right, of_right)]
    return sum(
        min(sum([token.initial for token in one]), len(other))
        for one, other in (alone, alone[::-1])
    )


def _alone(tokens: list[Token], matched: Mapping[int, Match]) -> list[Token]:
    return [t for place, t in enumerate(tokens) if place not in matched and not t.particle]


def _skeleton_likeness(left: list[Token], right: list[Token], match: Match | None) -> float:
    """How alike the consonants of two words are; a nickname counts as its name."""
    if match is None:
        return 0.0
    if match.why in _KNOWN_LIKENESS:
        return match.likeness
    first, second = left[match.left], right[match.right]
    if match.why is Why.TRANSLITERATION and first.script == second.script:
        # A known form of the same name.
        return match.likeness
    one, other = stems(first.ascii, second.ascii)
    return OSA.normalized_similarity(skeleton(one), skeleton(other))


def _full(tokens: list[Token]) -> list[int]:
    full = [place for place, t in enumerate(tokens) if not t.particle and not t.initial]
    return full or list(range(len(tokens)))


def _weigh(tokens: list[Token], places: list[int], alike: list[float]) -> tuple[float, float, int]:
    """The mean likeness by letters, the most letters missing in one word, and all letters."""
    total = most = 0.0
    letters = 0
    for place, each in zip(places, alike, strict=True):
        length = len(tokens[place].ascii) or 1
        letters += length
        total += each * length
        missing = (1 - each) * length
        most = missing if missing > most else most
    return total / letters, most, letters


def _rarities(tokens: list[Token], places: list[int]) -> list[float]:
    """How well each of some words distinguishes people; common names do so least."""
    common = knowledge().common
    return [
        _RARITY[common.get(tokens[place].text, 0)]
        if tokens[place].script == LATIN
        else _UNKNOWN_RARITY
        for place in places
    ]


def _script(short: list[Token], long: list[Token]) -> int:
    for token in (*short, *long):
        if token.script != LATIN:
            return _SCRIPT_NUMBERS[token.script]
    return 0


def _other_given(tokens: list[Token], full: list[int], alike: list[float]) -> int:
    """The number of common given names without a counterpart, which suggest another person."""
    given = knowledge().given
    return sum(
        [a < _CLEAR and tokens[place].text in given for place, a in zip(full, alike, strict=True)]
    )
