"""The trained model: shallow decision trees that weigh what two names have in common.

In every tree a greater likeness can only raise the score. `scripts/train_names.py` makes the file,
which holds cuts and weights and no names.
"""

import math
from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec

from gatehouse.idverify.names.features import FEATURES

MODEL_FILE: Final = "model.json"


class ModelFile(msgspec.Struct, frozen=True):
    """The model in its file."""

    features: list[str]
    base: float
    trees: list[Any]
    """A leaf is a number; a split is [feature, cut, tree up to the cut, tree above it]."""
    trained_on: dict[str, int]
    """The number of training pairs from each source."""


class NameModel:
    """Scores what two names have in common."""

    def __init__(self, kept: ModelFile) -> None:
        assert kept.features == list(FEATURES), "the model was trained on other features"
        self._base = kept.base
        self._trees = kept.trees

    def score(self, numbers: list[float]) -> float:
        """The chance, from 0 to 1, that both names are one person's."""
        total = self._base
        for tree in self._trees:
            node: Any = tree
            while node.__class__ is list:
                node = node[2] if numbers[node[0]] <= node[1] else node[3]
            total += node
        return 1 / (1 + math.exp(-total))


@cache
def model() -> NameModel:
    """The shipped model, loaded at first use."""
    text = (resources.files(__package__) / "data" / MODEL_FILE).read_bytes()
    return NameModel(msgspec.json.decode(text, type=ModelFile))
