"""The trained model: tables that say how much each number speaks for or against one person.

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

from gatehouse.idverify.names.features import FEATURES, FIRST_READ_SCRIPT

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
