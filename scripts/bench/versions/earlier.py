"""An earlier version, taken from a commit or a wheel, that runs with the packages of this one."""

import contextlib
import io
import json
import os
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


def newest_tag(repository: Path = ROOT) -> str:
    """The tag of the last release."""
    found = _git(repository, "describe", "--tags", "--abbrev=0")
    if found is None:
        raise NoVersion(
            "no earlier version to compare with: this repository has no tag. "
            'Name a commit, a tag or a wheel: make bench ARGS="--only versions --beside REF"'
        )
    return found.decode().strip()


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
        with tarfile.open(fileobj=io.BytesIO(_archive(repository, short))) as archive:
            archive.extractall(place, filter="data")
        name = short if named.startswith(short) else f"{named} ({short})"
        yield EarlierVersion(name, place / "src", place)


def _archive(repository: Path, commit: str) -> bytes:
    found = _git(repository, "archive", "--format=tar", commit, "src", "scripts")
    if found is None:
        raise NoVersion(f"the commit {commit} has no src and scripts")
    return found


def _git(repository: Path, *arguments: str) -> bytes | None:
    """What a command of git prints; None if it fails."""
    done = subprocess.run(["git", *arguments], cwd=repository, check=False, capture_output=True)
    return done.stdout if done.returncode == 0 else None
