"""A sandbox server for the tests of a module, and clients of it."""

from collections.abc import Iterator

import pytest
from tests.conftest import shared
from tests.harness import Server
from tests.web.merchant import Merchant

from gatehouse_client import Gatehouse

__all__ = ["shared"]


@pytest.fixture(scope="module")
def merchant(shared: Server) -> Merchant:
    """An account with 7 USD."""
    with shared.home.session() as session:
        return Merchant(session)


@pytest.fixture(scope="module")
def client(shared: Server, merchant: Merchant) -> Iterator[Gatehouse]:
    """Calls the shared server as that merchant."""
    with Gatehouse(merchant.key, shared.base) as one:
        yield one
