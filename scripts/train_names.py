"""Fits the tables of the name model on labelled pairs, says honestly how well they do on pairs
they have not seen, and writes the model. The pairs stay where they are.

The tables are sums of one-cut trees that are bound to be monotone: a generalised additive model.

    .venv/bin/python -m scripts.train_names DIR

scikit-learn is among what `make setup` installs.
"""

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

import gatehouse.idverify.names
from gatehouse.idverify.names.compare import (
    KINDS,
    MODEL_FILE,
    ModelFile,
    NameModel,
    Points,
    Sums,
    kind_of,
    ruled,
)
from gatehouse.idverify.names.features import FEATURES, NameComparison, compare_tokens
from gatehouse.idverify.names.tokens import tokens_of
from scripts.name_pairs import FULL_NAMES, Pair, Scored, print_report, read_pairs

OUT: Final = Path(gatehouse.idverify.names.__file__).parent / "data" / MODEL_FILE
FOLDS: Final = 5
TREES: Final = 300
LEARNING_RATE: Final = 0.1
FEATURES_A_SPLIT: Final = 0.5


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path, help="directory with files of labelled pairs")
    parser.add_argument("--dry-run", action="store_true", help="report, but keep the present model")
    arguments = parser.parse_args()
    pairs = [pair for pair in read_pairs(arguments.data) if pair.group in FULL_NAMES]
    compared = [compared_of(pair) for pair in pairs]
    numbers = np.array([each.numbers for each in compared])
    labels = np.array([pair.label for pair in pairs])
    folds = folds_by_person(pairs)
    ruled_scores = unseen_scores(compared, numbers, labels, folds)
    print("pairs whose people were not seen in training:")
    print_report(
        [Scored(pair, score, None) for pair, score in zip(pairs, ruled_scores, strict=True)]
    )
    if not arguments.dry_run:
        OUT.write_bytes(msgspec.json.encode(fit(numbers, labels, pairs)) + b"\n")
        print(f"wrote {OUT.name}, {OUT.stat().st_size} bytes")
    return 0


def compared_of(pair: Pair) -> NameComparison:
    left, right = tokens_of(pair.left), tokens_of(pair.right)
    if not left or not right:
        return NameComparison([0.0] * len(FEATURES), left, right, [], None)
    return compare_tokens(left, right)


def unseen_scores(
    compared: list[NameComparison], numbers: Any, labels: Any, folds: Any
) -> list[float]:
    """The score of every pair from a model that was fitted on the other folds."""
    scores = [0.0] * len(compared)
    for fold in np.unique(folds):
        model = NameModel(fit(numbers[folds != fold], labels[folds != fold], []))
        for place in np.flatnonzero(folds == fold):
            each = compared[place]
            scores[place] = ruled(each, model.score(each.numbers))
    return scores


def fit(numbers: Any, labels: Any, pairs: list[Pair]) -> ModelFile:
    kinds = np.array([kind_of(list(row)) for row in numbers])
    chosen = {kind: kinds == kind for kind in KINDS}
    # A kind that these pairs do not have gets the tables of all.
    every = np.ones(len(labels), dtype=bool)
    chosen = {k: c if len(set(labels[c])) > 1 else every for k, c in chosen.items()}
    return ModelFile(
        features=list(FEATURES),
        kinds={kind: sums_of(numbers[c], labels[c]) for kind, c in chosen.items()},
        trained_on=dict(sorted(Counter(pair.source for pair in pairs).items())),
    )


def sums_of(numbers: Any, labels: Any) -> Sums:
    """Fit trees of one cut each, and add up those that cut the same number."""
    trees = HistGradientBoostingClassifier(
        max_iter=TREES,
        max_leaf_nodes=2,
        learning_rate=LEARNING_RATE,
        max_features=FEATURES_A_SPLIT,
        min_samples_leaf=20,
        l2_regularization=2.0,
        monotonic_cst=list(FEATURES.values()),
        early_stopping=False,
        random_state=0,
    ).fit(numbers, labels)
    base = float(trees._baseline_prediction[0, 0])
    cuts: defaultdict[int, list[tuple[float, float, float]]] = defaultdict(list)
    for (tree,) in trees._predictors:
        root = tree.nodes[0]
        if root["is_leaf"]:
            base += float(root["value"])
            continue
        low, high = (float(tree.nodes[root[side]]["value"]) for side in ("left", "right"))
        cuts[int(root["feature_idx"])].append((float(root["num_threshold"]), low, high))
    names = list(FEATURES)
    return Sums(round(base, 4), [points_of(names[f], cuts[f]) for f in sorted(cuts)])


def points_of(feature: str, cuts: list[tuple[float, float, float]]) -> Points:
    places = sorted({float(f"{cut:.6g}") for cut, _, _ in cuts})
    points = [0.0] * (len(places) + 1)
    for cut, low, high in cuts:
        at = places.index(float(f"{cut:.6g}"))
        for place in range(len(points)):
            points[place] += low if place <= at else high
    return Points(feature, places, [round(each, 4) for each in points])


def folds_by_person(pairs: list[Pair]) -> Any:
    """A fold for each pair; all pairs of one person are in the same."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for pair in pairs:
        if pair.label:
            parent[root(pair.left)] = root(pair.right)
    people = {person: place for place, person in enumerate(sorted({root(p.left) for p in pairs}))}
    chosen = np.random.RandomState(0).randint(FOLDS, size=len(people))
    return np.array([chosen[people[root(pair.left)]] for pair in pairs])


if __name__ == "__main__":
    sys.exit(main())
