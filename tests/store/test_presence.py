"""Servers on one PostgreSQL database hear of changes at once, and of each other's death."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from gatehouse.billing.ledger import Hold
from gatehouse.pipeline.engine import Engine, EngineOptions
from gatehouse.pipeline.settlement import Authorize, Authorized
from gatehouse.store import presence as saying
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.notices import ChangeNotice, notify
from gatehouse.store.presence import Presence
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.sweeper import Sweeper
from gatehouse.store.requests.writer import Writer
from gatehouse.store.servers import row_name, servers_seen
from tests.harness import Home, make_account
from tests.harness.waiting import PATIENCE_S
from tests.pipeline.test_engine import MASKER, PlayStage, nothing, order


@pytest.fixture
def shared_home(tmp_path: Path, new_database: Callable[[], str]) -> Home:
    """A home on PostgreSQL."""
    return Home(tmp_path / "home", new_database())


async def _next(heard: "asyncio.Queue[ChangeNotice | None]") -> ChangeNotice | None:
    return await asyncio.wait_for(heard.get(), PATIENCE_S)


def _say(session: AdminSession, notice: ChangeNotice) -> None:
    with session.database.writing() as connection:
        notify(connection, notice)


def test_a_server_hears_of_each_kind_of_change_and_again_after_its_connection_was_cut(
    shared_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saying, "_AGAIN_S", 0.01)
    cut = sa.text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE query LIKE '%INSERT INTO state%' AND datname = current_database() "
        "AND pid <> pg_backend_pid()"
    )

    async def scenario(session: AdminSession) -> None:
        heard: asyncio.Queue[ChangeNotice | None] = asyncio.Queue()
        present = Presence(session.database, "srv_a", heard.put_nowait)
        present.start()
        assert await _next(heard) is None
        for notice in ChangeNotice:
            await asyncio.to_thread(_say, session, notice)
            assert await _next(heard) is notice
        with session.database.writing() as connection:
            connection.execute(cut)
        # What was said meanwhile is lost, so that it looks at everything.
        assert await _next(heard) is None
        await asyncio.to_thread(_say, session, ChangeNotice.LABELS)
        assert await _next(heard) is ChangeNotice.LABELS
        with session.reading() as connection:
            assert [(each.owner, each.lives) for each in servers_seen(connection)] == [
                ("srv_a", True)
            ]
        await present.stop()
        with session.reading() as connection:
            assert servers_seen(connection) == []

    with shared_home.session() as session:
        asyncio.run(scenario(session))


def _silence(session: AdminSession, owner: str, for_ms: int) -> None:
    """Let a server be silent for so long."""
    said = sa.text(
        "INSERT INTO state (name, value) VALUES (:name, '0018 ' || "
        "((extract(epoch FROM clock_timestamp()) * 1000)::bigint - :ms)) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    )
    with session.database.writing() as connection:
        connection.execute(said, {"name": row_name(owner), "ms": for_ms})


def test_what_a_silent_server_held_is_released_at_the_second_look_and_nobody_elses(
    shared_home: Home,
) -> None:
    async def scenario(session: AdminSession) -> None:
        account = make_account(session, micros=1000)
        writer = Writer(partial(open_batch_session, session.database))
        writer.start()
        now_ms = session.clock()
        for owner in ("srv_dead", "srv_live", "srv_unknown"):
            hold = Hold(f"req_{owner}", account, 30, now_ms + 600_000, owner, None, None)
            assert isinstance(await writer.authorize(Authorize(hold, now_ms)), Authorized)
        sweeper = Sweeper(session.database, writer, session.clock, None)
        _silence(session, "srv_live", 0)
        _silence(session, "srv_dead", 60_000)
        assert await sweeper.release_of_dead() == 0
        _silence(session, "srv_live", 0)
        assert await sweeper.release_of_dead() == 1
        with session.reading() as connection:
            assert accounts.state(connection, account).held == 60
            assert [each.owner for each in servers_seen(connection)] == ["srv_live"]
        await writer.stop()

    with shared_home.session() as session:
        asyncio.run(scenario(session))


async def _stop_in_the_middle_of_an_authorization(
    session: AdminSession, owner: str, account: str
) -> None:
    """Let a server be stopped that breaks off a request while its account is locked."""
    heard: asyncio.Queue[ChangeNotice | None] = asyncio.Queue()
    present = Presence(session.database, owner, heard.put_nowait)
    writer = Writer(partial(open_batch_session, session.database))
    writer.start()
    present.start()
    assert await _next(heard) is None
    options = EngineOptions(owner=owner, authorization_ttl_ms=120_000, guess_limit=0)
    engine = Engine(writer, MASKER, session.clock, time.perf_counter, options)
    locking = sa.text("SELECT FROM accounts WHERE id = :id FOR UPDATE")
    with session.database.writing() as connection:
        connection.execute(locking, {"id": account})
        wanted = order(PlayStage("PRECHECK", nothing), account_id=account)
        task = asyncio.create_task(engine.process(wanted))
        while not writer.under_way_s:  # noqa: ASYNC110  # nobody tells when
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await writer.stop()
    await present.stop()


def test_what_a_stopped_server_left_held_is_released_by_another(shared_home: Home) -> None:
    async def scenario(session: AdminSession) -> None:
        account = make_account(session, micros=100_000)
        await _stop_in_the_middle_of_an_authorization(session, "srv_stopped", account)
        with session.reading() as connection:
            assert accounts.state(connection, account).held == 50_000
        writer = Writer(partial(open_batch_session, session.database))
        writer.start()
        sweeper = Sweeper(session.database, writer, session.clock, None)
        with session.reading() as connection:
            assert [each.owner for each in servers_seen(connection)] == ["srv_stopped"]
        _silence(session, "srv_stopped", 60_000)
        assert await sweeper.release_of_dead() == 0
        assert await sweeper.release_of_dead() == 1
        with session.reading() as connection:
            assert accounts.state(connection, account).held == 0
            assert servers_seen(connection) == []
        await writer.stop()

    with shared_home.session() as session:
        asyncio.run(scenario(session))
