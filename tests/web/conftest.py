"""What tests of one server share: its data, a shop of its own, and the shop's client."""

from collections.abc import Iterator

import httpx
import pytest

from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Server
from tests.web.shop import Shop


@pytest.fixture(scope="module")
def office(shared: Server) -> Iterator[AdminSession]:
    """The data of the shared server."""
    with shared.home.office() as opened:
        yield opened


@pytest.fixture(scope="module")
def shop(office: AdminSession) -> Shop:
    """A shop for the tests of a module."""
    return Shop(office)


@pytest.fixture(scope="module")
def client(shared: Server, shop: Shop) -> Iterator[httpx.Client]:
    """Calls the shared server as that shop."""
    with shared.client(shop.key) as one:
        yield one
