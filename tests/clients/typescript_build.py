"""The TypeScript client as tests use it: built once into `build/`, again when a source changes."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.harness import PATIENCE_S
from tests.installed_programs import NPM, ROOT, built, npm_packages, run

CLIENT: Final = ROOT / "clients/typescript"
NODE: Final = shutil.which("node")
needs_npm = pytest.mark.skipif(
    NPM is None or NODE is None,
    reason="NPM OR NODE IS MISSING: the client in TypeScript was not built, nothing of it was run",
)


def built_client() -> Path:
    """A folder with the compiled client, its tests, and the packages that these need."""
    packages = npm_packages("node-packages", CLIENT)
    sources = [
        path
        for path in sorted(CLIENT.rglob("*"))
        if path.is_file() and not {"node_modules", "dist"} & set(path.relative_to(CLIENT).parts)
    ]
    parts = [str(path.relative_to(CLIENT)).encode() + path.read_bytes() for path in sources]
    with built("typescript-client", *parts) as (wanted, filled):
        folder = wanted / "clients/typescript"
        if not filled:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(CLIENT, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
            (folder / "node_modules").symlink_to(packages)
            run([packages / ".bin/tsc", "-p", "tsconfig.json"], folder)
            run([packages / ".bin/tsc", "-p", "test/tsconfig.json"], folder)
    return folder


def node(arguments: list[str], folder: Path, **environ: str) -> str:
    """What a program prints; fails with all of it when the program does."""
    done = subprocess.run(
        [NODE or "node", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
