"""Which tests a change concerns: what `make changed` runs."""

import subprocess
from pathlib import Path

import grimp
import pytest
from scripts.changed_tests import ROOT, changed_files, concerned, import_graph

FILES = (
    *("tests/core/test_money.py", "tests/web/test_routes.py", "tests/web/test_pages.py"),
    *("tests/docs/test_page.py", "clients/python/tests/test_client.py"),
)


@pytest.fixture
def graph() -> grimp.ImportGraph:
    """A small program: the web imports the core, and so does the harness of the tests."""
    graph = grimp.ImportGraph()
    for importer, imported in (
        ("gatehouse.web.routes", "gatehouse.core.money"),
        ("tests.core.test_money", "gatehouse.core.money"),
        ("tests.web.test_routes", "gatehouse.web.routes"),
        ("tests.web.test_pages", "tests.harness.home"),
        ("tests.harness.home", "gatehouse.core.money"),
    ):
        graph.add_import(importer=importer, imported=imported)
    for package in ("gatehouse", "gatehouse.core", "gatehouse.web"):
        graph.add_module(package)
    return graph


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder with the test files of that program."""
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("src/gatehouse/core/money.py", ["core/test_money", "web/test_routes"]),
        ("src/gatehouse/web/routes.py", ["web/test_pages", "web/test_routes"]),
        ("src/gatehouse/web/page.html", ["web/test_pages", "web/test_routes"]),
        ("tests/web/test_pages.py", ["web/test_pages"]),
        ("tests/harness/home.py", ["web/test_pages"]),
        ("tests/web/conftest.py", ["web/test_pages", "web/test_routes"]),
        ("docs/page.md", ["docs/test_page"]),
        ("tests/web/test_that_was_deleted.py", []),
        ("NOTICE", []),
    ],
)
def test_a_change_concerns_itself_its_room_and_who_imports_it(
    graph: grimp.ImportGraph, root: Path, changed: str, expected: list[str]
) -> None:
    assert concerned([changed], graph, root) == [f"tests/{name}.py" for name in expected]


def test_the_client_has_its_tests_beside_it(graph: grimp.ImportGraph, root: Path) -> None:
    changed = ["clients/python/src/gatehouse_client/calls.py"]
    assert concerned(changed, graph, root) == ["clients/python/tests/test_client.py"]


def test_a_file_of_this_checkout_concerns_its_own_test() -> None:
    found = concerned(["scripts/changed_tests.py"], import_graph(), ROOT)
    assert found == ["tests/test_changed_tests.py"]


def test_what_was_changed_is_what_differs_from_a_commit_and_what_is_new(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=Test", "-c", "user.email=test@shop.example"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    for name in ("changed", "committed", "same"):
        (tmp_path / name).touch()
    git("init", "--initial-branch=main")
    git("add", ".")
    git("commit", "--message=begin")
    (tmp_path / "committed").write_text("1")
    git("commit", "--all", "--message=go on")
    (tmp_path / "changed").write_text("1")
    (tmp_path / "new").touch()
    assert changed_files("HEAD", tmp_path) == ["changed", "new"]
    assert changed_files("HEAD~1", tmp_path) == ["changed", "committed", "new"]
