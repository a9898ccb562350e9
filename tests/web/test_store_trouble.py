"""When the database is away, callers are told so, and nothing is lost when it is back."""

import sqlite3

from tests.harness import Home, precheck, sandbox_key


def test_a_locked_database_gives_503_and_the_server_goes_on(sqlite_home: Home) -> None:
    with sqlite_home.server(GATEHOUSE_STORE_TIMEOUT_MS="200") as server:
        with server.client(sandbox_key(sqlite_home)) as client:
            assert precheck(client).status_code == 200
            lock = sqlite3.connect(sqlite_home.path / "sandbox.db", isolation_level=None)
            lock.execute("BEGIN IMMEDIATE")
            late = precheck(client)
            lock.execute("ROLLBACK")
            lock.close()
            after = precheck(client)
    assert late.status_code == 503
    assert late.json()["errors"]["code"] == "store_unavailable"
    assert late.headers["retry-after"] == "1"
    assert after.json()["billing"]["remainingBalance"]["amount"] == 99.9
    assert sqlite_home.ok("ledger", "verify", "--json").json["problems"] == []
