"""Measures the code itself: sizes, names that stand twice, stage names outside their rooms.

    python -m scripts.code_measures [CHECKOUT]

Prints one table as Markdown, of this checkout or of another one, so that two states of the project
can be laid beside each other.
"""

import ast
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

STAGES: Final = {
    "PreCheck": "precheck",
    "IdVerify": "idverify",
    "Sentry": "sentry",
    "Rules": "rules",
    "Gateway": "gateway",
}
"""The names of the stages, and the room in which each may be written down."""


def main() -> None:
    """Print the measures of the checkout that is named, or of this one."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent
    package = root / "src" / "gatehouse"
    trees = {path: ast.parse(path.read_text()) for path in sorted(package.rglob("*.py"))}
    print("| measure | value |")
    print("| --- | --- |")
    for name, value in measures(package, trees):
        print(f"| {name} | {value} |")


def measures(package: Path, trees: dict[Path, ast.Module]) -> Iterator[tuple[str, str]]:
    """Every measure with its name."""
    sizes = [path.read_text().count("\n") for path in trees]
    lengths = sorted(_function_lengths(trees))
    ninetieth = lengths[int(len(lengths) * 0.9)]
    yield "lines", f"{sum(sizes):,}"
    yield "files", str(len(sizes))
    yield "files over 300 lines", str(sum(size > 300 for size in sizes))
    yield "lines of a file, median / longest", f"{statistics.median(sizes):.0f} / {max(sizes)}"
    yield (
        "lines of a function, median / 90th percentile / longest",
        f"{statistics.median(lengths):.0f} / {ninetieth} / {lengths[-1]}",
    )
    yield "functions with more than five parameters", str(_wide_functions(trees))
    yield "class names that stand for two or more classes", str(len(_names_that_stand_twice(trees)))
    stray = _stray_stage_names(package, trees)
    yield "literals of stage names outside their rooms", str(len(stray))


def _functions(trees: dict[Path, ast.Module]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for path, tree in trees.items():
        if "migrations" not in path.parts:
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield node


def _function_lengths(trees: dict[Path, ast.Module]) -> Iterator[int]:
    return ((node.end_lineno or node.lineno) - node.lineno + 1 for node in _functions(trees))


def _wide_functions(trees: dict[Path, ast.Module]) -> int:
    wide = 0
    for node in _functions(trees):
        names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
        bound = 1 if names[:1] in (["self"], ["cls"]) else 0
        wide += len(names) - bound + len(node.args.kwonlyargs) > 5
    return wide


def _names_that_stand_twice(trees: dict[Path, ast.Module]) -> list[str]:
    places: defaultdict[str, int] = defaultdict(int)
    for tree in trees.values():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                places[node.name] += 1
    return sorted(name for name, number in places.items() if number > 1)


def _stray_stage_names(package: Path, trees: dict[Path, ast.Module]) -> list[str]:
    """Where a text of the code is the name of a stage, though the stage has another room."""
    return [
        f"{path.relative_to(package)}:{node.lineno}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value in STAGES
        and path.relative_to(package).parts[0] != STAGES[node.value]
    ]


if __name__ == "__main__":
    main()
