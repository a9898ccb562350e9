"""The shop of these tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gatehouse.store.admin.admin_session import AdminSession
from tests.figures.shops import Shop


@pytest.fixture
def shop(sqlite_session: AdminSession, tmp_path: Path) -> Iterator[Shop]:
    """A shop on the embedded database."""
    made = Shop(sqlite_session, tmp_path / "copies")
    yield made
    made.copies.close()


@pytest.fixture
def any_shop(session: AdminSession, tmp_path: Path) -> Iterator[Shop]:
    """A shop, once on each database."""
    made = Shop(session, tmp_path / "copies")
    yield made
    made.copies.close()
