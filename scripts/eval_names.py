"""Measures the name matcher on labelled pairs: how often it is right, and how long it takes, beside
plain string distances and the most that an unexplained model makes of the same numbers.

    make eval-names DATA=DIR

DIR holds CSV files with the columns left, right, label (1 = same person), source and kind. A pair
counts as found when the decision is MATCH or PARTIAL_MATCH.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import JaroWinkler
from sklearn.ensemble import HistGradientBoostingClassifier

from gatehouse.idverify.names import compare_full_names
from gatehouse.idverify.names.compare import PARTIAL_FROM
from gatehouse.idverify.names.scripts import HAN, HANGUL, KANA, fold_latin, script_of
from gatehouse.operations.warmup import NAMES
from scripts.name_pairs import (
    ALIAS,
    COLUMNS,
    CROSS,
    FULL_NAMES,
    LATIN_GROUP,
    Pair,
    Scored,
    print_report,
    read_pairs,
)
from scripts.train_names import FOLDS, compared_of, folds_by_person, unseen_scores

FEWEST_TO_FIT: Final = 500
"""With fewer pairs nothing is fitted, so there are no figures for people who were not seen."""
RESAMPLES: Final = 200


class Method(NamedTuple):
    """A way to compare names: its scores, from where on it finds two names alike, its time."""

    name: str
    scores: Any
    cut: float
    microseconds: float | None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", help="directory with files of labelled pairs")
    data = parser.parse_args().data
    if data is None or not data.is_dir():
        print(
            "eval-names needs a directory of labelled pairs: make eval-names DATA=DIR",
            file=sys.stderr,
        )
        return 2
    pairs = list(read_pairs(data))
    if not pairs:
        print(f"{data} has no CSV file with the columns {', '.join(COLUMNS)}", file=sys.stderr)
        return 2
    # A server loads what compares names before its first request.
    for sent, held in NAMES:
        compare_full_names(" ".join(sent), " ".join(held))
    started = time.process_time()
    verdicts = [compare_full_names(pair.left, pair.right) for pair in pairs]
    elapsed = time.process_time() - started
    scored = [Scored(pair, v.score, v.decision) for pair, v in zip(pairs, verdicts, strict=True)]
    print_report(scored)
    print(f"\n{1e6 * elapsed / len(pairs):.0f} µs per comparison\n")
    whole = [each for each in scored if each.pair.group in FULL_NAMES]
    if whole:
        shipped = np.array([each.score for each in whole])
        print_methods([each.pair for each in whole], shipped)
    return 0


def print_methods(pairs: list[Pair], shipped: Any) -> None:
    """One table of all methods on full names, with intervals in which 95 % of resamples are."""
    labels = np.array([pair.label for pair in pairs])
    groups = {name: np.array([test(pair) for pair in pairs]) for name, test in GROUPS.items()}
    print("F1 by group; recall at 1 % false matches for Korean and Chinese; µs per comparison")
    print(f"{'method':<28}" + "".join(f"{name:>22}" for name in groups) + f"{'µs':>6}")
    for method in methods(pairs, labels, groups["core"], shipped):
        cells = [
            interval(labels[group], method.scores[group], method.cut, RECALL_GROUPS.get(name, f1))
            for name, group in groups.items()
        ]
        took = "-" if method.microseconds is None else f"{method.microseconds:.0f}"
        print(f"{method.name:<28}" + "".join(f"{cell:>22}" for cell in cells) + f"{took:>6}")


def methods(pairs: list[Pair], labels: Any, core: Any, shipped: Any) -> Iterator[Method]:
    """Our matcher, what it does on people it was not trained on, plain distances, the ceiling."""
    _, took = timed(lambda left, right: compare_full_names(left, right).score, pairs)
    yield Method("Gatehouse", shipped, PARTIAL_FROM, took)
    if len(pairs) >= FEWEST_TO_FIT:
        compared = [compared_of(pair) for pair in pairs]
        numbers = np.array([each.numbers for each in compared])
        for name, folds in (
            ("  people not seen", folds_by_person(pairs)),
            ("  sources not seen", folds_by_source(pairs)),
        ):
            scores = np.array(unseen_scores(compared, numbers, labels, folds))
            yield Method(name, scores, PARTIAL_FROM, None)
        ceiling = boosted(numbers, labels, folds_by_person(pairs))
        yield Method("  free boosting, not seen", ceiling, best_cut(labels, ceiling, core), None)
    for name, distance in DISTANCES.items():
        scores, took = timed(distance, pairs)
        yield Method(name, scores, best_cut(labels, scores, core), took)


def timed(compare: Callable[[str, str], float], pairs: list[Pair]) -> tuple[Any, float]:
    started = time.process_time()
    scores = [compare(pair.left, pair.right) for pair in pairs]
    return np.array(scores), 1e6 * (time.process_time() - started) / len(pairs)


def folds_by_source(pairs: list[Pair]) -> Any:
    sources = sorted({pair.source for pair in pairs})
    return np.array([sources.index(pair.source) for pair in pairs])


def boosted(numbers: Any, labels: Any, folds: Any) -> Any:
    """What deeper trees without any bound make of the same numbers."""
    scores = np.zeros(len(labels))
    for fold in range(FOLDS):
        seen = folds != fold
        trees = HistGradientBoostingClassifier(
            max_iter=200,
            max_leaf_nodes=16,
            learning_rate=0.06,
            max_features=0.3,
            early_stopping=False,
            random_state=0,
        ).fit(numbers[seen], labels[seen])
        scores[~seen] = trees.predict_proba(numbers[~seen])[:, 1]
    return scores


def words_of(name: str) -> str:
    return " ".join(fold_latin(word) for word in name.replace(",", " ").replace("-", " ").split())


def in_order(name: str) -> str:
    return " ".join(sorted(words_of(name).split()))


DISTANCES: Final[dict[str, Callable[[str, str], float]]] = {
    "rapidfuzz WRatio": lambda left, right: fuzz.WRatio(words_of(left), words_of(right)),
    "rapidfuzz token sort": lambda left, right: fuzz.token_sort_ratio(
        words_of(left), words_of(right)
    ),
    "Jaro-Winkler, sorted": lambda left, right: JaroWinkler.similarity(
        in_order(left), in_order(right)
    ),
}


def scripts_of(pair: Pair) -> set[str]:
    return {script_of(letter) for letter in pair.left + pair.right if letter.isalpha()}


GROUPS: Final[dict[str, Callable[[Pair], bool]]] = {
    "core": lambda pair: pair.group != ALIAS,
    LATIN_GROUP: lambda pair: pair.group == LATIN_GROUP,
    CROSS: lambda pair: pair.group == CROSS,
    "alias": lambda pair: pair.group == ALIAS,
    "Korean": lambda pair: HANGUL in scripts_of(pair),
    "Chinese": lambda pair: HAN in scripts_of(pair) and KANA not in scripts_of(pair),
}


def best_cut(labels: Any, scores: Any, core: Any) -> float:
    """The cut with the best F1 on these very pairs, which is kind to a method."""
    candidates = np.unique(np.quantile(scores[core], np.linspace(0, 1, 200)))
    return float(max(candidates, key=lambda cut: f1(labels[core], scores[core], cut)))


def f1(labels: Any, scores: Any, cut: float) -> float:
    found = scores >= cut
    total = found.sum() + labels.sum()
    return float(2 * (found & (labels == 1)).sum() / total) if total else 0.0


def recall_at_one_percent(labels: Any, scores: Any, _cut: float) -> float:
    others = np.sort(scores[labels == 0])[::-1]
    if not len(others) or not labels.sum():
        return 0.0
    return float((scores[labels == 1] > others[int(0.01 * len(others))]).mean())


RECALL_GROUPS: Final = {"Korean": recall_at_one_percent, "Chinese": recall_at_one_percent}


def interval(labels: Any, scores: Any, cut: float, measure: Callable[..., float]) -> str:
    if not len(labels):
        return "-"
    chance = np.random.RandomState(0)
    figures = []
    for _ in range(RESAMPLES):
        chosen = chance.randint(len(labels), size=len(labels))
        figures.append(measure(labels[chosen], scores[chosen], cut))
    low, high = np.quantile(figures, (0.025, 0.975))
    return f"{measure(labels, scores, cut):.3f} ({low:.3f}-{high:.3f})"


if __name__ == "__main__":
    sys.exit(main())
