"""The account that is meant when none is named, and the demo account of a sandbox."""

import dataclasses
from collections.abc import Iterator

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.accounts.use_cases.default_account import (
    DEMO_ACCOUNT,
    ensure_demo,
    resolve_account,
)
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import Settings, load_settings
from gatehouse.store.accounts import accounts as stored_accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations
from gatehouse.store.configured.account_signature import sign_account
from gatehouse.store.configured.configurations import RULES
from gatehouse.store.tables import CONFIGURATION_HEADS, CONFIGURATIONS, LISTS
from tests.harness import Home


@pytest.fixture
def settings(sqlite_home: Home) -> Settings:
    return load_settings(sqlite_home.environ())


@pytest.fixture
def session(settings: Settings) -> Iterator[AdminSession]:
    opened = open_admin_session(settings, Actor.system("test"))
    yield opened
    opened.database.dispose()


def new_account(session: AdminSession, name: str) -> str:
    return accounts.create(session, name, "USD").account.account_id


def test_the_demo_account_is_the_default_in_the_sandbox_only(
    session: AdminSession, settings: Settings
) -> None:
    with session.change() as change:
        stored_accounts.create(change, "Demo", "USD", DEMO_ACCOUNT)
        stored_accounts.create(change, "Shop", "USD")
    assert resolve_account(session, settings, None) == DEMO_ACCOUNT
    session.settings = dataclasses.replace(session.settings, environment="production")
    with pytest.raises(InvalidInput, match="there are 2 accounts"):
        resolve_account(session, settings, None)
    assert resolve_account(session, settings, DEMO_ACCOUNT) == DEMO_ACCOUNT


def test_the_account_is_the_named_one_the_only_one_or_the_demo(
    session: AdminSession, settings: Settings
) -> None:
    first = new_account(session, "First")
    assert resolve_account(session, settings, None) == first
    second = new_account(session, "Second")
    with pytest.raises(InvalidInput, match="there are 2 accounts; say which one with --account"):
        resolve_account(session, settings, None)
    assert resolve_account(session, settings, second) == second
    with pytest.raises(NotFound, match="no account"):
        resolve_account(session, settings, "acct_none")
    ensure_demo(session, settings)
    assert resolve_account(session, settings, None) == DEMO_ACCOUNT


def test_a_key_means_its_own_account_and_no_other(
    session: AdminSession, settings: Settings
) -> None:
    first, second = new_account(session, "First"), new_account(session, "Second")
    of_first = session.acting_as(Actor.key("key_1", first))
    assert resolve_account(of_first, settings, None) == first
    with pytest.raises(NotFound):
        resolve_account(of_first, settings, second)
    with pytest.raises(NotFound):
        ensure_demo(of_first, settings)


def test_without_an_account_the_sandbox_makes_the_demo_and_production_says_so(
    session: AdminSession, settings: Settings
) -> None:
    session.settings = dataclasses.replace(session.settings, environment="production")
    with pytest.raises(InvalidInput, match="accounts create"):
        resolve_account(session, settings, None)
    session.settings = dataclasses.replace(session.settings, environment="sandbox")
    assert resolve_account(session, settings, None) == DEMO_ACCOUNT


def test_an_account_without_rules_and_pipelines_gets_the_defaults(
    session: AdminSession, settings: Settings
) -> None:
    key = ensure_demo(session, settings)

    def clear() -> None:
        with session.change() as change:
            for table in (CONFIGURATIONS, CONFIGURATION_HEADS, LISTS):
                change.connection.execute(table.delete())
            sign_account(change, DEMO_ACCOUNT)
            change.audit("test")

    clear()
    assert ensure_demo(session, settings) == key
    with session.reading() as connection:
        assert configurations.names(connection, DEMO_ACCOUNT, RULES) == ["starter"]
    clear()
    made = accounts.seed_defaults(session, DEMO_ACCOUNT)
    assert {"rule set starter", "pipeline 1", "pipeline 2", "list blocked-bins"} <= set(made)
    assert accounts.seed_defaults(session, DEMO_ACCOUNT) == []
