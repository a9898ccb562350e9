"""The past is filled beside a server: the first request does not wait, the memory has all of it."""

import asyncio
import logging
import sys
from pathlib import Path
from typing import Final
from unittest import mock

import httpx
import pytest

from gatehouse.admin.sandbox.command import demo
from gatehouse.admin.sandbox.use_cases import beside
from gatehouse.admin.sandbox.use_cases.fill import DemoPast, begin_demo, fill_demo, prepare_demo
from gatehouse.bootstrap import Service
from gatehouse.settings.settings import load_settings
from tests.harness import Home, Server, free_port, sandbox_key
from tests.harness.commands import fork_command
from tests.harness.samples import BODY, PURCHASE
from tests.harness.service import serving
from tests.harness.waiting import until

SMALL: Final = 100


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
            assert service.memory.state().events > SMALL * 0.8

    asyncio.run(whole())


def _fill(home: Home, server: str) -> None:
    with home.session() as session:
        fill_demo(session, load_settings(home.environ()), SMALL, server=server)


def test_a_server_that_is_stopped_leaves_a_past_that_can_go_on(sqlite_home: Home) -> None:
    begun(sqlite_home)
    port = free_port()
    with (sqlite_home.path / "server.log").open("ab") as log:
        command = ("serve", "--port", str(port), "--demo-history")
        process = fork_command(command, sqlite_home.environ(), log, log)
    server = Server(port, process, sqlite_home)
    try:
        server.wait()
        with server.client(sandbox_key(sqlite_home)) as client:
            assert client.post("/api/v1/precheck", json=BODY).json()["isSuccess"]
    finally:
        server.stop()
    assert "made-up past" in server.log()
    # The process that filled beside the server ends with it, on a busy machine a moment later.
    until(lambda: sqlite_home.run("demo", "fill").code == 0)
    assert sqlite_home.ok("ledger", "verify", "--json").json["records"] == SMALL + 1


def test_the_process_is_told_which_server_asks(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    program = tmp_path / "program"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/told\nexit $(wc -l < {tmp_path}/told)\n'
    )
    program.chmod(0o700)
    with (
        mock.patch.object(sys, "executable", str(program)),
        caplog.at_level(logging.INFO, "gatehouse.demo"),
    ):
        asyncio.run(beside.fill_beside("srv_1"))
    assert (tmp_path / "told").read_text() == "-m gatehouse demo fill-beside srv_1\n"
    assert "has not all of its past" in caplog.text


def test_the_process_fills_for_its_server(sqlite_home: Home) -> None:
    begun(sqlite_home)
    with mock.patch.object(demo, "stay_beside_server"):
        sqlite_home.ok("demo", "fill-beside", "srv_1")
    assert sqlite_home.ok("demo", "fill", "--json").json == {"filled": False}
