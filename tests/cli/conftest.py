"""Commands that run in this process, at a home of their own."""

from collections.abc import Iterator

import pytest

from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Home, make_account


@pytest.fixture
def session(sqlite_home: Home, sqlite_session: AdminSession) -> Iterator[AdminSession]:
    """The data of the home at which the commands of a test work."""
    with sqlite_home.current():
        yield sqlite_session


@pytest.fixture
def account(session: AdminSession) -> str:
    """An account of it, so that no test works at the home of whoever runs it."""
    return make_account(session)
