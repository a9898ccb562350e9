"""An earlier version, taken from a commit or a wheel, that runs with the packages of this one."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from scripts.bench.servers import Shop
from scripts.bench.subjects import FeedbackSubject
from scripts.bench.versions import preparing

ROOT: Final = Path(__file__).parents[3]
_PREPARING: Final = Path(str(preparing.__file__))
_PROJECT: Final = "pyproject.toml"
_CHANGED: Final = '^version = "'
"""What a commit that writes another version changes in it."""


class NoVersion(Exception):
    """There is nothing to compare with; the text says what to do."""


class EarlierVersion(NamedTuple):
    """The files of a version."""

    name: str
    program: Path
    """The folder that holds its package."""
    benchmark: Path
    """The folder whose benchmark makes its shops."""

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which Python finds this version before the one that is installed."""
        places = os.pathsep.join(map(str, (self.program, self.benchmark)))
        return os.environ | {"PYTHONPATH": places}

    def shop(self, subject: FeedbackSubject, home: Path) -> Shop:
        """A shop of this version, whose server is this version, too."""
        # With -P, Python does not look for modules beside the program.
        command = [sys.executable, "-P", str(_PREPARING), subject.key, str(home)]
        done = subprocess.run(
            command,
            check=False,
            env=self.environment,
            cwd=self.benchmark,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"{self.name} has no shop for {subject.key}:\n{done.stderr}")
        made = json.loads(done.stdout.splitlines()[-1])
        environment = self.environment | {
            "GATEHOUSE_HOME": str(home),
            "GATEHOUSE_RATE_LIMIT_PER_SECOND": "0",
        }
        return Shop(home, environment, made["account_id"], made["key"])


def last_release(repository: Path = ROOT) -> str:
    """What this version is compared with when nothing is named: the newest tag, if there is one."""
    found = _git(repository, "describe", "--tags", "--abbrev=0")
    try:
        return previous_release(repository) if found is None else found.decode().strip()
    except NoVersion as nothing:
        name = 'name a commit, a tag or a wheel: make bench ARGS="--only versions --beside REF"'
        raise NoVersion(f"{nothing}; {name}") from None


def previous_release(repository: Path = ROOT) -> str:
    """The newest version before the one that the checkout has: its tag, or its last commit."""
    current = _version((repository / _PROJECT).read_bytes())
    changes = _git(repository, "log", "--format=%H", "-G", _CHANGED, "--", _PROJECT) or b""
    for commit in ("HEAD", *(f"{change}^" for change in changes.decode().split())):
        text = _git(repository, "show", f"{commit}:{_PROJECT}")
        version = text and _version(text)
        if version and version != current:
            tag = f"v{version}"
            return commit if _git(repository, "rev-parse", "--verify", tag) is None else tag
    raise NoVersion(f"the history of this repository has no version before {current}")


def build_wheel(named: str, folder: Path, repository: Path = ROOT) -> Path:
    """The wheel of the server as it was published of a commit or a tag, built in a folder."""
    staged = folder / "staged"
    with tarfile.open(fileobj=io.BytesIO(_archive(repository, named))) as archive:
        archive.extractall(staged, filter="data")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=staged, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def _version(project: bytes) -> str | None:
    found = re.search(r'^version = "(.*)"', project.decode(), re.MULTILINE)
    return found and found[1]


@contextlib.contextmanager
def earlier_version(named: str, repository: Path = ROOT) -> Iterator[EarlierVersion]:
    """The version of a commit, a tag or a wheel, in a folder of its own until it is done with."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-earlier-") as folder:
        place = Path(folder)
        if named.endswith(".whl"):
            with zipfile.ZipFile(named) as wheel:
                wheel.extractall(place)
            # A wheel holds no benchmark, so its shops are made by this version's.
            yield EarlierVersion(Path(named).name, place, repository)
            return
        commit = _git(repository, "rev-parse", "--short", "--verify", f"{named}^{{commit}}")
        if commit is None:
            raise NoVersion(f"{named} is neither a commit nor a tag, nor a file that ends in .whl")
        short = commit.decode().strip()
        with tarfile.open(
            fileobj=io.BytesIO(_archive(repository, short, "src", "scripts"))
        ) as archive:
            archive.extractall(place, filter="data")
        name = short if named.startswith(short) else f"{named} ({short})"
        yield EarlierVersion(name, place / "src", place)


def _archive(repository: Path, commit: str, *folders: str) -> bytes:
    found = _git(repository, "archive", "--format=tar", commit, *folders)
    if found is None:
        raise NoVersion(f"the commit {commit} has no {' and '.join(folders) or 'files'}")
    return found


def _git(repository: Path, *arguments: str) -> bytes | None:
    """What a command of git prints; None if it fails."""
    done = subprocess.run(["git", *arguments], cwd=repository, check=False, capture_output=True)
    return done.stdout if done.returncode == 0 else None
