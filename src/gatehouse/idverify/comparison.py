"""The result of comparing one attribute with a record, and which of several results is best."""

from collections.abc import Iterable
from typing import Final

import msgspec

from gatehouse.idverify.response import Result


class Comparison(msgspec.Struct, frozen=True):
    """The result for one attribute, and a reason code for the decision record, never for callers.

    A part of a name that was not compared has no reason code.
    """

    result: Result
    why: str | None = None

    @property
    def is_positive(self) -> bool:
        """Whether the attribute agrees, at least in part."""
        return self.result in (Result.MATCH, Result.PARTIAL_MATCH)


NOT_HELD: Final = Comparison(Result.UNKNOWN, "not_held")
"""The record has nothing to compare with."""
UNPARSABLE: Final = Comparison(Result.NO_MATCH, "unparsable")
DIFFERENT: Final = Comparison(Result.NO_MATCH, "different")

_RANKS: Final = {Result.MATCH: 3, Result.PARTIAL_MATCH: 2, Result.NO_MATCH: 1}


def rank(result: Result) -> int:
    """How good a result is: the greater, the better; 0 when nothing was compared."""
    return _RANKS.get(result, 0)


def best_of(outcomes: Iterable[Comparison]) -> Comparison:
    """The best result over all values on record; comparing stops at the first match."""
    best = NOT_HELD
    for outcome in outcomes:
        if outcome.result is Result.MATCH:
            return outcome
        if rank(outcome.result) > rank(best.result):
            best = outcome
    return best
