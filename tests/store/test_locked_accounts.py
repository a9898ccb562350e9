"""An account that another transaction keeps locked is refused, and all others are answered."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from gatehouse.admin.money.use_cases.money import verify_ledger
from gatehouse.billing.ledger import Hold, Item
from gatehouse.core.errors import NotFound, StoreUnavailable
from gatehouse.pipeline.settlement import Authorize, Authorized, Close, Closed, DecisionRow
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests import batch_sql, locked_accounts
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.locked_accounts import LockedAccounts
from gatehouse.store.requests.writer import Writer
from tests.harness import Home, make_account

NOW = 1_700_000_000_000
SOON = {"GATEHOUSE_STORE_TIMEOUT_MS": "300"}


@pytest.fixture
def shared_home(tmp_path: Path, new_database: Callable[[], str]) -> Home:
    """A home on PostgreSQL, where nobody waits for long."""
    return Home(tmp_path / "home", new_database(), SOON)


@contextlib.contextmanager
def _locked(home: Home, statement: str, *values: str) -> Iterator[None]:
    with psycopg.connect(home.database_url) as other:
        other.execute(statement.encode(), values)
        yield


@contextlib.asynccontextmanager
async def _writer(session: AdminSession) -> AsyncIterator[Writer]:
    writer = Writer(partial(open_batch_session, session.database), threads=2)
    writer.start()
    yield writer
    await writer.stop()


def _authorize(account: str, name: str) -> Authorize:
    return Authorize(Hold(name, account, 30, NOW + 60_000, "srv"), NOW)


def _close(account: str, name: str) -> Close:
    row = DecisionRow(account, name, NOW, "precheck", None, None, '{"closedMicros":30}')
    return Close(account, name, NOW, [Item("PRECHECK", 30, True)], row)


async def _all(*answers: "asyncio.Future[Any]") -> list[object]:
    return list(await asyncio.gather(*answers, return_exceptions=True))


LOCK_ROW = "SELECT FROM accounts WHERE id = %s FOR UPDATE"


def test_only_the_orders_of_a_locked_account_are_refused(
    shared_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locked_accounts, "_AGAIN_S", 0.0)

    async def scenario(session: AdminSession, ours: str, other: str) -> None:
        async with _writer(session) as writer:
            for account in (ours, other):
                await writer.authorize(_authorize(account, f"{account}-1"))
            with _locked(shared_home, LOCK_ROW, ours):
                for number in range(2):
                    answers = await _all(
                        writer.close(_close(ours, f"{ours}-1")),
                        writer.authorize(_authorize(other, f"{other}-new-{number}")),
                        writer.authorize(_authorize(ours, f"{ours}-new-{number}")),
                        writer.close(_close(other, f"{other}-{1 if number == 0 else 'new-0'}")),
                        writer.authorize(_authorize("nobody", f"nobody-{number}")),
                    )
                    kinds = [type(answer) for answer in answers]
                    assert kinds == [
                        StoreUnavailable,
                        Authorized,
                        StoreUnavailable,
                        Closed,
                        NotFound,
                    ]
                    assert writer.commits
            again = await _all(
                writer.close(_close(ours, f"{ours}-1")),
                writer.authorize(_authorize(ours, f"{ours}-2")),
            )
            assert [type(answer) for answer in again] == [Closed, Authorized]

    with shared_home.session() as session:
        ours, other = (make_account(session, micros=1000) for _ in range(2))
        asyncio.run(scenario(session, ours, other))
        assert verify_ledger(session).problems == []
        with session.reading() as connection:
            left = [accounts.state(connection, account) for account in (ours, other)]
        assert [(state.balance, state.held) for state in left] == [(970, 30), (940, 30)]


def test_what_locks_more_than_an_account_is_told_as_before(shared_home: Home) -> None:
    async def scenario(session: AdminSession, account: str) -> None:
        async with _writer(session) as writer:
            with _locked(shared_home, "LOCK TABLE holds"):
                [answer] = await _all(writer.authorize(_authorize(account, "first")))
                assert isinstance(answer, StoreUnavailable)
                assert not writer.commits
            assert isinstance(await writer.authorize(_authorize(account, "second")), Authorized)
            assert writer.commits

    with shared_home.session() as session:
        asyncio.run(scenario(session, make_account(session, micros=1000)))


def test_an_account_that_is_not_there_is_not_taken_for_locked(
    shared_home: Home,
) -> None:
    with shared_home.session() as session:
        account = make_account(session)
        with contextlib.closing(open_batch_session(session.database)) as batches:
            with _locked(shared_home, LOCK_ROW, account):
                assert batches.locked_of([account, "nobody"]) == {account}
            assert batches.locked_of([account, "nobody"]) == set()


def test_a_locked_account_is_looked_at_now_and_then_until_it_is_free() -> None:
    now = 0.0
    looks: list[list[str]] = []
    held = {"a"}

    def look(accounts: list[str]) -> set[str]:
        looks.append(accounts)
        return held & set(accounts)

    locked = LockedAccounts(lambda: now)
    assert locked.find(["b", "a", "a"], look) == {"a"}
    assert locked.known(["a", "b"], look) == {"a"}
    assert looks == [["a", "b"]], "it was looked at a moment ago"
    now = locked_accounts._AGAIN_S
    assert locked.known(["b"], look) == set()
    assert locked.known(["a", "b"], look) == {"a"}
    assert looks[1:] == [["a"]]
    held.clear()
    now *= 2
    assert locked.known(["a"], look) == set()
    assert not locked


def test_a_writer_goes_on_when_it_cannot_look_which_accounts_are_locked(
    shared_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locked_accounts, "_AGAIN_S", 0.0)

    async def scenario(session: AdminSession, ours: str, other: str) -> None:
        async with _writer(session) as writer:
            with _locked(shared_home, LOCK_ROW, ours):
                [refused] = await _all(writer.authorize(_authorize(ours, "first")))
                assert isinstance(refused, StoreUnavailable)
            with monkeypatch.context() as patched:
                patched.setattr(batch_sql, "_POSTGRES_BUSY", b"SELECT FROM nowhere")
                # One is due to be looked at again; without a look, both are simply settled.
                answers = await _all(
                    writer.authorize(_authorize(ours, "second")),
                    writer.authorize(_authorize(other, "second-of-other")),
                )
            assert [type(answer) for answer in answers] == [Authorized, Authorized]
            assert writer.alive

    with shared_home.session() as session:
        ours, other = (make_account(session, micros=1000) for _ in range(2))
        asyncio.run(scenario(session, ours, other))
