"""Clients that others' generators make from our description, compiled strictly and used.

The generators for TypeScript and the linter are npm packages, pinned in `generated/`; the one for
Python is in `requirements/clients.lock`, because it needs other versions than ours. They are
installed once into `build/`, and again when their lock changes.

What they make of the description is generated, compiled and checked there once, and again when the
description, a program or a lock changes. The clients call the server each time.
"""

import contextlib
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from gatehouse.api.openapi.manage import is_managing
from tests.harness import PATIENCE_S, Server
from tests.installed_programs import NPM, ROOT, built, npm_packages, pip_programs, run

PROGRAMS: Final = Path(__file__).with_name("generated")
CLIENTS_LOCK: Final = ROOT / "requirements" / "clients.lock"
needs_npm = pytest.mark.skipif(
    NPM is None, reason="NPM IS MISSING: no client in TypeScript was made, nothing was linted"
)


@pytest.fixture(scope="module")
def packages() -> Path:
    """The folder of the npm packages in the lock."""
    return npm_packages("npm", PROGRAMS)


@pytest.fixture(scope="module")
def generator() -> Path:
    """The programs of an environment with the generator of clients in Python."""
    return pip_programs("pip", CLIENTS_LOCK)


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


@pytest.mark.node
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


@pytest.mark.node
@needs_npm
def test_a_linter_finds_no_error_in_the_description(packages: Path, description: bytes) -> None:
    with checked("redocly", description) as (folder, done):
        if not done:
            run([packages / ".bin" / "redocly", "lint", "openapi.json"], folder)
