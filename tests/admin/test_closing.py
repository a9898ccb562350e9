"""A closed account is at rest: nothing is charged to it, and everything of it can still be read."""

import asyncio

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import KeyRevocation, KeyRotation, NewKey
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.money.use_cases.money import LedgerSearch
from gatehouse.billing.ledger import EntryKind, Hold
from gatehouse.core.errors import (
    AccountClosed,
    ConfigurationRefused,
    Conflict,
    InvalidInput,
    NotFound,
)
from gatehouse.pipeline.settlement import Authorize, Authorized
from gatehouse.store.accounts.callers import CallerDirectory
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.signing import Signer
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.settlement import decide, wanted_by
from gatehouse.store.tables import ACCOUNTS, API_KEYS
from tests.harness import make_account


@pytest.fixture
def closed(session: AdminSession) -> str:
    """A closed account with ten dollars and a key."""
    account_id = make_account(session, micros=10_000_000)
    keys.issue(session, account_id, NewKey())
    accounts.close(session, account_id, "left us")
    return account_id


def _authorize(session: AdminSession, account_id: str) -> object:
    order = Authorize(Hold("req_1", account_id, 5, 60, "srv"), 0, None)
    batch = open_batch_session(session.database)
    try:
        (answer,), _ = decide([order], batch.load(wanted_by([order])))
        batch.abandon()
    finally:
        batch.close()
    return answer


def _key_hash(session: AdminSession, account_id: str) -> str:
    with session.reading() as connection:
        of_account = API_KEYS.c.account_id == account_id
        return str(connection.execute(sa.select(API_KEYS.c.hash).where(of_account)).scalar_one())


def test_nothing_begins_on_a_closed_account_until_it_is_open_again(
    session: AdminSession, closed: str
) -> None:
    (key,) = keys.list_keys(session, closed).keys
    for attempt in (
        lambda: keys.issue(session, closed, NewKey()),
        lambda: keys.rotate(session, closed, key.key_id, KeyRotation(0)),
        lambda: money.top_up(session, closed, 1, ""),
        lambda: accounts.close(session, closed, "twice"),
    ):
        with pytest.raises(AccountClosed, match="to use it again, reopen it"):
            attempt()
    assert isinstance(_authorize(session, closed), AccountClosed)
    opened = accounts.reopen(session, closed, "came back")
    assert (opened.account.closed_at_ms, opened.account.closed_reason) == (None, None)
    assert isinstance(_authorize(session, closed), Authorized)
    keys.rotate(session, closed, key.key_id, KeyRotation(0))
    with pytest.raises(Conflict, match="is not closed"):
        accounts.reopen(session, closed, "twice")


def test_what_is_left_on_a_closed_account_is_paid_out_and_the_books_stay(
    session: AdminSession, closed: str
) -> None:
    found = accounts.get(session, closed)
    assert found.account.closed_reason == "left us"
    assert found.state.available == 10_000_000
    assert money.adjust(session, closed, -10_000_000, "paid out").balance.balance.micros == 0
    lines = money.ledger_page(session, closed, LedgerSearch(10)).lines
    assert [line.entry.kind for line in lines] == [EntryKind.ADJUST, EntryKind.TOP_UP]
    [key] = keys.list_keys(session, closed).keys
    assert keys.revoke(session, closed, key.key_id, KeyRevocation("")).revoked_at
    assert money.verify_ledger(session).problems == []


@pytest.mark.parametrize("reason", ["", " \u200b", "x" * 501])
def test_an_account_is_closed_for_a_reason(sqlite_session: AdminSession, reason: str) -> None:
    account_id = make_account(sqlite_session)
    with pytest.raises(InvalidInput, match="give a reason of 1 to 500"):
        accounts.close(sqlite_session, account_id, reason)


def test_only_operators_close_and_reopen(sqlite_session: AdminSession) -> None:
    account_id = make_account(sqlite_session)
    own = sqlite_session.acting_as(Actor.key("key_1", account_id))
    for change in (accounts.close, accounts.reopen):
        with pytest.raises(NotFound, match="only for operators"):
            change(own, account_id, "mine")


def test_nobody_opens_a_closed_account_in_the_database(session: AdminSession, closed: str) -> None:
    hashed = _key_hash(session, closed)
    directory = CallerDirectory(session.database, session.signer, float)

    async def closed_at() -> int | None:
        caller = await directory.find(hashed)
        assert caller is not None
        return caller.account.closed_at_ms

    first = asyncio.run(closed_at())
    assert first is not None
    with session.database.writing() as connection:
        opened = ACCOUNTS.update().where(ACCOUNTS.c.id == closed).values(closed_at_ms=None)
        connection.execute(opened)
    directory._cached.clear()
    assert asyncio.run(closed_at()) == first, "the last good state counts"
    with pytest.raises(ConfigurationRefused):
        asyncio.run(CallerDirectory(session.database, session.signer, float).find(hashed))


def test_an_account_whose_signature_is_wrong_is_closed_when_the_database_says_so(
    session: AdminSession,
) -> None:
    account_id = make_account(session)
    keys.issue(session, account_id, NewKey())
    hashed = _key_hash(session, account_id)
    directory = CallerDirectory(session.database, session.signer, float)
    assert asyncio.run(directory.find(hashed)) is not None
    accounts.close(session, account_id, "left us")
    with session.database.writing() as connection:
        connection.execute(ACCOUNTS.update().values(fees='{"RULES": 0}'))
    directory._cached.clear()
    caller = asyncio.run(directory.find(hashed))
    assert caller is not None
    assert caller.account.closed_at_ms is not None


def test_accounts_that_were_signed_before_they_could_be_closed_stay_genuine() -> None:
    signer = Signer(bytes(32))
    columns = ("id", "name", "currency", "created_at_ms", "fees", "policies")
    row = dict.fromkeys(columns, "x")
    before = signer.sign_values("accounts", *row.values())
    assert signer.sign(ACCOUNTS, row | {"closed_at_ms": None, "closed_reason": None}) == before
    assert signer.sign(ACCOUNTS, row | {"closed_at_ms": 1, "closed_reason": "left"}) != before


def test_an_account_is_renamed(session: AdminSession) -> None:
    account_id = make_account(session, "Shop")
    assert accounts.rename(session, account_id, " Shop & Co ").account.name == "Shop & Co"
    assert accounts.get(session, account_id).account.name == "Shop & Co"
    with pytest.raises(InvalidInput, match="1 to 128"):
        accounts.rename(session, account_id, " ")
