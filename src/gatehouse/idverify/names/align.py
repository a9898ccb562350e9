"""Pairs the words of one name with the words of another, and says how alike they are."""

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import Final

import msgspec
from rapidfuzz.distance import OSA

from gatehouse.idverify.names.knowledge import (
    are_of_one_family,
    are_two_given_names,
    differ_in_gender,
    knowledge,
    related,
)
from gatehouse.idverify.names.scripts import LATIN
from gatehouse.idverify.names.skeleton import skeleton, stems
from gatehouse.idverify.names.sounds import sound_likeness
from gatehouse.idverify.names.tokens import Token
from gatehouse.idverify.response import Why

# Words less alike than this are not paired.
_LEAST: Final = 0.35
# Words whose spelling is less alike than this are not compared by sound.
_WORTH_HEARING: Final = 0.4
_WORTH_HEARING_ACROSS: Final = 0.25
_GOOD: Final = 0.8
# An ending that makes a woman's name of a man's, rather than a full name of a short one.
_FEMININE: Final = re.compile("[aeghino]|ah|ia|[lnty][ae]|ette")
# The most that two known given names may score, such as Michael and Michelle.
_OTHER_GIVEN: Final = 0.55
# Forms of one name in several languages, such as Yakov and Jacob.
_ONE_FAMILY: Final = 0.9
# Words with the same consonants, of which there must be this many.
_SAME_BONES: Final = 0.85
_TELLING_BONES: Final = 3
_SHORT: Final = 4
_OTHER_SHORT: Final = 0.75
_NATS_PER_LETTER: Final = 2.3

_spelling: Final = OSA.normalized_similarity


class Likeness(msgspec.Struct, frozen=True, gc=False):
    """How alike two words are."""

    likeness: float
    spelling: float
    """How alike they are in writing alone."""
    evidence: float
    """In nats; it grows with the number of letters that agree."""
    why: Why


class Match(msgspec.Struct, frozen=True, order=True, gc=False):
    """A pair of words, by their places in the two names."""

    left: int
    right: int
    likeness: float
    spelling: float
    evidence: float
    why: Why


_NOTHING: Final = Likeness(0.0, 0.0, 0.0, Why.DIFFERENT)


def liken(left: Token, right: Token) -> Likeness:
    """Compare two words."""
    same_script = left.script == right.script
    if same_script and (left.text == right.text or left.same_as(right)):
        return Likeness(1.0, 1.0, _NATS_PER_LETTER * len(left.ascii), Why.EXACT)
    if left.initial != right.initial:
        return _initial(left, right)
    if same_script and left.script == LATIN:
        return _both_latin(left, right)
    if LATIN in (left.script, right.script):
        native, latin = (right, left) if left.script == LATIN else (left, right)
        spelling = _spelling(left.ascii, right.ascii, score_cutoff=_WORTH_HEARING_ACROSS)
        if latin.text in knowledge().spellings.get(native.text, ()):
            evidence = _NATS_PER_LETTER * len(latin.text)
            return Likeness(1.0, spelling, evidence, Why.TRANSLITERATION)
        if not spelling:
            return _NOTHING
        likeness, evidence = sound_likeness(left, right, _LEAST)
        return Likeness(likeness, spelling, evidence, Why.TRANSLITERATION)
    one, other = (left.text, right.text) if same_script else (left.ascii, right.ascii)
    spelling = _spelling(one, other)
    why = Why.TYPO if same_script else Why.TRANSLITERATION
    return Likeness(spelling, spelling, spelling * _NATS_PER_LETTER * len(one), why)


def _initial(left: Token, right: Token) -> Likeness:
    if not left.ascii or not right.ascii or left.ascii[0] != right.ascii[0]:
        return _NOTHING
    likeness = 0.75 if left.script == right.script else 0.6
    return Likeness(likeness, 0.0, _NATS_PER_LETTER, Why.INITIAL)


