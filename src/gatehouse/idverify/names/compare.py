"""Compares whole names as single strings: whether they may be the same person's, and why.

The trained model: tables that say how much each number speaks for or against one person.

The points of all numbers are added up, so every score can be taken apart again. In every table a
greater likeness can only raise the score. Names in Latin letters, names of two scripts that are
compared by sound, and names in Han characters or Hangul that are read have tables of their own.
`scripts/train_names.py` makes the file, which holds cuts and points and no names.
"""

import math
from bisect import bisect_left
from functools import cache
from importlib import resources
from typing import Final

import msgspec

from gatehouse.idverify.names.align import liken
from gatehouse.idverify.names.eastern import read_word
from gatehouse.idverify.names.features import (
    FEATURES,
    FIRST_READ_SCRIPT,
    NameComparison,
    compare_tokens,
)
from gatehouse.idverify.names.knowledge import are_two_given_names
from gatehouse.idverify.names.relations import relation_of
from gatehouse.idverify.names.romanisation import ALIKE
from gatehouse.idverify.names.scripts import HAN, HANGUL, LATIN
from gatehouse.idverify.names.tokens import Token, tokens_of
from gatehouse.idverify.response import Result, Why

MODEL_FILE: Final = "model.json"
KINDS: Final = ("latin", "heard", "read")
_MOST_POINTS: Final = 30.0


class Points(msgspec.Struct, frozen=True):
    """The points for one number: the first up to the first cut, the second up to the next."""

    feature: str
    cuts: list[float]
    points: list[float]


class Sums(msgspec.Struct, frozen=True):
    """All points for one kind of names, and where they start."""

    base: float
    tables: list[Points]


class ModelFile(msgspec.Struct, frozen=True):
    """The model in its file."""

    features: list[str]
    kinds: dict[str, Sums]
    trained_on: dict[str, int]
    """The number of training pairs from each source."""


def kind_of(numbers: list[float]) -> str:
    """Which tables are for these numbers; the first number is the script."""
    if numbers[0] >= FIRST_READ_SCRIPT:
        return "read"
    return "heard" if numbers[0] >= 1 else "latin"


class NameModel:
    """Scores what two names have in common."""

    def __init__(self, kept: ModelFile) -> None:
        assert kept.features == list(FEATURES), "the model was trained on other features"
        places = {name: place for place, name in enumerate(FEATURES)}
        self._kinds = {
            kind: (
                sums.base,
                [(places[each.feature], each.cuts, each.points) for each in sums.tables],
            )
            for kind, sums in kept.kinds.items()
        }

    def score(self, numbers: list[float]) -> float:
        """The chance, from 0 to 1, that both names are one person's."""
        total, tables = self._kinds[kind_of(numbers)]
        for place, cuts, points in tables:
            total += points[bisect_left(cuts, numbers[place])]
        return 1 / (1 + math.exp(-max(-_MOST_POINTS, min(_MOST_POINTS, total))))

    def points(self, numbers: list[float]) -> dict[str, float]:
        """What each number adds to the score, which is the logistic function of their sum."""
        base, tables = self._kinds[kind_of(numbers)]
        names = list(FEATURES)
        return {"base": base} | {
            names[place]: points[bisect_left(cuts, numbers[place])]
            for place, cuts, points in tables
        }


@cache
def model() -> NameModel:
    """The shipped model, loaded at first use."""
    text = (resources.files(__package__) / "data" / MODEL_FILE).read_bytes()
    return NameModel(msgspec.json.decode(text, type=ModelFile))


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
