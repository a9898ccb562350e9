"""Compares words by sound, from learnt tables of which letters correspond across scripts."""

from functools import cache, lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from gatehouse.idverify.names.knowledge import SoundTable, knowledge
from gatehouse.idverify.names.scripts import LATIN, units_of
from gatehouse.idverify.names.tokens import Token

_UNHEARD: Final = -400
"""For a pair of units that the training data does not have."""
_LEAST_BEST: Final = 50
_REACH: Final = 2
_OUT_OF_REACH: Final = -1_000_000
_REMEMBERED: Final = 8192
"""Words of which the units are remembered, for names repeat."""

Places = tuple[int, ...]


class Heard(NamedTuple):
    """A word as a table sees it."""

    places: Places
    """Its units of sound, by their numbers in the table."""
    best: int
    """The evidence if each unit had its best counterpart."""


class SoundComparer:
    """Compares words of one script with words in Latin letters."""

    def __init__(self, table: SoundTable) -> None:
        self._native = {unit: place for place, unit in enumerate(table.native)}
        self._latin = {unit: place for place, unit in enumerate(table.latin)}
        # One more row and column for units that the table does not know.
        self._pairs = [[*row, _UNHEARD] for row in table.pairs]
        self._pairs.append([_UNHEARD] * (len(table.latin) + 1))
        self._gone = [*table.gone, -300]
        self._added = [*table.added, -300]
        self._same_units = table.native == table.latin
        self._best_native = [max(_LEAST_BEST, *row) for row in table.pairs] + [100]
        columns = zip(*table.pairs, strict=True)
        self._best_latin = [max(_LEAST_BEST, *column) for column in columns] + [100]

    def likeness(self, native: Heard, latin: Heard, least: float = 0.0) -> tuple[float, float]:
        """How alike two words are, up to 1, and the evidence for it in nats.

        Words that cannot be as alike as `least` any more are given up, and are not alike at all.
        """
        best = min(native.best, latin.best)
        if not best:
            return 0.0, 0.0
        left, right, evidence = native.places, latin.places, 0
        if self._same_units:
            left, right, evidence = self._shared_ends(left, right)
        if left or right:
            evidence += self._evidence(left, right, least * best - evidence)
        evidence = max(0, evidence)
        return min(1.0, evidence / best), evidence / 100

    def hear_native(self, units: list[str]) -> Heard:
        """The units of a word of the script, as the tables number them."""
        return _heard(units, self._native, self._best_native)

    def hear_latin(self, units: list[str]) -> Heard:
        """The same for a word in Latin letters."""
        return _heard(units, self._latin, self._best_latin)

    def _shared_ends(self, left: Places, right: Places) -> tuple[Places, Places, int]:
        """Two words without their common beginning and end, and the evidence of these."""
        evidence = 0
        while left and right and left[-1] == right[-1]:
            evidence += self._pairs[left[-1]][right[-1]]
            left, right = left[:-1], right[:-1]
        shared = 0
        for one, other in zip(left, right, strict=False):
            if one != other:
                break
            evidence += self._pairs[one][other]
            shared += 1
        return left[shared:], right[shared:], evidence

    def _evidence(self, left: Places, right: Places, least: float) -> int:
        """The strongest evidence over all alignments of two words, if it can reach `least`."""
        added = [self._added[place] for place in right]
        width, height = len(right), len(left)
        above = [0, *accumulate(added)]
        ahead = sum([self._best_native[place] for place in left])
        for step, place in enumerate(left, 1):
            ahead -= self._best_native[place]
            row, gone = self._pairs[place], self._gone[place]
            # Corresponding letters are at about the same place in both words.
            middle = step * width // height
            first, last = middle - _REACH if middle > _REACH else 1, middle + _REACH
            corner = above[first - 1]
            before = corner + gone if first == 1 else _OUT_OF_REACH
            line = [_OUT_OF_REACH] * (first - 1)
            line.append(before)
            cells = zip(
                right[first - 1 : last],
                added[first - 1 : last],
                above[first : last + 1],
                strict=True,
            )
            for here, gain, over in cells:
                both, skipped = corner + row[here], over + gone
                corner = over
                both = skipped if skipped > both else both
                before += gain
                before = both if both > before else before
                line.append(before)
            if max(line) + ahead < least:
                return _OUT_OF_REACH
            line.extend([_OUT_OF_REACH] * (width + 1 - len(line)))
            above = line
        return above[-1]


def _heard(units: list[str], numbers: dict[str, int], best: list[int]) -> Heard:
    unknown = len(numbers)
    places = tuple([numbers.get(unit, unknown) for unit in units])
    return Heard(places, sum([best[place] for place in places]))


@cache
def comparer_for(script: str) -> SoundComparer:
    """The comparer for a script; a script without a table is compared by its Latin letters."""
    sounds = knowledge().sounds
    return SoundComparer(sounds.get(script, sounds[LATIN]))


@lru_cache(_REMEMBERED)
def _native(script: str, word: str) -> Heard:
    return comparer_for(script).hear_native(units_of(word, script))


@lru_cache(_REMEMBERED)
def _latin(script: str, word: str) -> Heard:
    """A word in Latin letters as the tables of a script number its units."""
    return comparer_for(script).hear_latin(units_of(word, LATIN))


def sound_likeness(left: Token, right: Token, least: float = 0.0) -> tuple[float, float]:
    """How alike two words sound, of which at least one is in Latin letters, and the evidence."""
    if left.script == LATIN:
        left, right = right, left
    return _likeness(left.text, left.script, right.text, least)


def sounds_like(word: str, script: str, latin: str) -> float:
    """How alike a word in a script and a word in Latin letters sound, up to 1."""
    return _likeness(word, script, latin, 0.0)[0]


def _likeness(word: str, script: str, latin: str, least: float) -> tuple[float, float]:
    return comparer_for(script).likeness(_native(script, word), _latin(script, latin), least)
