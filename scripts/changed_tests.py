"""Runs the tests that a change concerns: `make changed`, after a commit `make changed SINCE=main`.

A test file is concerned when it was changed, when what it imports reaches a changed module, and
when it is in the folder of a changed file's room. That the harness starts the whole program does
not count, or every change would concern nearly every test; `make test` runs the rest.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Final

import grimp

ROOT: Final = Path(__file__).parents[1]
_PACKAGES: Final = ("gatehouse", "tests", "scripts")
_HARNESS: Final = ("harness", "conftest", "databases", "forkserver", "preloading")
"""Modules in `tests` that import the program in order to run it."""
_FOLDERS: Final = {
    "deploy": "tests/deploy",
    "docs": "tests/docs",
    "examples": "tests/docs",
    "clients/python": "clients/python/tests",
    "clients/typescript": "tests/clients",
}
"""Whose tests are elsewhere than in the folder of the same name."""


def main() -> None:
    """Run the concerned tests, or say that there are none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", default="HEAD", help="a commit or a branch")
    given, options = parser.parse_known_args()
    files = concerned(changed_files(given.since, ROOT), import_graph(), ROOT)
    if not files:
        print("no test is concerned by imports or folders; make test runs all")
        return
    print(f"{len(files)} test files are concerned", flush=True)
    command = [sys.executable, "-m", "pytest", *options, *files]
    sys.exit(subprocess.run(command, cwd=ROOT, check=False).returncode)


def changed_files(since: str, root: Path) -> list[str]:
    """The paths that differ from a commit, those that git does not know yet among them."""
    found = []
    for words in (["diff", "--name-only", since], ["ls-files", "--others", "--exclude-standard"]):
        command = ["git", *words]
        done = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True)
        found += done.stdout.splitlines()
    return found


def import_graph() -> grimp.ImportGraph:
    """Who imports whom, in the program, its tests and the scripts."""
    sys.path[:0] = [str(ROOT)]
    return grimp.build_graph(*_PACKAGES, cache_dir=None)


def concerned(changed: Iterable[str], graph: grimp.ImportGraph, root: Path) -> list[str]:
    """The test files that these changes concern, as paths below the root."""
    paths = [PurePath(path) for path in changed]
    modules = {module for path in paths for module in _modules(path, graph)}
    harness = {module for module in graph.modules if _is_harness(module)}
    reached = set(modules)
    for module in modules & harness:
        reached |= graph.find_downstream_modules(module)
    for module in harness - modules:
        graph.remove_module(module)
    for module in modules - harness:
        reached |= graph.find_downstream_modules(module)
    files = {f"{module.replace('.', '/')}.py" for module in reached if _is_test(module)}
    files |= {str(path) for path in paths if _is_test(path.stem) and path.suffix == ".py"}
    for path in paths:
        files |= {str(each.relative_to(root)) for each in _of_its_folder(path, root)}
    return sorted(file for file in files if (root / file).exists())


def _modules(path: PurePath, graph: grimp.ImportGraph) -> set[str]:
    """The module of a file; of a file that is no module, the package that reads it."""
    parts = path.parts[1:] if path.parts[0] == "src" else path.parts
    name = ".".join(parts).removesuffix(".py").removesuffix(".__init__")
    if path.suffix == ".py":
        return {name} & graph.modules
    while name and name not in graph.modules:
        name = name.rpartition(".")[0]
    # A package on the top is the whole program, which no one file of data concerns.
    return graph.find_descendants(name) | {name} if "." in name else set()


def _of_its_folder(path: PurePath, root: Path) -> Iterable[Path]:
    """The tests in the folder of a file's room, or in that of a changed `conftest.py`."""
    for folder, tests in _FOLDERS.items():
        if path.is_relative_to(folder):
            return (root / tests).rglob("test_*.py")
    if path.name == "conftest.py" and path.parts[0] == "tests":
        return (root / path.parent).rglob("test_*.py")
    if path.parts[:2] != ("src", "gatehouse"):
        return ()
    # The folder of the innermost package that has one: subjects have folders within a room's.
    own = Path("tests", *path.parts[2:-1])
    while own != Path("tests") and not (root / own).is_dir():
        own = own.parent
    return () if own == Path("tests") else (root / own).glob("**/test_*.py")


def _is_harness(module: str) -> bool:
    parts = module.split(".")
    return parts[0] == "tests" and bool({*_HARNESS} & set(parts[1:2]))


def _is_test(name: str) -> bool:
    return name.rpartition(".")[2].startswith("test_")


if __name__ == "__main__":
    main()
