"""The trained part: shallow trees that weigh what two names have in common.

No tree may count a greater likeness against two names. Made by `scripts/train_names.py`; it holds
no name, only cuts and weights.
"""

import math
from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec

from gatehouse.idverify.names.features import FEATURES

MODEL_FILE: Final = "model.json"

# A leaf is a number; a split is (feature, cut, tree when at most the cut, tree when above it).
Tree = float | tuple[int, float, "Tree", "Tree"]


class ModelFile(msgspec.Struct, frozen=True):
    """A model as it is kept."""

    features: list[str]
    base: float
    trees: list[Any]
    trained_on: dict[str, int]
    """How many pairs of each source it was fitted to."""


class NameModel:
    """Scores what two names have in common."""

    def __init__(self, kept: ModelFile) -> None:
        assert kept.features == list(FEATURES), "the model was trained on other features"
        self._base = kept.base
        self._trees = [_read_tree(tree) for tree in kept.trees]

    def score(self, numbers: list[float]) -> float:
        """The chance, from 0 to 1, that both names are one person's."""
        total = self._base
        for tree in self._trees:
            node: Any = tree
            while node.__class__ is tuple:
                node = node[2] if numbers[node[0]] <= node[1] else node[3]
            total += node
        return 1 / (1 + math.exp(-total))


def _read_tree(kept: Any) -> Tree:
    if isinstance(kept, list):
        feature, cut, low, high = kept
        return feature, float(cut), _read_tree(low), _read_tree(high)
    return float(kept)


@cache
def model() -> NameModel:
    """The shipped model, loaded when first asked for."""
    text = (resources.files(__package__) / "data" / MODEL_FILE).read_bytes()
    return NameModel(msgspec.json.decode(text, type=ModelFile))