def _both_latin(left: Token, right: Token) -> Likeness:
    one, other = left.text, right.text
    spelling = _spelling(one, other, score_cutoff=_WORTH_HEARING)
    # Most words are not alike, and nothing is known of both.
    if not spelling and one[:3] != other[:3] and one not in related():
        return _NOTHING
    if other in knowledge().nicknames.get(one, ()) and not differ_in_gender(one, other):
        return Likeness(max(0.9, spelling), spelling, 5.0, Why.NICKNAME)
    if spelling < _GOOD and are_of_one_family(one, other):
        evidence = 0.5 * _NATS_PER_LETTER * min(len(one), len(other))
        return Likeness(_ONE_FAMILY, spelling, evidence, Why.TRANSLITERATION)
    if not spelling and not _is_short_form(one, other):
        return _NOTHING
    likeness, evidence = spelling, spelling * _NATS_PER_LETTER * min(len(one), len(other))
    if spelling < _SAME_BONES:
        bones = skeleton(one)
        if len(bones) >= _TELLING_BONES and bones == skeleton(other):
            likeness = _SAME_BONES
    if are_two_given_names(one, other):
        return Likeness(min(likeness, _OTHER_GIVEN), spelling, evidence, Why.DIFFERENT)
    if _is_short_form(one, other):
        return Likeness(max(_GOOD, likeness), spelling, evidence, Why.NICKNAME)
    stem, others = stems(one, other)
    if len(stem) != len(one) and len(others) != len(other):
        likeness = min(likeness, _spelling(stem, others))
    elif len(one) <= _SHORT >= len(other) and skeleton(one) != skeleton(other):
        # Another consonant in a short word makes another name: Song and Tong.
        likeness *= _OTHER_SHORT
    return Likeness(likeness, spelling, evidence, Why.TYPO)


def _is_short_form(one: str, other: str) -> bool:
    """Whether one word is the beginning of the other, which is a given name: Tim and Timothy."""
    short, long = (one, other) if len(one) < len(other) else (other, one)
    return (
        len(short) >= 3
        and long.startswith(short)
        and long in knowledge().given
        and not _FEMININE.fullmatch(long, len(short))
    )


def align(left: Sequence[Token], right: Sequence[Token]) -> list[Match]:
    """Pair the words of two names, the most alike first."""
    candidates = []
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            found = liken(one, other)
            if (
                found is not _NOTHING
                and found.likeness > _LEAST
                and not (found.why is Why.INITIAL and _is_out_of_place(left, i, right, j))
            ):
                rank = found.likeness * (0.5 if one.particle or other.particle else 1.0)
                rank += 0.01 * found.evidence - 0.3 * (one.particle != other.particle)
                candidates.append((rank, -i, -j, found))
    candidates.sort(reverse=True, key=itemgetter(0, 1, 2))
    taken_left: set[int] = set()
    taken_right: set[int] = set()
    matches = []
    for _, i, j, found in candidates:
        if -i not in taken_left and -j not in taken_right:
            taken_left.add(-i)
            taken_right.add(-j)
            matches.append(Match(-i, -j, found.likeness, found.spelling, found.evidence, found.why))
    return matches


def _is_out_of_place(left: Sequence[Token], i: int, right: Sequence[Token], j: int) -> bool:
    """Whether an initial in the middle of a name would stand for the last word of the other."""
    if left[i].initial:
        return j == len(right) - 1 and 0 < i < len(left) - 1
    return i == len(left) - 1 and 0 < j < len(right) - 1


def joined(
    left: list[Token], right: list[Token], matches: list[Match]
) -> tuple[list[Token], list[Token]] | None:
    """The names with two words of one joined, where the other name writes them as one word."""
    good_left = {match.left for match in matches if match.likeness >= _GOOD}
    good_right = {match.right for match in matches if match.likeness >= _GOOD}
    if len(good_left) in (len(left), len(right)):
        return None
    shorter = _join_one(left, good_left, right, good_right)
    if shorter is not None:
        return shorter, right
    shorter = _join_one(right, good_right, left, good_left)
    return None if shorter is None else (left, shorter)


def _join_one(
    tokens: list[Token], good: set[int], others: list[Token], good_others: set[int]
) -> list[Token] | None:
    waiting = [token for place, token in enumerate(others) if place not in good_others]
    for place in range(len(tokens) - 1):
        first, second = tokens[place], tokens[place + 1]
        if place in good or place + 1 in good or first.script != second.script:
            continue
        length = len(first.ascii) + len(second.ascii)
        for other in waiting:
            if len(other.ascii) < 4 or abs(length - len(other.ascii)) > 3:
                continue
            # The joined word begins like its first word, or ends like its second.
            if first.ascii[:1] != other.ascii[:1] and second.ascii[-1:] != other.ascii[-1:]:
                continue
            one = first.joined(second)
            if liken(one, other).likeness > 0.75:
                return [*tokens[:place], one, *tokens[place + 2 :]]
    return None
