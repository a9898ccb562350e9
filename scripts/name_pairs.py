"""Labelled pairs of names, and how often a matcher is right about them.

The pairs are CSV files with the columns left, right, label (1 = same person), source and kind.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from gatehouse.idverify.names.compare import PARTIAL_FROM
from gatehouse.idverify.names.scripts import LATIN, script_of
from gatehouse.idverify.response import Result

COLUMNS: Final = ("left", "right", "label", "source", "kind")
ALIAS_SOURCES: Final = ("ofac_sdn_aka", "un_sc_alias")
LATIN_GROUP, CROSS, ALIAS = "Latin", "cross-script", "ALIAS"
GIVEN, SURNAME = "given names", "surnames"
FULL_NAMES: Final = (LATIN_GROUP, CROSS, ALIAS)


class Pair(NamedTuple):
    """Two names and whether they are one person's."""

    left: str
    right: str
    label: int
    source: str
    kind: str

    @property
    def group(self) -> str:
        """Which figure the pair counts for."""
        if self.kind.startswith("given_"):
            return GIVEN
        if self.kind.startswith("surname_"):
            return SURNAME
        if self.source in ALIAS_SOURCES:
            return ALIAS
        letters = (letter for letter in self.left + self.right if letter.isalpha())
        return LATIN_GROUP if all(script_of(each) == LATIN for each in letters) else CROSS


class Scored(NamedTuple):
    """A pair and what the matcher said; without a decision, its score decides."""

    pair: Pair
    score: float
    decision: Result | None

    @property
    def found(self) -> bool:
        """Whether the matcher took both for one person."""
        if self.decision is None:
            return self.score >= PARTIAL_FROM
        return self.decision in (Result.MATCH, Result.PARTIAL_MATCH)


def read_pairs(folder: Path) -> Iterator[Pair]:
    """All labelled pairs of a directory; files with other columns are passed over."""
    for path in sorted(folder.rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            if not set(COLUMNS) <= set(rows.fieldnames or ()):
                continue
            for row in rows:
                yield Pair(row["left"], row["right"], int(row["label"]), row["source"], row["kind"])


def print_report(scored: list[Scored]) -> None:
    """The figures of every group that has pairs."""
    heads = ("group", "pairs", "F1", "precision", "recall", "recall@1%FM", "prec@95%rec")
    print(("{:<18}" + "{:>12}" * 6).format(*heads))
    for name, belongs in groups(scored):
        chosen = [each for each in scored if belongs(each.pair)]
        figures = measure(chosen)
        print(f"{name:<18}{len(chosen):>12}" + "".join(f"{figure:>12}" for figure in figures))


def groups(scored: Sequence[Scored]) -> Iterator[tuple[str, Callable[[Pair], bool]]]:
    """The groups to report: the four that have goals, single names, then each source or script."""
    present = {each.pair.group for each in scored}
    if present & {LATIN_GROUP, CROSS}:
        yield "CORE", lambda pair: pair.group in (LATIN_GROUP, CROSS)
    for group in (LATIN_GROUP, CROSS, ALIAS, GIVEN, SURNAME):
        if group in present:
            yield group, partial(_in_group, group)
    for family in sorted(
        {family_of(each.pair) for each in scored if each.pair.group in FULL_NAMES}
    ):
        yield f"  {family}", partial(_in_family, family)


def _in_group(group: str, pair: Pair) -> bool:
    return pair.group == group


def _in_family(family: str, pair: Pair) -> bool:
    return family_of(pair) == family


def family_of(pair: Pair) -> str:
    """A finer group: the script for sources in many scripts, otherwise the source."""
    return pair.kind.partition("_neg")[0] if pair.kind.startswith("ep_") else pair.source


def measure(scored: list[Scored]) -> tuple[str, ...]:
    """F1, precision, recall, recall at 1 % false matches, precision at 95 % recall."""
    positive = [each for each in scored if each.pair.label]
    negative = sorted((each.score for each in scored if not each.pair.label), reverse=True)
    found = [each for each in scored if each.found]
    right = sum(each.pair.label for each in found)
    precision = right / len(found) if found else 0.0
    if not positive:
        return "-", "-", "-", f"{len(found)} found", "-"
    recall = right / len(positive)
    f1 = 2 * right / (len(found) + len(positive))
    if not negative:
        return f"{f1:.3f}", f"{precision:.3f}", f"{recall:.3f}", "-", "-"
    cut = negative[int(0.01 * len(negative))]
    strict = sum(each.score > cut for each in positive) / len(positive)
    ranked = sorted((each.score for each in positive), reverse=True)
    generous = ranked[min(len(ranked) - 1, int(0.95 * len(ranked)))]
    taken = [each for each in scored if each.score >= generous]
    precise = sum(each.pair.label for each in taken) / len(taken)
    return f"{f1:.3f}", f"{precision:.3f}", f"{recall:.3f}", f"{strict:.3f}", f"{precise:.3f}"
