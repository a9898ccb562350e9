"""Clients that others' generators make from our description, compiled strictly and used.

The generators for TypeScript and the linters are npm packages, pinned in `generated/`; the one for
Python is in `requirements/clients.lock`, because it needs other versions than ours. They are
installed once into `build/`, and again when their lock changes.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.harness import PATIENCE_S, Server

PROGRAMS: Final = Path(__file__).with_name("generated")
ROOT: Final = Path(__file__).parents[2]
BUILD: Final = ROOT / "build"
NPM: Final = shutil.which("npm")
needs_npm = pytest.mark.skipif(
    NPM is None, reason="NPM IS MISSING: no client in TypeScript was made, nothing was linted"
)


def run(command: Sequence[str | Path], folder: Path) -> str:
    """What a command prints; fails with all of it when the command does."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, "PATH": path, "REDOCLY_TELEMETRY": "off"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextlib.contextmanager
def installed(kind: str, lock: Path) -> Iterator[tuple[Path, bool]]:
    """A folder for what a lock pins, and whether it is filled; the block fills it otherwise."""
    wanted = BUILD / f"{kind}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:16]}"
    wanted.mkdir(parents=True, exist_ok=True)
    with (wanted / "lock").open("w") as lock_file:
        # Other workers of the same run wait until everything is there.
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        yield wanted, (wanted / "installed").exists()
        (wanted / "installed").touch()


@pytest.fixture(scope="module")
def packages() -> Path:
    """The folder of the npm packages in the lock."""
    with installed("npm", PROGRAMS / "package-lock.json") as (wanted, filled):
        if not filled:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(PROGRAMS / name, wanted)
            run([NPM or "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], wanted)
    return wanted / "node_modules"


@pytest.fixture(scope="module")
def generator() -> Path:
    """The programs of an environment with the generator of clients in Python."""
    lock = ROOT / "requirements" / "clients.lock"
    with installed("pip", lock) as (wanted, filled):
        programs = wanted / "venv" / "bin"
        if not filled:
            run([sys.executable, "-m", "venv", "venv"], wanted)
            install = "pip install --quiet --disable-pip-version-check --require-hashes -r"
            run([programs / "python", "-m", *install.split(), lock], wanted)
    return programs


@pytest.fixture(scope="module")
def key(shared: Server) -> str:
    return shared.home.key(shared.home.account("1000"), "--rate-limit", "0")


@pytest.fixture
def folder(shared: Server, tmp_path: Path) -> Path:
    """A folder with the programs and the description that the server gives."""
    shutil.copytree(PROGRAMS, tmp_path, dirs_exist_ok=True)
    (tmp_path / "openapi.json").write_text(httpx.get(f"{shared.base}/openapi.json").text)
    return tmp_path


@pytest.fixture
def packages_here(folder: Path, packages: Path) -> None:
    """Let the programs in the folder find the packages."""
    (folder / "node_modules").symlink_to(packages)


@pytest.fixture(scope="module")
def operations(shared: Server) -> set[str]:
    """The names of all operations."""
    document: Any = httpx.get(f"{shared.base}/openapi.json").json()
    return {
        described["operationId"]
        for path in document["paths"].values()
        for described in path.values()
    }


def test_a_client_by_openapi_python_client_is_typed_and_calls_everything(
    generator: Path, folder: Path, shared: Server, key: str, operations: set[str]
) -> None:
    generate = "generate --fail-on-warning --path openapi.json --meta none"
    options = "--config python_client.yaml --output-path gatehouse_client"
    run([generator / "openapi-python-client", *generate.split(), *options.split()], folder)
    strictly = "-m mypy --strict --cache-dir cache --python-executable"
    checked = [sys.executable, *strictly.split(), str(generator / "python")]
    run([*checked, "gatehouse_client", "call_python_client.py"], folder)
    called = run([generator / "python", "call_python_client.py", shared.base, key], folder)
    assert set(called.split()) == operations


@needs_npm
@pytest.mark.usefixtures("packages_here")
@pytest.mark.parametrize(
    ("generate", "program"),
    [
        ("openapi-typescript openapi.json -o openapi_typescript.ts", "call_openapi_fetch"),
        ("openapi-ts -i openapi.json -o hey_api --silent", "call_hey_api"),
    ],
)
def test_a_client_in_typescript_compiles_strictly_and_calls_everything(
    generate: str, program: str, folder: Path, shared: Server, key: str, operations: set[str]
) -> None:
    tool, *options = generate.split()
    run([folder / "node_modules/.bin" / tool, *options], folder)
    alone = {"extends": "./tsconfig.json", "files": [f"{program}.ts"]}
    (folder / "alone.json").write_text(json.dumps(alone))
    run([folder / "node_modules/.bin/tsc", "-p", "alone.json"], folder)
    called = run(["node", f"built/{program}.js", shared.base, key], folder)
    assert set(called.split()) == operations


@needs_npm
@pytest.mark.usefixtures("packages_here")
@pytest.mark.parametrize("linter", ["spectral lint openapi.json", "redocly lint openapi.json"])
def test_a_linter_finds_no_error_in_the_description(linter: str, folder: Path) -> None:
    tool, *options = linter.split()
    run([folder / "node_modules/.bin" / tool, *options], folder)
