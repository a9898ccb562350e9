"""The result of comparing one attribute with a record, and which of several results is best."""

from collections.abc import Iterable
from typing import Final

import msgspec

from gatehouse.idverify.response import Result


class Comparison(msgspec.Struct, frozen=True):
    """The result for one attribute, and a short reason code that is recorded and never sent to the
    caller.
    """

    result: Result
    why: str


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
