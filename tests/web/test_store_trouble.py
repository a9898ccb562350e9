"""When the database is away, callers are told so, and nothing is lost when it is back."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import psycopg

from tests.harness import Home, precheck, sandbox_key, until


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
