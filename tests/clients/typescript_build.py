"""The TypeScript client as tests use it: built once into `build/`, again when a source changes."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.harness import PATIENCE_S
from tests.installed_programs import NPM, ROOT, built, npm_packages, run

CLIENT: Final = ROOT / "clients/typescript"
_SHOP: Final = ROOT / "examples/express-shop"
_QUICK_START: Final = ROOT / "docs/quickstart-typescript.md"
_PROGRAM: Final = re.compile(r"^cat > (\S+\.mjs) <<'END'\n(.*?)^END$", re.MULTILINE | re.DOTALL)
_BLOCK: Final = re.compile(r"^```js\n(.*?)^```$", re.MULTILINE | re.DOTALL)
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
    programs = _programs()
    shown = [f"{name}{text}".encode() for name, text in programs.items()]
    with built("typescript-client", *parts, *shown) as (wanted, filled):
        folder = wanted / "clients/typescript"
        if not filled:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(CLIENT, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
            (folder / "node_modules").symlink_to(packages)
            run([NODE or "node", "build.mjs"], folder)
            for name, text in programs.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)
            (folder / "old/node_modules").mkdir()
            (folder / "old/node_modules/gatehouse-client").symlink_to(folder)
            run([NODE or "node", "test/check-types.mjs"], folder)
    return folder


def _programs() -> dict[str, str]:
    """What the documentation shows, by the names of files: its types are checked."""
    found = {f"programs/shop/{path.name}": path.read_text() for path in _SHOP.glob("*.js")}
    for name, text in _PROGRAM.findall(_QUICK_START.read_text()):
        found[f"programs/{name}"] = text
    found["programs/readme.mjs"] = "\n".join(_BLOCK.findall((CLIENT / "README.md").read_text()))
    found["old/types.ts"] = (CLIENT / "test/types.cts").read_text()
    # The package is a module; programs that resolve it in the old way are none.
    found["old/package.json"] = '{"name": "old", "type": "commonjs"}\n'
    return found


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
