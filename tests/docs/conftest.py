"""A folder in which the commands of a page can be run."""

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
def processor() -> Iterator[Processor]:
    """A payment processor on this machine."""
    with running_processor() as server:
        yield server
