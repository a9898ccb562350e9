"""The hosts that the tests of a module share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.connectors.reference_host.hosts import HostThread, host_thread


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the host of the module writes its journal."""
    return tmp_path_factory.mktemp("host") / "journal.jsonl"


@pytest.fixture(scope="module")
def host(journal: Path) -> Iterator[HostThread]:
    """A host that behaves."""
    with host_thread(journal_file=journal) as running:
        yield running
