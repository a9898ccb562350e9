"""The programs that check the files in deploy/, installed once by their locks."""

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.harness import PATIENCE_S
from tests.installed_programs import ROOT, built, pip_programs, run

_LOCKS: Final = ROOT / "requirements"
_LIBRARY: Final = "helm_sdkpy/_lib/linux-amd64/libhelm_sdkpy.so"
_FROM_CHART: Final = 'message="'


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder of the programs in the lock."""
    return pip_programs("deploy", _LOCKS / "deploy.lock")


@pytest.fixture(scope="session")
def helm(tools: Path) -> Callable[[Path], "Linted"]:
    """Helm's own linter, which renders the templates of a chart."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("HELM IS MISSING for this machine: the chart was not rendered")
    with built("helm", (_LOCKS / "helm.lock").read_bytes()) as (wanted, filled):
        if not filled:
            install = "install --no-compile --quiet --disable-pip-version-check --no-deps"
            more = "--require-hashes --ignore-requires-python --target"
            words = [*install.split(), *more.split(), str(wanted / "packages")]
            run([sys.executable, "-m", "pip", *words, "-r", _LOCKS / "helm.lock"], wanted)

    def lint(chart: Path) -> Linted:
        program = Path(__file__).with_name("lint_chart.py")
        done = subprocess.run(
            [sys.executable, program, wanted / "packages" / _LIBRARY, chart],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
        return Linted(json.loads(done.stdout), done.stderr)

    return lint


class Linted:
    """What Helm's linter found, and what `fail` and `required` said meanwhile."""

    def __init__(self, found: dict[str, Any], log: str) -> None:
        self.errors = [str(one) for one in found["Errors"] or []]
        self.said = [
            json.loads(f'"{line.split(_FROM_CHART, 1)[1]}')
            for line in log.splitlines()
            if _FROM_CHART in line
        ]


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    """A copy of the chart that a test can change."""
    return copy_chart(tmp_path)


def copy_chart(folder: Path) -> Path:
    # The chart has links to the alerts, which Helm follows.
    shutil.copytree(ROOT / "deploy/prometheus", folder / "deploy/prometheus")
    wanted = folder / "deploy/helm/gatehouse"
    return shutil.copytree(ROOT / "deploy/helm/gatehouse", wanted, symlinks=True)
