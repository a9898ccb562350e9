"""A server that is killed while a stored card is charged, and two servers at once: one charge."""

from pathlib import Path
from typing import Any

from tests.connectors.reference_host.hosts import CARD, TOKEN, HostThread, host_thread
from tests.harness import Home, Server, until

_PATH = "/api/v1/manage/auto-top-up"
_FILE = """
connectors:
  cards:
    kind: http
    mapping: gatehouse
    base_url: http://127.0.0.1:{port}
    timeout_ms: 10000
    secrets: {{token: "file:{token}"}}
routes: {{gateway: [{{use: [cards]}}]}}
"""
_SLOW_MS = 8000
"""Longer than it takes to kill a server that waits for the answer."""


def _store_card(home: Home, host: HostThread, account: str) -> None:
    ask = ("top-ups", "create", "--amount-minor", "1000", "--store-card")
    made: dict[str, Any] = home.ok(*ask, "--account", account, "--json").json
    show = ("top-ups", "show", made["topUpId"], "--account", account, "--json")
    shown = until(lambda: home.ok(*show).json, lambda one: bool(one["url"]))
    paid = {"cardNumber": CARD, "do": "pay"}
    assert host.client.post(shown["url"], data=paid).status_code == 200
    until(lambda: home.ok(*show).json["state"], lambda state: state == "PAID")


def _set(server: Server, key: str) -> None:
    wanted = {"enabled": True, "floorMinor": 2000, "amountMinor": 5000, "monthlyLimitMinor": 5000}
    with server.client(key) as client:
        answer = client.put(_PATH, json=wanted)
        assert answer.status_code == 200, answer.text
        assert answer.json()["autoTopUpResponse"]["enabled"]


def test_a_killed_server_charges_a_card_once(home: Home, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(TOKEN)
    home.settings |= {"GATEHOUSE_TOP_UP_CONNECTOR": "cards"}
    with host_thread() as host:
        file = tmp_path / "connectors.yaml"
        file.write_text(_FILE.format(port=host.running.http_port, token=token))
        home.ok("connectors", "apply", str(file))
        account = home.account("0")
        moving = ("--scope", "manage:billing", "--scope", "manage:payments")
        key, stranger = home.key(account, *moving), home.key(home.account("0"), *moving)
        weak, looking = home.key(account, "--scope", "precheck"), home.key(account, *moving[:2])
        with home.server() as server:
            _store_card(home, host, account)
            with server.client(weak) as client:
                assert client.get(_PATH).status_code == 403
            with server.client(looking) as client:
                assert client.delete(f"{_PATH}/card").status_code == 403
            with server.client(stranger) as client:
                shown = client.get(_PATH).json()["autoTopUpResponse"]
                assert (shown["enabled"], shown["cardStoredAt"]) == (False, None)
                assert client.delete(f"{_PATH}/card").status_code == 409
            before = host.summary()["authorizations"]
            with host.misbehaving("slow", slow_ms=_SLOW_MS):
                _set(server, key)
                until(lambda: host.summary()["authorizations"], lambda count: count == before + 1)
                server.kill()
        # Two servers go on where several can run: the claim of the dead one ends within a minute.
        others = [home.start() for _ in range(2 if home.database_url else 1)]
        try:
            listing = ("top-ups", "list", "--account", account, "--json")
            until(
                lambda: [one["state"] for one in home.ok(*listing).json["topUps"]],
                lambda states: states == ["PAID", "PAID"],
            )
        finally:
            for each in others:
                each.stop()
        summary = host.summary()
    assert summary["authorizations"] == before + 1
    assert float(home.balance(account)) == 60
    assert home.ok("ledger", "verify", "--json").json["problems"] == []
