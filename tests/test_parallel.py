"""Tests that are run in forks: each once, with all fixtures, and reported as without forks."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIXTURES = """
import os
import pytest

@pytest.fixture(scope="session")
def session():
    yield os.getpid()
    print(f"session-{os.getpid()}", file=open(os.environ["NOTES"], "a"))
"""
FILE = """
import os
import pytest

@pytest.fixture(scope="module")
def module(session):
    yield os.getpid()
    print(f"module-{__name__}", file=open(os.environ["NOTES"], "a"))

@pytest.mark.parametrize("number", range(5))
def test_it(number, module, session, tmp_path):
    assert module == session == os.getpid()
    (tmp_path / "own").write_text("")
    print(f"test-{__name__}-{number}", file=open(os.environ["NOTES"], "a"))
"""
ODD = """
import os
import pytest

def test_fails():
    print("what it printed")
    assert [1] == [2]

def test_ends_its_process():
    os._exit(7)

def test_comes_after_that():
    pass

@pytest.mark.skip(reason="not today")
def test_is_skipped():
    pass
"""


def _run(folder: Path, files: dict[str, str], *options: str) -> tuple[int, str, list[str]]:
    """Exit code, output and notes of a run of these files by two workers."""
    for name, text in files.items():
        (folder / name).write_text(text)
    notes = folder / "notes"
    notes.touch()
    # The plugins that are installed take longer to load than all of this.
    own = {"PYTHONPATH": str(ROOT), "NOTES": str(notes), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "tests.parallel", "--workers", "2"]
    done = subprocess.run(
        [*command, "-c", os.devnull, "--rootdir", folder, *options, folder],
        cwd=folder,
        env=os.environ | own,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, notes.read_text().splitlines()


def test_every_test_is_run_once_and_fixtures_are_those_of_its_process(tmp_path: Path) -> None:
    names = ["test_a", "test_b", "test_c"]
    files = {f"{name}.py": FILE for name in names}
    code, out, notes = _run(tmp_path, {"conftest.py": FIXTURES, **files})
    assert code == 0, out
    assert "15 passed" in out
    tests = [note for note in notes if note.startswith("test-")]
    assert sorted(tests) == [f"test-{name}-{number}" for name in names for number in range(5)]
    # A file's fixture is made for one worker, and ends when it has run the file.
    modules = [note for note in notes if note.startswith("module-")]
    assert sorted(modules) == [f"module-{name}" for name in names]
    sessions = [note for note in notes if note.startswith("session-")]
    assert 1 <= len(set(sessions)) == len(sessions) <= 2


def test_failures_are_reported_and_the_end_of_a_process_is_one(tmp_path: Path) -> None:
    code, out, _ = _run(tmp_path, {"test_odd.py": ODD, "test_a.py": "def test_it(): pass"}, "-ra")
    assert code == 1
    assert "2 failed, 2 passed, 1 skipped" in out
    assert "assert [1] == [2]" in out
    assert "what it printed" in out
    assert "its process ended with 7" in out
    assert "not today" in out


def test_a_run_ends_at_its_first_failure_if_it_is_to(tmp_path: Path) -> None:
    waits = "import time\n\ndef test_waits():\n    time.sleep(600)\n"
    code, out, _ = _run(tmp_path, {"test_odd.py": ODD, "test_waits.py": waits}, "-x")
    assert code == 1
    assert re.search(r"1 failed in", out)
