"""Programs of others that tests run: installed once into `build/`, again when a lock changes."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.harness import PATIENCE_S

ROOT: Final = Path(__file__).parents[1]
BUILD: Final = ROOT / "build"
NPM: Final = shutil.which("npm")


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


def pip_programs(kind: str, lock: Path) -> Path:
    """The programs of an environment with the packages of a lock."""
    with built(kind, lock.read_bytes()) as (wanted, filled):
        programs = wanted / "venv" / "bin"
        if not filled:
            # A pip of its own, and compiling what is never imported, would take longest.
            run([sys.executable, "-m", "venv", "--without-pip", "venv"], wanted)
            pip = [sys.executable, "-m", "pip", "--python", str(programs / "python")]
            install = "install --no-compile --quiet --disable-pip-version-check --require-hashes -r"
            run([*pip, *install.split(), lock], wanted)
    return programs


def npm_packages(kind: str, locked: Path) -> Path:
    """The folder of the npm packages in the lock of a folder."""
    with built(kind, (locked / "package-lock.json").read_bytes()) as (wanted, filled):
        if not filled:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(locked / name, wanted)
            run([NPM or "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], wanted)
    return wanted / "node_modules"
