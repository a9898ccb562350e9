"""Fits the trees of the name model on labelled pairs, says honestly how well they do on pairs
they have not seen, and writes the model. The pairs stay where they are.

    .venv/bin/python -m scripts.train_names DIR

scikit-learn is among what `make setup` installs.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

import gatehouse.idverify.names
from gatehouse.idverify.names.compare import ruled
from gatehouse.idverify.names.features import FEATURES, NameComparison, compare_tokens
from gatehouse.idverify.names.model import MODEL_FILE, ModelFile
from gatehouse.idverify.names.tokens import tokens_of
from scripts.eval_names import FULL_NAMES, Pair, Scored, print_report, read_pairs

OUT: Final = Path(gatehouse.idverify.names.__file__).parent / "data" / MODEL_FILE
FOLDS: Final = 5
TREES: Final = 32
LEAVES: Final = 8
LEARNING_RATE: Final = 0.25


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
    scores = np.zeros(len(pairs))
    for fold in range(FOLDS):
        seen = folds != fold
        scores[~seen] = fit(numbers[seen], labels[seen]).predict_proba(numbers[~seen])[:, 1]
    ruled_scores = [ruled(each, float(score)) for each, score in zip(compared, scores, strict=True)]
    print("pairs whose people were not seen in training:")
    print_report(
        [Scored(pair, score, None) for pair, score in zip(pairs, ruled_scores, strict=True)]
    )
    if not arguments.dry_run:
        OUT.write_bytes(msgspec.json.encode(kept(fit(numbers, labels), pairs)) + b"\n")
        print(f"wrote {OUT.name}, {OUT.stat().st_size} bytes")
    return 0


def compared_of(pair: Pair) -> NameComparison:
    left, right = tokens_of(pair.left), tokens_of(pair.right)
    if not left or not right:
        return NameComparison([0.0] * len(FEATURES), left, right, [], None)
    return compare_tokens(left, right)


def fit(numbers: Any, labels: Any) -> HistGradientBoostingClassifier:
    trees = HistGradientBoostingClassifier(
        max_iter=TREES,
        max_leaf_nodes=LEAVES,
        learning_rate=LEARNING_RATE,
        min_samples_leaf=20,
        l2_regularization=2.0,
        monotonic_cst=list(FEATURES.values()),
        early_stopping=False,
        random_state=0,
    )
    return trees.fit(numbers, labels)


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


def kept(trees: HistGradientBoostingClassifier, pairs: list[Pair]) -> ModelFile:
    return ModelFile(
        features=list(FEATURES),
        base=round(float(trees._baseline_prediction[0, 0]), 4),
        trees=[tree_of(each[0].nodes, 0) for each in trees._predictors],
        trained_on=dict(sorted(Counter(pair.source for pair in pairs).items())),
    )


def tree_of(nodes: Any, place: int) -> Any:
    node = nodes[place]
    if node["is_leaf"]:
        return round(float(node["value"]), 4)
    low, high = tree_of(nodes, node["left"]), tree_of(nodes, node["right"])
    return [int(node["feature_idx"]), float(f"{node['num_threshold']:.6g}"), low, high]


if __name__ == "__main__":
    sys.exit(main())
