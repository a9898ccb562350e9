"""When the database is away, callers are told so, and nothing is lost when it is back."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pytest

from gatehouse.core.errors import StoreUnavailable
from gatehouse.store.requests.batch_sql import SqliteBatchSession
from gatehouse.store.requests.settlement import Changes
from gatehouse.workers import due_work
from tests.databases import read_only
from tests.harness import BODY, Home, precheck, sandbox_key, until
from tests.harness.service import serving

FEE = 0.05
"""Of a Precheck."""


def test_lost_connections_are_made_anew(tmp_path: Path, new_database: Callable[[], str]) -> None:
    url = new_database()
    home = Home(tmp_path / "home", url)
    with home.server() as server, server.client(sandbox_key(home)) as client:
        assert precheck(client).status_code == 200
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        statuses: list[int] = []

        def ask() -> list[int]:
            statuses.append(precheck(client).status_code)
            return statuses

        until(ask, lambda seen: seen[-3:] == [200, 200, 200])
        assert set(statuses) <= {200, 503}
        assert client.get("/readyz").status_code == 200
        paid = 1 + statuses.count(200)
    assert home.ok("ledger", "verify", "--json").json["problems"] == []
    closes = home.ok("ledger", "show", "acct_demo", "--json").json["entries"]
    assert [e["kind"] for e in closes].count("CLOSE") == paid


def test_a_locked_account_is_refused_while_all_others_are_served(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    """A process that was stopped in the middle of a top-up locks the row of an account."""
    home = Home(tmp_path / "home", new_database())
    locked, other = (home.account("10") for _ in range(2))
    with (
        home.server(GATEHOUSE_STORE_TIMEOUT_MS="300") as server,
        server.client(home.key(locked)) as refused,
        server.client(home.key(other)) as served,
        ThreadPoolExecutor(8) as threads,
    ):
        with psycopg.connect(home.database_url) as connection:
            connection.execute("SELECT FROM accounts WHERE id = %s FOR UPDATE", [locked])
            of_locked, of_others = (
                [threads.submit(precheck, client) for _ in range(4)] for client in (refused, served)
            )
            for answer in (each.result() for each in of_locked):
                assert answer.status_code == 503
                assert answer.json()["errors"]["code"] == "store_unavailable"
                assert answer.headers["retry-after"] == "1"
            assert {each.result().status_code for each in of_others} == {200}
            assert precheck(served).status_code == 200
            assert served.get("/readyz").status_code == 200
        until(lambda: precheck(refused), lambda answer: answer.status_code == 200)
    assert server.log().count("another transaction locks an account") == 1
    assert home.ok("ledger", "verify", "--json").json["problems"] == []
    assert float(home.balance(other)) == 10 - 5 * FEE
    assert float(home.balance(locked)) == 10 - FEE


def test_a_database_that_takes_no_changes_gives_503_and_is_written_to_afterwards(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    """As while a standby takes over."""
    home = Home(tmp_path / "home", new_database())
    key = home.key(home.account(), "--scope", "manage:lists")
    with home.server() as server, server.client(key) as client:

        def make_list() -> httpx.Response:
            wanted = {"name": "words", "kind": "words"}
            return client.post("/api/v1/manage/lists", json=wanted)

        with read_only(home.database_url):
            # The first may be refused because its connection was cut.
            refused = [make_list() for _ in range(4)]
        until(make_list, lambda answer: answer.json()["isSuccess"])
    assert {each.status_code for each in refused} == {503}
    assert {each.json()["errors"]["code"] for each in refused} == {"store_unavailable"}


def test_a_locked_database_gives_503_and_the_server_goes_on(sqlite_home: Home) -> None:
    with sqlite_home.server(GATEHOUSE_STORE_TIMEOUT_MS="200") as server:
        with server.client(sandbox_key(sqlite_home)) as client:
            assert precheck(client).status_code == 200
            lock = sqlite3.connect(sqlite_home.path / "sandbox.db", isolation_level=None)
            lock.execute("BEGIN IMMEDIATE")
            late = precheck(client)
            away = client.get("/readyz")
            lock.execute("ROLLBACK")
            lock.close()
            # The server finds out by itself: no request comes to one that is not ready.
            back = until(lambda: client.get("/readyz"), lambda answer: answer.status_code == 200)
            after = precheck(client)
    assert away.status_code == 503
    assert away.json()["checks"]["commits"] is False
    assert away.json()["checks"]["store"] is True
    assert back.json()["checks"]["commits"] is True
    assert late.status_code == 503
    assert late.json()["errors"]["code"] == "store_unavailable"
    assert late.headers["retry-after"] == "1"
    assert after.json()["billing"]["remainingBalance"]["amount"] == 99.9
    assert sqlite_home.ok("ledger", "verify", "--json").json["problems"] == []


def _lose_answers_of_authorizations(monkeypatch: pytest.MonkeyPatch) -> None:
    save = SqliteBatchSession.save

    def save_and_lose(opened: SqliteBatchSession, changes: Changes, *, flush: bool = True) -> None:
        save(opened, changes, flush=flush)
        if changes.holds_added:
            raise StoreUnavailable("the connection was lost")

    monkeypatch.setattr(SqliteBatchSession, "save", save_and_lose)


def test_a_server_gives_back_what_its_own_failed_requests_hold(
    sqlite_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due_work, "_SWEEP_S", 36_000.0)
    account = sqlite_home.account("10")
    headers = {"X-API-KEY": sqlite_home.key(account), "Idempotency-Key": "order-1"}

    async def scenario() -> None:
        async with serving(sqlite_home) as service:
            transport = httpx.ASGITransport(service.application, client=("127.0.0.1", 1))
            async with httpx.AsyncClient(
                transport=transport, base_url="http://test", headers=headers
            ) as client:
                with monkeypatch.context() as losing:
                    _lose_answers_of_authorizations(losing)
                    lost = await client.post("/api/v1/precheck", json=BODY)
                assert lost.json()["errors"]["code"] == "store_unavailable"
                held = await client.post("/api/v1/precheck", json=BODY)
                assert held.json()["errors"]["code"] == "idempotency_in_flight"
                looks = [await service.sweeper.release_of_ended() for _ in range(2)]
                assert looks == [0, 1]
                assert (await client.post("/api/v1/precheck", json=BODY)).status_code == 200

    asyncio.run(scenario())
    assert sqlite_home.ok("ledger", "verify", "--json").json["problems"] == []
    assert float(sqlite_home.balance(account)) == 10 - FEE
