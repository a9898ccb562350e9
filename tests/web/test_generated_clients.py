"""Clients that others' generators make from our description, compiled strictly and used.

The generators for TypeScript and the linters are npm packages, pinned in `generated/`; the one for
Python is in `requirements/clients.lock`, because it needs other versions than ours. They are
installed once into `build/`, and again when their lock changes.

What they make of the description is generated, compiled and checked there once, and again when the
description, a program or a lock changes. The clients call the server each time.
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
from typing import Final

import httpx
import pytest

from gatehouse.web.openapi_manage import is_managing
from tests.harness import PATIENCE_S, Server

PROGRAMS: Final = Path(__file__).with_name("generated")
ROOT: Final = Path(__file__).parents[2]
BUILD: Final = ROOT / "build"
CLIENTS_LOCK: Final = ROOT / "requirements" / "clients.lock"
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
def built(kind: str, *parts: bytes) -> Iterator[tuple[Path, bool]]:
    """A folder for what is made of these parts, and whether it is there; the block makes it."""
    wanted = BUILD / f"{kind}-{hashlib.sha256(b''.join(parts)).hexdigest()[:16]}"
    wanted.mkdir(parents=True, exist_ok=True)
    with (wanted / "lock").open("w") as lock_file:
        # Other workers of the same run wait until everything is there.
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        filled = (wanted / "installed").exists()
        yield wanted, filled
        (wanted / "installed").touch()
    if not filled:
        for earlier in BUILD.glob(f"{kind}-*"):
            if earlier != wanted:
                shutil.rmtree(earlier, ignore_errors=True)


@pytest.fixture(scope="module")
def packages() -> Path:
    """The folder of the npm packages in the lock."""
    with built("npm", (PROGRAMS / "package-lock.json").read_bytes()) as (wanted, filled):
        if not filled:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(PROGRAMS / name, wanted)
            run([NPM or "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], wanted)
    return wanted / "node_modules"


@pytest.fixture(scope="module")
def generator() -> Path:
    """The programs of an environment with the generator of clients in Python."""
    with built("pip", CLIENTS_LOCK.read_bytes()) as (wanted, filled):
        programs = wanted / "venv" / "bin"
        if not filled:
            # A pip of its own, and compiling what is never imported, would take longest.
            run([sys.executable, "-m", "venv", "--without-pip", "venv"], wanted)
            pip = [sys.executable, "-m", "pip", "--python", str(programs / "python")]
            install = "install --no-compile --quiet --disable-pip-version-check --require-hashes -r"
            run([*pip, *install.split(), CLIENTS_LOCK], wanted)
    return programs


@pytest.fixture(scope="module")
def key(shared: Server) -> str:
    return shared.home.key(shared.home.account("1000"), "--rate-limit", "0")


@pytest.fixture(scope="module")
def description(shared: Server) -> bytes:
    """What the server says of itself."""
    return httpx.get(f"{shared.base}/openapi.json", timeout=PATIENCE_S).content


@pytest.fixture(scope="module")
def operations(description: bytes) -> set[str]:
    """The names of all operations; the management API is compiled, and called by other tests."""
    return {
        described["operationId"]
        for path, methods in json.loads(description)["paths"].items()
        for described in methods.values()
        if not is_managing(path)
    }


@contextlib.contextmanager
def checked(kind: str, description: bytes) -> Iterator[tuple[Path, bool]]:
    """A folder with the programs and the description, and whether all in it is checked already."""
    programs = sorted(path for path in PROGRAMS.iterdir() if path.is_file())
    sources = [path.read_bytes() for path in (*programs, CLIENTS_LOCK, Path(__file__))]
    with built(kind, description, *sources) as (wanted, filled):
        folder = wanted / "programs"
        if not filled:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(PROGRAMS, folder)
            (folder / "openapi.json").write_bytes(description)
        yield folder, filled


def test_a_client_by_openapi_python_client_is_typed_and_calls_everything(
    generator: Path, description: bytes, shared: Server, key: str, operations: set[str]
) -> None:
    with checked("python-client", description) as (folder, done):
        if not done:
            generate = "generate --fail-on-warning --path openapi.json --meta none"
            options = "--config python_client.yaml --output-path gatehouse_client"
            run([generator / "openapi-python-client", *generate.split(), *options.split()], folder)
            strictly = "-m mypy --strict --cache-dir ../../mypy --python-executable"
            by = [sys.executable, *strictly.split(), str(generator / "python")]
            run([*by, "gatehouse_client", "call_python_client.py"], folder)
    called = run([generator / "python", "call_python_client.py", shared.base, key], folder)
    assert set(called.split()) == operations


@needs_npm
def test_clients_in_typescript_compile_strictly_and_call_everything(
    packages: Path, description: bytes, shared: Server, key: str, operations: set[str]
) -> None:
    with checked("typescript-clients", description) as (folder, done):
        if not done:
            (folder / "node_modules").symlink_to(packages)
            for command in (
                "openapi-typescript openapi.json -o openapi_typescript.ts",
                "openapi-ts -i openapi.json -o hey_api --silent",
                "tsc -p tsconfig.json",
            ):
                tool, *options = command.split()
                run([packages / ".bin" / tool, *options], folder)
    for program in ("call_openapi_fetch", "call_hey_api"):
        called = run(["node", f"built/{program}.js", shared.base, key], folder)
        assert set(called.split()) == operations, program


@needs_npm
@pytest.mark.parametrize("linter", ["spectral", "redocly"])
def test_a_linter_finds_no_error_in_the_description(
    linter: str, packages: Path, description: bytes
) -> None:
    with checked(linter, description) as (folder, done):
        if not done:
            run([packages / ".bin" / linter, "lint", "openapi.json"], folder)
