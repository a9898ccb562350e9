"""A folder in which the commands of a page can be run."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness import Home, Server


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[Path, Server]]:
    """A folder that looks like a checkout after `make run`, with its server."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    assert (tmp_path / ".venv/bin/gatehouse").exists(), "gatehouse is not installed: make setup"
    with Home(tmp_path / ".gatehouse").server() as server:
        yield tmp_path, server
