"""What a command changes, another process hears of when it is committed: it need not look for it.

The looks of the server are as good as turned off here.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import gatehouse
from gatehouse.admin.feedback.worker import label_follower
from gatehouse.admin.jobs.worker import worker as jobs
from gatehouse.admin.privacy import worker as forgetter
from gatehouse.bootstrap import Service
from gatehouse.store.accounts import callers
from gatehouse.store.configured import models
from gatehouse.workers.background.work import BackgroundWork
from tests.harness import BODY, VISIT, Home
from tests.harness.service import serving
from tests.harness.waiting import PATIENCE_S
from tests.operations.test_live_models import program

_log = logging.getLogger(__name__)
NEVER_S = 36_000.0
SHIPPED = Path(gatehouse.__file__).parent
RULES, PIPELINE = SHIPPED / "rules" / "starter.yaml", SHIPPED / "pipeline" / "starter_1.yaml"


@pytest.fixture
def shared_home(
    tmp_path: Path, new_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> Home:
    """A home on PostgreSQL whose servers never look by themselves."""
    for module, name in (
        (callers, "POLL_S"),
        (callers, "_TRUSTED_S"),
        (label_follower, "POLL_S"),
        (forgetter, "_POLL_S"),
        (jobs, "_LOOK_S"),
    ):
        monkeypatch.setattr(module, name, NEVER_S)
    return Home(tmp_path / "home", new_database())


class _Watched:
    """A server, and the commands that change what it knows."""

    def __init__(self, home: Home, account: str, service: Service, client: httpx.AsyncClient):
        self.home = home
        self.account = account
        self.service = service
        self.client = client

    async def run(self, *command: str) -> Any:
        given = (*command, "--account", self.account, "--json")
        return (await asyncio.to_thread(self.home.ok, *given)).json

    async def sees(self, what: str, ask: Callable[[], Awaitable[object]]) -> None:
        """Wait until the server knows."""
        began = time.monotonic()
        async with asyncio.timeout(PATIENCE_S):
            while not await ask():  # noqa: ASYNC110  # nobody tells when
                await asyncio.sleep(0.005)
        # To be read with `-rP --log-level=INFO`.
        _log.info("%s: known %.0f ms after", what, (time.monotonic() - began) * 1000)

    async def configures(self, what: str, *command: str) -> None:
        """Run a command, and wait until the server uses what it changed."""
        before = (await self.service.setups.find(self.account)).stamp
        await self.run(*command)

        async def is_used() -> bool:
            return (await self.service.setups.find(self.account)).stamp != before

        await self.sees(what, is_used)


async def _change_everything(watched: _Watched, key_id: str) -> None:
    service, client = watched.service, watched.client
    assert isinstance(service.background, BackgroundWork)
    delivery = service.background.webhooks
    request = (await client.post("/api/v1/sentry", json=VISIT)).json()["requestId"]

    async def is_priced() -> bool:
        answer = await client.post("/api/v1/precheck", json=BODY)
        return bool(answer.json()["billing"]["amountClosed"]["amount"] == 0.5)

    async def is_refused() -> bool:
        return (await client.get("/api/v1/balance")).status_code == 401

    assert not await is_priced()
    await watched.run("prices", "set", "PRECHECK=0.5")
    await watched.sees("prices", is_priced)
    await watched.configures("lists", "lists", "create", "seen", "--kind", "emails")
    await watched.configures("list entries", "lists", "add", "seen", "a@example.com")
    await watched.configures("rules", "rules", "apply", _changed(watched, RULES))
    await watched.configures("pipelines", "pipelines", "apply", _changed(watched, PIPELINE))
    with watched.home.session() as session, session.change() as change:
        models.keep(change, watched.account, lambda _: "{}", program)
    await watched.configures("models", "sentry", "promote", "1")
    await watched.run("webhooks", "create", "https://example.com/", "--event", "review.opened")
    await watched.sees("webhooks", lambda: _is(lambda: delivery._endpoints))
    await watched.run("feedback", "add", "--label", "FRAUD", "--request", request)
    await watched.sees("labels", lambda: _is(lambda: service.labels._seq))
    await watched.run("privacy", "erase", "--user", "u-1", "--yes")
    await watched.sees("erasures", lambda: _is(lambda: service.forgetter._seq))
    await watched.run("keys", "revoke", key_id)
    await watched.sees("keys", is_refused)


async def _is(ask: Callable[[], object]) -> bool:
    return bool(ask())


def _changed(watched: _Watched, shipped: Path) -> str:
    """A file that differs from what the account has."""
    file = watched.home.path / shipped.name
    file.write_text(shipped.read_text() + "# changed\n")
    return str(file)


def test_a_server_hears_of_everything_that_commands_change(shared_home: Home) -> None:
    account = shared_home.account("100")
    issued = shared_home.ok("keys", "issue", "--account", account, "--json").json

    async def scenario() -> None:
        async with serving(shared_home) as service:
            transport = httpx.ASGITransport(service.application, client=("127.0.0.1", 1))
            headers = {"X-API-KEY": issued["key"]}
            async with httpx.AsyncClient(
                transport=transport, base_url="http://test", headers=headers
            ) as client:
                watched = _Watched(shared_home, account, service, client)
                await _change_everything(watched, issued["keyId"])

    asyncio.run(scenario())
