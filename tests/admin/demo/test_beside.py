"""The past is filled beside a server: the first request does not wait, the memory has all of it."""

import asyncio
from typing import Final

import httpx

from gatehouse.admin.demo.fill import DemoPast, DemoWish, begin_demo, fill_demo, prepare_demo
from gatehouse.bootstrap import Service
from gatehouse.settings import load_settings
from tests.harness import Home, Server, free_port, sandbox_key
from tests.harness.commands import fork_command
from tests.harness.samples import BODY, PURCHASE
from tests.harness.service import serving
from tests.harness.waiting import until

SMALL: Final = DemoWish(decisions=100)


def begun(home: Home) -> str:
    """A home whose past has begun, with few decisions; the key of its demo account."""
    with home.session() as session:
        key = prepare_demo(session, load_settings(home.environ()))
        assert begin_demo(session, SMALL) is DemoPast.BEGUN
    return key


def test_a_first_request_is_answered_before_there_is_a_past(sqlite_home: Home) -> None:
    key = begun(sqlite_home)
    began, answered = asyncio.Event(), asyncio.Event()

    def begin(service: Service) -> None:
        async def fill() -> None:
            began.set()
            await answered.wait()
            await asyncio.to_thread(_fill, sqlite_home, service.owner)

        service.fill_history = fill

    async def whole() -> None:
        async with serving(sqlite_home, begin) as service:
            await began.wait()
            transport = httpx.ASGITransport(service.application, client=("127.0.0.1", 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                headers = {"X-API-KEY": key}
                paid = await client.post("/api/v1/pipeline", json=PURCHASE, headers=headers)
            assert paid.json()["pipelineResponse"]["decision"] == "ACCEPT"
            assert not service.memory.state().rebuilt
            answered.set()
            await asyncio.to_thread(until, lambda: service.memory.state().rebuilt)
            # The request that came first, and all orders of the past that Sentry has seen.
            assert service.memory.state().events > SMALL.decisions * 0.8

    asyncio.run(whole())


def _fill(home: Home, server: str) -> None:
    with home.session() as session:
        fill_demo(session, load_settings(home.environ()), SMALL, server=server)


def test_a_server_fills_the_past_by_a_process_of_its_own(sqlite_home: Home) -> None:
    begun(sqlite_home)
    port = free_port()
    with (sqlite_home.path / "server.log").open("ab") as log:
        command = ("serve", "--port", str(port), "--demo-history")
        server = Server(port, fork_command(command, sqlite_home.environ(), log, log), sqlite_home)
    try:
        server.wait()
        with server.client(sandbox_key(sqlite_home)) as client:
            assert client.post("/api/v1/precheck", json=BODY).json()["isSuccess"]
        until(server.log, lambda text: "has its past" in text)
        server.wait_for_memory()
    finally:
        server.stop()
    assert "made up" in server.log()
    assert sqlite_home.ok("ledger", "verify", "--json").json["records"] == SMALL.decisions + 1
    assert sqlite_home.balance("acct_demo") == 99.95
