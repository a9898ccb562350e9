"""Several server processes on one port: all answer, one that dies comes back, all stop together."""

import os
import re
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.harness import PATIENCE_S, Home, Server
from tests.harness.commands import fork_command
from tests.harness.samples import BODY
from tests.harness.server import free_port
from tests.harness.waiting import until

STARTED = re.compile(r'"a worker starts","number":(\d),"pid":(\d+)')


def _answers_by_worker(server: Server) -> Counter[str]:
    """How many requests each worker has answered, by the page that either of them shows."""
    page = httpx.get(f"{server.base}/metrics", timeout=PATIENCE_S).text
    line = r'gatehouse_requests_total{route="/api/v1/precheck",status="200",worker="(\d)"} (\d+)'
    return Counter({worker: int(count) for worker, count in re.findall(line, page)})


def test_workers_share_a_port_and_one_that_dies_is_started_again(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    home = Home(tmp_path / "home", new_database())
    account = home.account("100")
    key = home.key(account)
    port = free_port()
    with (home.path / "server.log").open("ab") as log:
        command = ("serve", "--port", str(port), "--workers", "2")
        server = Server(port, fork_command(command, home.environ(), log, log), home)
    try:
        server.wait()
        asked = _ask_until_both_answered(server, key)
        first = dict(STARTED.findall(server.log()))
        os.kill(int(first["2"]), signal.SIGKILL)
        until(lambda: dict(STARTED.findall(server.log()))["2"] != first["2"])
        # The port stays open: the other one answers meanwhile.
        asked += _ask_until_both_answered(server, key)
        assert '"a worker ended","number":2,"exitCode":-9' in server.log()
        assert '"message":"request","worker":2}' in server.log()
    finally:
        code = server.stop()
    assert code == 0
    verified = home.ok("ledger", "verify").out
    assert f"requests  {asked}: {asked} closed, 0 open" in verified


def _ask_until_both_answered(server: Server, key: str) -> int:
    """Ask until both workers count answers on one page; returns how many requests that took."""
    asked = 0

    def ask() -> bool:
        nonlocal asked
        asked += 1
        # A connection of its own, which whoever is free accepts.
        with server.client(key) as client:
            assert client.post("/api/v1/precheck", json=BODY).status_code == 200
        return _answers_by_worker(server).keys() == {"1", "2"}

    until(ask)
    return asked


def test_a_sqlite_file_is_not_served_by_several(sqlite_home: Home) -> None:
    refused = sqlite_home.run("serve", "--workers", "2")
    assert refused.code == 2
    assert "2 workers need PostgreSQL" in refused.err
    assert "--workers 1" in refused.err
