"""What a release consists of, built from a staged copy into one folder."""

import base64
import hashlib
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from packaging.metadata import Metadata

SUMS: Final = "SHA256SUMS"
NAMESPACE: Final = "gatehouse-release"
"""What a signature is for, so that one made for something else is not taken for it."""
COLLECTOR: Final = "gatehouse-collector.js"


def run(command: Sequence[str | Path], folder: Path, **environ: str) -> None:
    """Run a command in a folder; its output is shown, and a failure ends the release."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stdout}")


def build_python(staged: Path, out: Path, made_at: int) -> None:
    """Wheels and source packages of the server and of its client."""
    for folder in (staged, staged / "clients/python"):
        build = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
        run(build, folder, SOURCE_DATE_EPOCH=str(made_at))


def build_npm(staged: Path, out: Path) -> None:
    """The package of the TypeScript client, and the collector as one, with its hash beside it."""
    for name in ("typescript", "browser"):
        folder = staged / "clients" / name
        path = folder / "package.json"
        package = json.loads(path.read_text())
        if "prepare" in package.pop("scripts", {}):
            # npm warns those who install a package of any script, though it would not run this one.
            run(["npm", "run", "--silent", "prepare"], folder)
            path.write_text(json.dumps(package, indent=2) + "\n")
        words = ["npm", "pack", "--ignore-scripts", "--loglevel=error", "--pack-destination"]
        run([*words, out], folder)
    script = (staged / "clients/browser" / COLLECTOR).read_bytes()
    (out / COLLECTOR).write_bytes(script)
    hashed = base64.b64encode(hashlib.sha384(script).digest()).decode()
    integrity = {COLLECTOR: f"sha384-{hashed}"}
    (out / "integrity.json").write_text(json.dumps(integrity, indent=2) + "\n")


def write_parts(staged: Path, out: Path, tools: Path, version: str) -> None:
    """The list of all packages that a server is made of, in CycloneDX."""
    parts = out / f"gatehouse-{version}.cdx.json"
    run(
        [tools / "cyclonedx-py", "requirements", "requirements/runtime.lock",
         "--pyproject", "pyproject.toml", "--mc-type", "application", "--output-reproducible",
         "--output-format", "JSON", "--output-file", parts],
        staged,
    )  # fmt: skip


def check_metadata(out: Path) -> None:
    """What a registry would refuse ends the release."""
    for wheel in out.glob("*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            [name] = [one for one in packed.namelist() if one.endswith(".dist-info/METADATA")]
            Metadata.from_email(packed.read(name), validate=True)


def write_sums(out: Path) -> None:
    """The hashes of all files, as `sha256sum --check` reads them."""
    files = sorted(path for path in out.iterdir() if not path.name.startswith(SUMS))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (out / SUMS).write_text("".join(lines))


def sign(out: Path, key: Path) -> None:
    """Sign the hashes with a key of OpenSSH, so that `ssh-keygen -Y verify` can prove them."""
    run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, out / SUMS], out)
