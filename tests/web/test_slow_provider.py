"""One account waits for a slow card provider, and nobody else waits with it."""

import asyncio
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from gatehouse.access.accounts import Account
from gatehouse.access.actors import Actor
from gatehouse.admin.decisions.routes import DecisionRoutes
from gatehouse.admin.events.routes import EventRoutes
from gatehouse.admin.top_ups.types import MOST_OPEN
from gatehouse.api.free_operations import FreeOperation, handler_of
from gatehouse.api.manage.desk import MOST_OUTSIDE_OF_ACCOUNT, thread_turns
from tests.harness import Home, until

_FILE = """
connectors:
  cards:
    kind: http
    mapping: gatehouse
    base_url: http://127.0.0.1:{port}
    timeout_ms: 60000
    secrets: {{token: "file:{token}"}}
routes: {{gateway: [{{use: [cards]}}]}}
"""
_TOP_UPS = "/api/v1/manage/top-ups"
_SCOPES = ("--scope", "manage:billing", "--scope", "manage:keys")


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as party:
        yield party


@pytest.mark.parametrize("calls", [5, 20])
def test_top_ups_that_wait_for_the_provider_hold_up_no_other_account(
    home: Home, silent: socket.socket, tmp_path: Path, calls: int
) -> None:
    token, file = tmp_path / "token", tmp_path / "connectors.yaml"
    token.write_text("a-token-for-tests")
    file.write_text(_FILE.format(port=silent.getsockname()[1], token=token))
    home.ok("connectors", "apply", str(file))
    mine, other = (home.key(home.account("0"), *_SCOPES) for _ in range(2))
    with (
        home.server(GATEHOUSE_TOP_UP_CONNECTOR="cards") as server,
        server.client(mine) as client,
        server.client(other) as others,
        ThreadPoolExecutor(calls) as threads,
    ):

        def ask() -> httpx.Response:
            return client.post(_TOP_UPS, json={"amountMinor": 100}, timeout=60)

        waiting = [threads.submit(ask) for _ in range(calls)]
        until(lambda: len(client.get(_TOP_UPS).json()["topUpsResponse"]["topUps"]), bool)
        for _ in range(5):
            assert others.get("/api/v1/manage/keys").status_code == 200
        assert not all(each.done() for each in waiting)
        answers = [each.result() for each in waiting]
        made = [each for each in answers if each.status_code == 200]
        assert min(calls, MOST_OUTSIDE_OF_ACCOUNT) <= len(made) <= MOST_OPEN
        assert {each.json()["topUpResponse"]["state"] for each in made} == {"WAITING"}
        assert {each.status_code for each in answers} <= {200, 503}


@pytest.mark.parametrize(
    ("one", "waits"), [(DecisionRoutes.listing, False), (EventRoutes.listing, True)]
)
def test_slow_calls_of_an_account_leave_threads_to_the_others(one: Any, waits: bool) -> None:
    async def scenario() -> list[str]:
        begun: list[str] = []
        release, arrived = asyncio.Event(), asyncio.Event()

        async def slow(_holder: object, call: Any) -> Any:
            begun.append(call.account_id)
            if call.account_id == "other":
                arrived.set()
            await release.wait()

        class Known:
            async def authenticate(self, context: Any, *_: object, **__: object) -> object:
                account = Account(context.account, "Shop", "USD", 0, {}, {})
                return SimpleNamespace(account=account, actor=Actor.key("key_1", context.account))

            async def answer(self, *_: object) -> None:
                return None

        assert isinstance(one, FreeOperation)
        assert one.waits is waits
        told = {name: getattr(one, name) for name in one.__struct_fields__} | {"run": slow}
        handle = handler_of(FreeOperation(**told), None, cast(Any, Known()), thread_turns(3, 2))
        calls = [
            asyncio.ensure_future(
                cast(Any, handle(cast(Any, SimpleNamespace(
                    account=account, scope={"query_string": b""}
                )), cast(Any, None)))
            )
            for account in ("slow",) * 5 + ("other",)
        ]  # fmt: skip
        await arrived.wait()
        found = list(begun)
        release.set()
        await asyncio.gather(*calls)
        return found

    assert asyncio.run(scenario()).count("slow") == (5 if waits else 2)
