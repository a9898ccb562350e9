"""What all commands share: the account that they are about."""

from pathlib import Path

import pytest

from gatehouse.access.actors import Actor
from gatehouse.cli.common import resolve_account
from gatehouse.core.errors import InvalidInput
from gatehouse.installation import DEMO_ACCOUNT, open_admin_session
from gatehouse.settings import load_settings
from gatehouse.store.accounts import accounts
from tests.harness import Home


def test_the_demo_account_is_the_default_in_the_sandbox_only(tmp_path: Path) -> None:
    office = open_admin_session(
        load_settings(Home(tmp_path / "home").environ()), Actor.system("test")
    )
    with office.change() as change:
        accounts.create(change, "Demo", "USD", DEMO_ACCOUNT)
        accounts.create(change, "Shop", "USD")
    assert resolve_account(office, None) == DEMO_ACCOUNT
    office.environment = "production"
    with pytest.raises(InvalidInput, match="there are 2 accounts"):
        resolve_account(office, None)
    assert resolve_account(office, DEMO_ACCOUNT) == DEMO_ACCOUNT
    office.database.dispose()
