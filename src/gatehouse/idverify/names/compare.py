"""Compares whole names as single strings: whether they may be the same person's, and why."""

from typing import Final

import msgspec

from gatehouse.idverify.names.align import liken
from gatehouse.idverify.names.eastern import read_word
from gatehouse.idverify.names.features import NameComparison, compare_tokens
from gatehouse.idverify.names.knowledge import are_two_given_names
from gatehouse.idverify.names.model import model
from gatehouse.idverify.names.relations import relation_of
from gatehouse.idverify.names.romanisation import ALIKE
from gatehouse.idverify.names.scripts import HAN, HANGUL, LATIN
from gatehouse.idverify.names.tokens import Token, tokens_of
from gatehouse.idverify.response import Result, Why

PARTIAL_FROM: Final = 0.5
"""The lowest score above NO_MATCH. There, false matches cost as much as missed ones."""
_AS_GOOD_AS_EQUAL: Final = 0.9

# Reasons that make a match partial, the most important first.
_PARTIAL_REASONS: Final = (Why.TYPO, Why.NICKNAME, Why.INITIAL)


class FullNameVerdict(msgspec.Struct, frozen=True):
    """How alike two names are, what that means, and why."""

    score: float
    decision: Result
    why: str


def compare_full_names(left: str, right: str) -> FullNameVerdict:
    """Decide whether two names may be the same person's."""
    one, other = tokens_of(left), tokens_of(right)
    if not one or not other:
        return _without_words(left, right)
    if _same_words(one, other):
        return FullNameVerdict(1.0, Result.MATCH, Why.EXACT)
    if len(one) == len(other) == 1:
        return _single_words(one[0], other[0])
    compared = compare_tokens(one, other)
    score = ruled(compared, model().score(compared.numbers))
    if score < PARTIAL_FROM:
        return FullNameVerdict(score, Result.NO_MATCH, Why.DIFFERENT)
    why, equal = _reason(compared)
    return FullNameVerdict(score, Result.MATCH if equal else Result.PARTIAL_MATCH, why)


def ruled(compared: NameComparison, score: float) -> float:
    """The model's score, lowered to NO_MATCH where a name is known to be another one."""
    other = _another_korean_family(compared) or _another_given_name(compared)
    # Too little is left to tell people apart.
    initials = {match.why for match in compared.matches} == {Why.INITIAL}
    return min(score, PARTIAL_FROM - 0.01) if other or initials else score


def _another_korean_family(compared: NameComparison) -> bool:
    """Whether a name that is read as Korean has a family name that nobody spells like that."""
    reading = compared.reading
    return reading is not None and reading.language == "k" and reading.likenesses[0] < ALIKE


def _without_words(left: str, right: str) -> FullNameVerdict:
    """Compare names of which one has no letter or digit: only equal texts match."""
    if left.strip() and left == right:
        return FullNameVerdict(1.0, Result.MATCH, Why.EXACT)
    return FullNameVerdict(0.0, Result.NO_MATCH, Why.DIFFERENT)


def _single_words(left: Token, right: Token) -> FullNameVerdict:
    """One word each is too little for the model: the rules for a part of a name decide."""
    native, latin = (right, left) if left.script == LATIN else (left, right)
    if native.script in (HAN, HANGUL) and latin.script == LATIN:
        read = read_word(native, latin)
        if read >= ALIKE:
            decision = Result.MATCH if read >= _AS_GOOD_AS_EQUAL else Result.PARTIAL_MATCH
            return FullNameVerdict(read, decision, Why.TRANSLITERATION)
    found = liken(left, right)
    relation = relation_of(left, right, found, given=True)
    if relation is None or relation.why is Why.INITIAL:
        return FullNameVerdict(
            PARTIAL_FROM * min(0.99, found.likeness), Result.NO_MATCH, Why.DIFFERENT
        )
    score = PARTIAL_FROM + (1 - PARTIAL_FROM) * min(1.0, found.likeness)
    return FullNameVerdict(score, relation.result, relation.why or Why.DIFFERENT)


def _same_words(left: list[Token], right: list[Token]) -> bool:
    if len(left) != len(right):
        return False
    for one, other in zip(left, right, strict=True):
        if one.script != other.script or not one.same_as(other):
            return False
    return True


def _another_given_name(compared: NameComparison) -> bool:
    """Whether two names of two words differ in the given name alone, and that is another one.

    Longer names may hold several given names, so the model weighs those.
    """
    if len(compared.left) != 2 or len(compared.right) != 2:
        return False
    same = [match for match in compared.matches if match.why is Why.EXACT]
    if len(same) != 1 or any(match.why is Why.NICKNAME for match in compared.matches):
        return False
    one, other = compared.left[1 - same[0].left], compared.right[1 - same[0].right]
    return are_two_given_names(one.text, other.text)


def _reason(compared: NameComparison) -> tuple[Why, bool]:
    """Why two names were found alike, and whether that makes them equal."""
    if compared.reading is not None:
        latin = max(len(compared.left), len(compared.right))
        whole = compared.reading.words_used == latin
        alike = min(compared.reading.likenesses) >= _AS_GOOD_AS_EQUAL
        return Why.TRANSLITERATION, whole and alike
    whys = {match.why for match in compared.matches}
    if Why.DIFFERENT in whys:
        return Why.SUBSET, False
    for why in _PARTIAL_REASONS:
        if why in whys:
            return why, False
    if len(compared.left) + len(compared.right) != 2 * len(compared.matches):
        return Why.SUBSET, False
    if Why.TRANSLITERATION in whys:
        # In one script, forms of one name are not the same name: Yakov and Jacob.
        across = compared.left[0].script != compared.right[0].script
        alike = all(match.likeness >= _AS_GOOD_AS_EQUAL for match in compared.matches)
        return Why.TRANSLITERATION, across and alike
    if all(match.left == match.right for match in compared.matches):
        return Why.EXACT, True
    return Why.ORDER, _turned_around(compared)


def _turned_around(compared: NameComparison) -> bool:
    """Whether only the family name moved from one end to the other: Whitfield Amelia Jane.

    Given names in another order, or a father's name before the son's, are other people.
    """
    count = len(compared.left)
    shifts = {(match.right - match.left) % count for match in compared.matches}
    named = not any(token.particle for token in compared.left)
    return named and shifts in ({1}, {count - 1})
