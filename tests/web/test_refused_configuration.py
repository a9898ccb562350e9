"""A real server whose database was changed by somebody else."""

import json
import sqlite3

import httpx

from tests.harness import Home, Server, rules, sandbox_key, until

_ATTACK = json.dumps(
    {
        "name": "starter",
        "description": "",
        "inputs": {},
        "rules": [
            {
                "name": "a",
                "outcome": "ACCEPT",
                "condition": {
                    "text": "x",
                    "signals": [],
                    "root": {
                        "is": "call",
                        "function": "__import__('os').abort() or abs",
                        "arguments": [{"is": "literal", "value": 1.0}],
                        "type": "number",
                    },
                },
            }
        ],
    }
)


_PROGRAM = "SELECT program FROM configurations WHERE kind = 'rules' AND account_id = 'acct_demo'"


def _refused(server: Server) -> int:
    found: int = httpx.get(f"{server.base}/readyz").json()["configuration"]["refusedAccounts"]
    return found


def test_a_program_changed_in_the_database_is_refused_until_an_operator_puts_it_right(
    sqlite_home: Home,
) -> None:
    with sqlite_home.server() as server:
        key = sandbox_key(sqlite_home)
        with server.client(key) as client:
            assert rules(client).json()["isSuccess"]
        with sqlite3.connect(sqlite_home.path / "sandbox.db") as database:
            [(right,)] = database.execute(_PROGRAM).fetchall()
            database.execute(
                "UPDATE configurations SET program = ? WHERE kind = 'rules'", [_ATTACK]
            )
            database.execute("UPDATE configuration_heads SET changes = changes + 1")
            database.execute("UPDATE state SET value = value + 1 WHERE name = 'revision'")
        until(lambda: _refused(server) == 1)
        with server.client(key) as client:
            # The rules that were loaded before decide.
            assert rules(client).json()["isSuccess"]
        assert "a changed configuration is refused" in server.log()
    with sqlite_home.server() as server:
        with server.client(key) as client:
            answer = client.post("/api/v1/rules", json={"amount": 1, "currency": "USD"})
        assert answer.status_code == 503
        assert answer.json()["errors"]["code"] == "configuration_refused"
        doctor = sqlite_home.run("doctor")
        assert "sign-configuration --account acct_demo" in doctor.out
        signed = sqlite_home.run("secrets", "sign-configuration", "--account", "acct_demo", "--yes")
        assert "rows signed" in signed.out
        # Even a signed program cannot name a function that is not of the language.
        until(lambda: "cannot be read by this version" in server.log())
        assert _refused(server) == 1
        with sqlite3.connect(sqlite_home.path / "sandbox.db") as database:
            database.execute("UPDATE configurations SET program = ? WHERE kind = 'rules'", [right])
        sqlite_home.ok("secrets", "sign-configuration", "--account", "acct_demo", "--yes")
        until(lambda: _refused(server) == 0)
        with server.client(key) as client:
            assert rules(client).json()["isSuccess"]
