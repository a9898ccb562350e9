"""Compares words by sound, from learnt tables of which letters correspond across scripts."""

from functools import cache
from typing import Final

from gatehouse.idverify.names.knowledge import SoundTable, knowledge
from gatehouse.idverify.names.scripts import LATIN, units_of
from gatehouse.idverify.names.tokens import Token

_UNHEARD: Final = -400
"""For a pair of units that the training data does not have."""
_LEAST_BEST: Final = 50
_REACH: Final = 2
_OUT_OF_REACH: Final = -1_000_000


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

    def likeness(
        self, native: list[str], latin: list[str], least: float = 0.0
    ) -> tuple[float, float]:
        """How alike two words are, up to 1, and the evidence for it in nats.

        Words that cannot be as alike as `least` any more are given up, and are not alike at all.
        """
        unknown_native, unknown_latin = len(self._native), len(self._latin)
        left = [self._native.get(unit, unknown_native) for unit in native]
        right = [self._latin.get(unit, unknown_latin) for unit in latin]
        best_native = sum([self._best_native[place] for place in left])
        best_latin = sum([self._best_latin[place] for place in right])
        best = min(best_native, best_latin)
        if not best:
            return 0.0, 0.0
        evidence = self._shared_ends(left, right) if self._same_units else 0
        if left or right:
            evidence += self._evidence(left, right, least * best - evidence)
        evidence = max(0, evidence)
        return min(1.0, evidence / best), evidence / 100

    def _shared_ends(self, left: list[int], right: list[int]) -> int:
        """Remove the common beginning and end of two words; returns their evidence."""
        evidence = 0
        while left and right and left[-1] == right[-1]:
            evidence += self._pairs[left.pop()][right.pop()]
        shared = 0
        for one, other in zip(left, right, strict=False):
            if one != other:
                break
            evidence += self._pairs[one][other]
            shared += 1
        del left[:shared], right[:shared]
        return evidence

    def _evidence(self, left: list[int], right: list[int], least: float) -> int:
        """The strongest evidence over all alignments of two words, if it can reach `least`."""
        added = [self._added[place] for place in right]
        width, height = len(right), len(left)
        above = [0]
        total = 0
        for gain in added:
            total += gain
            above.append(total)
        blank = [_OUT_OF_REACH] * (width + 1)
        ahead = sum([self._best_native[place] for place in left])
        for step, place in enumerate(left, 1):
            ahead -= self._best_native[place]
            row, gone = self._pairs[place], self._gone[place]
            # Corresponding letters are at about the same place in both words.
            middle = step * width // height
            first = middle - _REACH if middle > _REACH else 1
            line = blank[:]
            corner = above[first - 1]
            before = line[0] = corner + gone if first == 1 else _OUT_OF_REACH
            for column in range(first, min(width, middle + _REACH) + 1):
                both = corner + row[right[column - 1]]
                corner = above[column]
                skipped = corner + gone
                both = skipped if skipped > both else both
                before += added[column - 1]
                before = both if both > before else before
                line[column] = before
            if max(line) + ahead < least:
                return _OUT_OF_REACH
            above = line
        return above[-1]


@cache
def comparer_for(script: str) -> SoundComparer:
    """The comparer for a script; a script without a table is compared by its Latin letters."""
    sounds = knowledge().sounds
    return SoundComparer(sounds.get(script, sounds[LATIN]))


def sound_likeness(left: Token, right: Token, least: float = 0.0) -> tuple[float, float]:
    """How alike two words sound, of which at least one is in Latin letters, and the evidence."""
    if left.script == LATIN:
        left, right = right, left
    return comparer_for(left.script).likeness(left.units, right.units, least)


def sounds_like(word: str, script: str, latin: str) -> float:
    """How alike a word in a script and a word in Latin letters sound, up to 1."""
    return comparer_for(script).likeness(units_of(word, script), units_of(latin, LATIN))[0]
