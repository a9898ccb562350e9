"""What tests of the store share."""

import pytest

from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import make_account


@pytest.fixture
def account(session: AdminSession) -> str:
    """An account without money, once on each database."""
    return make_account(session)
