"""How the scores of a model are told, so that thresholds keep the meaning they had.

Another model gives other scores: where one declines 2 % of the requests below 0.4, its successor
may decline a quarter of them. A mapping tells the successor's scores on the scale of the scores
before. It is monotone and linear between its knots, so the order of requests stays as it is.

Scores are whole ten-thousandths, as exact as answers tell them.
"""

from bisect import bisect_right
from collections.abc import Sequence
from math import ceil
from typing import Annotated, Final

import msgspec
from msgspec import Meta

PARTS: Final = 10_000
_NEAR: Final = 1e-9
_Score = Annotated[int, Meta(ge=0, le=PARTS)]


class ScoreMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Knots between which the scores of a model are told."""

    meaning: str
    """The scorecard whose scores these mean."""
    own: Annotated[tuple[_Score, ...], Meta(min_length=2)]
    """Scores of the model itself, ascending."""
    told: Annotated[tuple[_Score, ...], Meta(min_length=2)]
    """As what each of them is told; never descending."""

    def problems(self) -> list[str]:
        """What is wrong with it."""
        found = []
        if len(self.own) != len(self.told):
            found.append("a mapping of scores must tell each of its scores")
        if any(a >= b for a, b in zip(self.own, self.own[1:], strict=False)):
            found.append("the scores of a mapping must ascend")
        if any(a > b for a, b in zip(self.told, self.told[1:], strict=False)):
            found.append("a mapping of scores must not turn them round")
        if (self.own[0], self.own[-1]) != (0, PARTS):
            found.append("a mapping of scores must reach from 0 to 1")
        return found

    def tell(self, confidence: float) -> float:
        """A confidence as it is told."""
        return self.tell_parts(round(confidence * PARTS)) / PARTS

    def tell_parts(self, own: int) -> int:
        """The same in ten-thousandths; between knots rounded down."""
        place = min(bisect_right(self.own, own), len(self.own) - 1)
        low, high = self.own[place - 1], self.own[place]
        first, last = self.told[place - 1], self.told[place]
        return first + (own - low) * (last - first) // (high - low)


def threshold_parts(threshold: float) -> int:
    """The least score that is not below a threshold, in ten-thousandths."""
    return ceil(threshold * PARTS - _NEAR)


def make_mapping(
    before: Sequence[int], own: Sequence[int], thresholds: Sequence[int], meaning: str
) -> ScoreMapping | None:
    """A mapping with which as many scores are below each threshold as were before.

    `before` and `own` are the sorted scores of the same requests with both models. Requests that
    the model scores alike cannot be told apart, so that a share can differ by those. None where no
    threshold is to be kept.
    """
    knots: dict[int, int] = {}
    for threshold in sorted({each for each in thresholds if 0 < each <= PARTS}):
        cut = _cut(own, _below(before, threshold))
        if cut:
            knots.setdefault(cut - 1, threshold - 1)
        if cut <= PARTS:
            knots[cut] = threshold
    if not knots:
        return None
    knots.setdefault(0, 0)
    knots.setdefault(PARTS, PARTS)
    places = sorted(knots)
    return ScoreMapping(meaning, tuple(places), tuple(knots[place] for place in places))


def _below(scores: Sequence[int], threshold: int) -> int:
    low, high = 0, len(scores)
    while low < high:
        middle = (low + high) // 2
        if scores[middle] < threshold:
            low = middle + 1
        else:
            high = middle
    return low


def _cut(own: Sequence[int], wanted: int) -> int:
    """The score below which nearest to the wanted number of scores are."""
    if wanted >= len(own):
        return own[-1] + 1
    at = own[wanted]
    less, more = _below(own, at), _below(own, at + 1)
    return at if wanted - less <= more - wanted else at + 1
