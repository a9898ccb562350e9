"""The package runs on every Python that its metadata names: nothing in it is newer than 3.10."""

import ast
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

SOURCES: Final = sorted((Path(__file__).resolve().parents[1] / "src").rglob("*.py"))
NEWER: Final = {
    "asyncio": {"Barrier", "Runner", "TaskGroup", "timeout", "timeout_at"},
    "contextlib": {"chdir"},
    "copy": {"replace"},
    "datetime": {"UTC"},
    "enum": {"EnumType", "ReprEnum", "StrEnum", "member", "nonmember", "verify"},
    "hashlib": {"file_digest"},
    "http": {"HTTPMethod"},
    "inspect": {"markcoroutinefunction"},
    "itertools": {"batched"},
    "operator": {"call"},
    "typing": {
        *("LiteralString", "Never", "NotRequired", "Required", "Self", "TypeVarTuple", "Unpack"),
        *("TypeAliasType", "assert_never", "assert_type", "get_protocol_members", "override"),
        *("ReadOnly", "TypeIs", "dataclass_transform", "is_protocol", "reveal_type"),
    },
    "warnings": {"deprecated"},
}
"""Names that modules of the standard library got after 3.10."""
NEW_MODULES: Final = {
    "tomllib",
    "compression",
    "annotationlib",
    "pathlib.types",
    "string.templatelib",
}
NEW_BUILTINS: Final = {"BaseExceptionGroup", "ExceptionGroup", "PythonFinalizationError"}
NEW_METHODS: Final = {"add_note", "fromisoformat", "get_annotations", "walk", "full_match"}
"""`fromisoformat` is older, but did not read a `Z` before 3.11."""
READ: Final = """
import sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        compile(file.read(), path, "exec", dont_inherit=True)
print("%d.%d" % sys.version_info[:2])
"""


def test_the_grammar_is_that_of_3_10() -> None:
    for path in SOURCES:
        ast.parse(path.read_text(), path.name, feature_version=(3, 10))
        newer = (ast.TryStar, *filter(None, [getattr(ast, "TypeAlias", None)]))
        assert not [one for one in ast.walk(ast.parse(path.read_text())) if isinstance(one, newer)]


def _used(tree: ast.AST) -> Iterator[str]:
    """Names of the standard library that came later."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name in NEW_MODULES)
        elif isinstance(node, ast.ImportFrom):
            names = {one.name for one in node.names} & NEWER.get(node.module or "", set())
            yield from names | ({node.module or ""} & NEW_MODULES)
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in NEW_METHODS or node.attr in NEWER.get(owner, ()):
                yield node.attr
        elif isinstance(node, ast.Name) and node.id in NEW_BUILTINS:
            yield node.id


def test_nothing_is_used_that_came_after_3_10() -> None:
    found = {path.name: [*_used(ast.parse(path.read_text()))] for path in SOURCES}
    assert not {name: used for name, used in found.items() if used}


@pytest.mark.parametrize("minor", range(10, 15))
def test_interpreters_that_are_here_can_read_it(minor: int) -> None:
    program = shutil.which(f"python3.{minor}") or ""
    command = [program, "-I", "-c", READ, *map(str, SOURCES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False) if program else None
    # What stands on the path may be a launcher for a version that nobody chose.
    if done is None or done.returncode == 127:
        pytest.skip(f"THERE IS NO PYTHON 3.{minor} HERE")
    assert done.stdout == f"3.{minor}\n", done.stderr
