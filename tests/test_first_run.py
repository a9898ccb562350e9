"""What the first commands of a newcomer install, and that running needs no more than that."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.harness import PATIENCE_S, Home, Server, free_port, sandbox_key
from tests.harness.samples import PURCHASE

ROOT: Final = Path(__file__).parent.parent
GATEHOUSE: Final = Path(sys.prefix) / "bin" / "gatehouse"
REFUSE: Final = '''
"""Refuses to import the named modules."""
import sys


class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {refused}:
            raise ModuleNotFoundError(f"{{name}} is not needed to run", name=name)


sys.meta_path.insert(0, Refuse())
'''
COMMANDS: Final = """
import sys
from gatehouse.cli import main

for words in ("decisions list", "ledger verify", "sandbox", "rules show"):
    sys.argv = ["gatehouse", *words.split()]
    try:
        main()
    except SystemExit as end:
        assert not end.code, words
"""


def pins(name: str) -> dict[str, str]:
    text = (ROOT / "requirements" / f"{name}.lock").read_text()
    return dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", text, re.MULTILINE))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What `make` reads of a checkout in which nothing was installed."""
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    for name in ("Makefile", "pyproject.toml", "clients/python/pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def locks_of(checkout: Path, target: str) -> list[str]:
    """The locks that `make` would install for a target, in order."""
    # The tests themselves are run by make, whose options are not for this one.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--dry-run", target]
    done = subprocess.run(
        command, cwd=checkout, env=environ, check=True, capture_output=True, text=True
    )
    return [*dict.fromkeys(re.findall(r"-r requirements/(\w+)\.lock", done.stdout))]


def test_running_installs_only_what_running_needs(checkout: Path) -> None:
    assert locks_of(checkout, "run") == ["runtime", "build"]


@pytest.mark.parametrize("target", ["setup", "test", "quick", "format", "docs", "bench"])
def test_what_checking_needs_comes_on_top(checkout: Path, target: str) -> None:
    assert locks_of(checkout, target) == ["runtime", "build", "dev", "spark"]


def test_nothing_is_installed_twice(checkout: Path) -> None:
    stamps = checkout / ".venv"
    stamps.mkdir()
    for name in (".packages", ".run"):
        (stamps / name).touch()
    assert locks_of(checkout, "run") == []
    assert locks_of(checkout, "quick") == ["dev", "spark"]
    (stamps / ".dev").touch()
    assert locks_of(checkout, "quick") == locks_of(checkout, "run") == []


def test_the_locks_agree_so_that_one_environment_can_hold_them_all() -> None:
    every = pins("dev")
    assert pins("runtime").items() <= every.items()
    assert pins("build").items() <= every.items()
    # Spark is installed on top, where there is a Java.
    shared = pins("spark").keys() & every.keys()
    assert {name: pins("spark")[name] for name in shared} == {name: every[name] for name in shared}


def test_a_server_and_its_commands_need_only_the_packages_of_the_runtime_lock(
    sqlite_home: Home, tmp_path: Path
) -> None:
    kept = {*pins("runtime"), "gatehouse"}
    refused = {
        module
        for module, packages in packages_distributions().items()
        if not kept & {re.sub("[-_.]+", "-", one).lower() for one in packages}
    }
    (tmp_path / "sitecustomize.py").write_text(REFUSE.format(refused=refused))
    environ = sqlite_home.environ(PYTHONPATH=str(tmp_path), GATEHOUSE_CONSOLE_PORT="0")
    assert GATEHOUSE.exists(), "gatehouse is not installed: make setup"
    assert subprocess.run([sys.executable, "-c", "import httpx"], env=environ, check=False,
                          capture_output=True).returncode == 1  # fmt: skip
    port = free_port()
    with (sqlite_home.path / "server.log").open("ab") as log:
        command = [str(GATEHOUSE), "serve", "--port", str(port), "--console"]
        process = subprocess.Popen(command, env=environ, stdout=log, stderr=log)
    server = Server(port, process, sqlite_home)
    try:
        server.wait()
        with server.client(sandbox_key(sqlite_home)) as client:
            paid = client.post("/api/v1/pipeline", json=PURCHASE).json()
        assert paid["pipelineResponse"]["decision"] == "ACCEPT"
        assert httpx.get(f"{server.base}/docs", timeout=PATIENCE_S).status_code == 200
        [link] = re.findall(r"Console: (\S+)", server.log())
        assert "Open the console" in httpx.get(link, timeout=PATIENCE_S).text
        subprocess.run(
            [sys.executable, "-c", COMMANDS], env=environ, check=True, capture_output=True
        )
    finally:
        server.stop()
