"""A folder in which the commands of a page can be run."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.processor import Processor, running_processor
from tests.docs.walk import checkout
from tests.harness import Server


@pytest.fixture
def checkout_at(tmp_path: Path) -> Iterator[tuple[Path, Server]]:
    """A folder that looks like a checkout after `make run`, with its server."""
    with checkout(tmp_path) as server:
        yield tmp_path, server


@pytest.fixture
def installed_checkout_at(tmp_path: Path) -> Iterator[tuple[Path, Server]]:
    """The same with the command as it is installed, which starts Python every time."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    assert (tmp_path / ".venv/bin/gatehouse").exists(), "gatehouse is not installed: make setup"
    with checkout(tmp_path) as server:
        yield tmp_path, server


@pytest.fixture
def processor() -> Iterator[Processor]:
    """A payment processor on this machine."""
    with running_processor() as server:
        yield server
