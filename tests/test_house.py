"""House rules a tool can hold: sizes, names, docstrings, clocks, and what the package ships."""

import ast
import functools
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from gatehouse.core.stages.registry import REGISTRY
from tests.harness.rows import each

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MIGRATIONS = "migrations"


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@functools.cache
def _nodes(path: Path) -> list[ast.AST]:
    """All nodes of a file: to walk a tree takes longer than to look at what is found."""
    return list(ast.walk(_tree(path)))


def _functions(nodes: Iterable[ast.AST]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


@each(SOURCES)
def test_a_file_can_be_read_in_one_sitting_and_says_what_it_is_for(path: Path) -> None:
    text = path.read_text()
    # The folders within a subject are named alike everywhere, and their packages are empty.
    assert ast.get_docstring(_tree(path)) or not text, "a module opens with what it is for"
    assert text.count("\n") <= 600
    assert path.stem not in {"utils", "helpers", "base", "manager", "misc"}
    if MIGRATIONS not in path.parts:
        for function in _functions(_nodes(path)):
            length = (function.end_lineno or 0) - function.lineno
            assert length <= 70, f"{function.name} has {length} lines"


def test_no_test_asserts_how_long_something_took() -> None:
    """A busy machine is no defect: tests wait for what must come, with a generous limit."""
    clocks = {"monotonic", "perf_counter", "time"}
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text()
        if not any(clock in text for clock in clocks):
            continue
        for claim in ast.walk(ast.parse(text)):
            if not isinstance(claim, ast.Assert):
                continue
            durations = (n for n in ast.walk(claim.test) if isinstance(n, ast.BinOp))
            calls = (n for each in durations for n in ast.walk(each) if isinstance(n, ast.Call))
            named = {n.func.attr for n in calls if isinstance(n.func, ast.Attribute)}
            assert not named & clocks, f"{path}:{claim.lineno} asserts a duration"


@pytest.mark.parametrize(
    "room", ["core", "billing", "precheck", "idverify", "sentry", "access", "intel", "pipeline"]
)
def test_decisions_are_handed_the_time_and_the_dice(room: str) -> None:
    forbidden = {"time", "random", "secrets", "uuid"}
    for path in (ROOT / "src" / "gatehouse" / room).rglob("*.py"):
        for node in _nodes(path):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            assert not forbidden & set(names), f"{path.name} imports {names}"
            if isinstance(node, ast.Attribute):
                assert node.attr not in {"now", "utcnow", "today", "urandom"}, path.name


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)


def test_no_files_import_each_other_in_a_circle() -> None:
    """Not for types alone, and not within a function either: the lower one cannot be read alone."""
    modules = {_module(path): path for path in SOURCES}
    imports = {
        module: {
            name
            for node in _nodes(path)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            for name in (f"{node.module}.{alias.name}", node.module or "")
            if name in modules
        }
        for module, path in modules.items()
    }
    TopologicalSorter(imports).prepare()


def test_a_folder_can_be_taken_in_at_a_glance() -> None:
    crowded = {}
    for folder in {path.parent for path in SOURCES}:
        files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        if len(files) > 25 and folder.name != "versions":  # migrations only grow
            crowded[str(folder.relative_to(ROOT))] = len(files)
    assert crowded == {}


def test_one_class_name_stands_for_one_class() -> None:
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in _tree(path).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path.name)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_the_lock_pins_everything_by_hash_and_names_no_host() -> None:
    for name in ("runtime", "build", "dev"):
        text = (ROOT / "requirements" / f"{name}.lock").read_text()
        pins = [line for line in text.splitlines() if "==" in line]
        assert len(pins) > 5
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text
        assert "index-url" not in text


def test_the_notice_names_every_file_that_was_packed_from_other_people_s_data() -> None:
    notice = (ROOT / "NOTICE").read_text()
    packed = sorted([*(ROOT / "src").rglob("*.xz"), *(ROOT / "src").rglob("*.gz")])
    assert len(packed) >= 2
    assert [path.name for path in packed if path.name not in notice] == []


def test_the_wheel_holds_all_that_the_package_reads(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps",
               "--no-build-isolation", "--wheel-dir", str(tmp_path), str(ROOT)]  # fmt: skip
    subprocess.run(command, check=True, timeout=600, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        packed.extractall(tmp_path / "out")
    source = ROOT / "src"
    needed = {
        str(path.relative_to(source))
        for path in (source / "gatehouse").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert needed <= names
    assert any(name.endswith("/licenses/NOTICE") for name in names)
    assert any(name.endswith(".data/data/share/gatehouse/docs/api.md") for name in names)
    done = subprocess.run(
        [sys.executable, "-c", "import gatehouse, gatehouse.bootstrap; print(gatehouse.__file__)"],
        env={"PYTHONPATH": str(tmp_path / "out"), "PATH": ""},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith(str(tmp_path / "out"))


STAGE_ROOMS = {spec.name: spec.request.type.__module__.split(".")[1] for spec in REGISTRY}


@each(SOURCES)
def test_the_name_of_a_stage_is_written_in_its_own_room_only(path: Path) -> None:
    room = path.relative_to(ROOT / "src" / "gatehouse").parts[0]
    names = {name for name, own in STAGE_ROOMS.items() if own != room}
    text = path.read_text()
    if any(name in text for name in names):
        for node in _nodes(path):
            assert not (isinstance(node, ast.Constant) and node.value in names), node.lineno


def test_a_request_that_says_how_its_fields_fit_together_is_asked_while_it_is_decoded() -> None:
    """Only a struct with the base `Checked`, itself or through another, is asked for problems."""
    asking = [path for path in SOURCES if re.search(r"Checked|def problems\(", path.read_text())]
    classes = [node for path in asking for node in _nodes(path) if isinstance(node, ast.ClassDef)]
    bases = {node.name: {ast.unparse(base) for base in node.bases} for node in classes}
    checked = {name for name, direct in bases.items() if "Checked" in direct}
    asked = 0
    for node in classes:
        for method in _functions(ast.walk(node)):
            returned = ast.unparse(method.returns) if method.returns else ""
            if (method.name, returned) == ("problems", "Iterator[tuple[str, str]]"):
                assert node.name == "Checked" or {"Checked", *checked} & bases[node.name]
                asked += node.name != "Checked"
    assert asked >= 7


def test_a_card_number_becomes_a_fingerprint_in_few_places() -> None:
    """The engine counts the numbers of requests, `NamedCards` all others that somebody names.

    A face that made fingerprints by itself would answer guesses without limit.
    """
    makers = {"inner", "inner_and_shown", "inner_of_every_key"}
    makers |= {"CardMasker", "make_engine", "Fingerprints"}
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        for node in _nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if name in makers:
                    place = str(path.relative_to(ROOT / "src" / "gatehouse"))
                    found.setdefault(place, set()).add(name)
    assert found == {
        "intel/cards.py": {"inner_and_shown", "inner_of_every_key"},
        "store/admin/named_cards.py": {"inner", "inner_of_every_key"},
        "store/admin/admin_session.py": {"Fingerprints"},
        "operations/assembly.py": {"CardMasker"},
        "bootstrap.py": {"CardMasker", "make_engine"},
        # The demo account's past is made up, and a rehearsal names its cards first.
        "admin/sandbox/use_cases/engine.py": {"make_engine"},
        "admin/pipelines/use_cases/pipeline_rehearsal.py": {"make_engine"},
        # Only an operator at a terminal can try a connector.
        "admin/connectors/use_cases/connector_trial.py": {"CardMasker"},
    }
