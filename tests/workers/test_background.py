"""The process beside a server: it delivers, is seen and started again, and ends with its server."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from scripts.webhook_parties import PLAIN, Receiver

from tests.harness import BODY, Home, Server
from tests.harness.commands import fork_command
from tests.harness.server import free_port
from tests.harness.waiting import PATIENCE_S, until

BESIDE = {"GATEHOUSE_BACKGROUND": "beside"}
STARTED = re.compile(r'"the background process starts".*?"pid":(\d+)')


@pytest.fixture
def server(home: Home) -> Iterator[Server]:
    with home.server(**BESIDE) as started:
        yield started


def _metrics(server: Server) -> dict[str, float]:
    page = httpx.get(f"{server.base}/metrics", timeout=PATIENCE_S).text
    lines = [line.rpartition(" ") for line in page.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def _pids(server: Server) -> list[int]:
    return [int(pid) for pid in STARTED.findall(server.log())]


def _runs(pid: int) -> bool:
    return bool(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)


def _works(server: Server) -> bool:
    """Whether the process has told its server of its tasks."""
    return 'gatehouse_tasks_died_total{task="webhooks"}' in _metrics(server)


def test_messages_are_sent_beside_the_server_which_shows_their_metrics(
    home: Home, server: Server
) -> None:
    account, receiver = home.account("100"), Receiver()
    until(lambda: _works(server))
    with receiver.running(), server.client(home.key(account)) as client:
        url = f"http://127.0.0.1:{receiver.port}{PLAIN}"
        home.ok("webhooks", "create", url, "--event", "decision.made", "--account", account)

        def is_told() -> list[str]:
            assert client.post("/api/v1/precheck", json=BODY).status_code == 200
            return receiver.accepted[PLAIN]

        until(is_told)
        sent = (
            'gatehouse_connector_calls_total{call="send",connector="webhooks",outcome="answered"}'
        )
        until(lambda: _metrics(server).get(sent, 0.0))
    counted = _metrics(server)
    assert counted['gatehouse_connector_seconds_count{call="send",connector="webhooks"}'] > 0
    assert counted["gatehouse_reviews_open"] == 0
    assert counted["gatehouse_webhooks_failing"] == 0


def test_a_process_that_dies_is_missed_and_started_again(server: Server) -> None:
    until(lambda: _works(server))
    [first] = _pids(server)
    os.kill(first, signal.SIGKILL)
    until(lambda: len(_pids(server)) == 2)
    until(lambda: _works(server))
    told = httpx.get(f"{server.base}/readyz", timeout=PATIENCE_S)
    assert (told.status_code, told.json()["tasks"]["degraded"]) == (200, ["background"])
    assert _metrics(server)['gatehouse_tasks_died_total{task="background"}'] == 1
    assert f'"the background process ended","pid":{first},"exitCode":-9' in server.log()


def test_a_signal_for_all_processes_of_a_service_does_not_end_it_before_its_server(
    server: Server,
) -> None:
    until(lambda: _works(server))
    [pid] = _pids(server)
    os.kill(pid, signal.SIGTERM)
    os.kill(pid, signal.SIGINT)
    assert server.stop() == 0
    assert not _runs(pid)
    assert "the background process ended" not in server.log()


def test_it_ends_with_a_server_that_is_killed_and_the_next_one_goes_on(home: Home) -> None:
    server = home.start(BESIDE)
    until(lambda: _works(server))
    [first] = _pids(server)
    server.kill()
    until(lambda: not _runs(first))
    with home.server(**BESIDE) as following:
        until(lambda: _works(following))


def test_a_server_that_stops_before_it_works_does_not_wait_for_it(home: Home) -> None:
    with home.server(**BESIDE) as server:
        until(lambda: _pids(server))
    [pid] = _pids(server)
    assert not _runs(pid)


def test_several_workers_have_one(tmp_path: Path, new_database: Callable[[], str]) -> None:
    home = Home(tmp_path / "home", new_database(), settings=BESIDE)
    home.account("100")
    port = free_port()
    with (home.path / "server.log").open("ab") as log:
        command = ("serve", "--port", str(port), "--workers", "2")
        server = Server(port, fork_command(command, home.environ(), log, log), home)
    try:
        server.wait()
        until(lambda: _metrics(server), _tells_of_both)
        [pid] = _pids(server)
    finally:
        assert server.stop() == 0
    assert not _runs(pid)
    assert len(_pids(server)) == 1


def _tells_of_both(found: dict[str, float]) -> bool:
    """Whether both workers are ready, and the first has heard of the process."""
    ready = {f'gatehouse_ready{{worker="{number}"}}' for number in (1, 2)}
    return ready <= found.keys() and 'gatehouse_reviews_open{worker="1"}' in found
