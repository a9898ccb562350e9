"""What tests of one server share: its data, a merchant of its own, and the merchant's client."""

from collections.abc import Iterator

import httpx
import pytest

from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Server
from tests.web.merchant import Merchant


@pytest.fixture(scope="module")
def session(shared: Server) -> Iterator[AdminSession]:
    """The data of the shared server."""
    with shared.home.session() as opened:
        yield opened


@pytest.fixture(scope="module")
def merchant(session: AdminSession) -> Merchant:
    """A merchant for the tests of a module."""
    return Merchant(session)


@pytest.fixture(scope="module")
def client(shared: Server, merchant: Merchant) -> Iterator[httpx.Client]:
    """Calls the shared server as that merchant."""
    with shared.client(merchant.key) as one:
        yield one
