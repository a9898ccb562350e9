"""A server finds callers without asking the database for each request."""

import asyncio
import threading
from types import ModuleType
from typing import Any

import pytest

from gatehouse.core.errors import StoreUnavailable
from gatehouse.store.accounts import keys
from gatehouse.store.accounts.callers import CallerDirectory
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.lookout import Lookout, SeenChanges
from tests.store.test_admin_session import make_key


def counted(monkeypatch: pytest.MonkeyPatch, module: ModuleType | type, name: str) -> list[str]:
    """Notes each call of a function, which does what it always does."""
    calls: list[str] = []
    really = getattr(module, name)

    def noted(*given: Any) -> Any:
        calls.append(name)
        return really(*given)

    monkeypatch.setattr(module, name, noted)
    return calls


def test_requests_that_come_together_are_read_and_looked_after_once(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, hashed = make_key(session)
    now = [0.0]
    directory = CallerDirectory(session.database, session.signer, lambda: now[0])

    looks = counted(monkeypatch, Lookout, "look")
    reads = counted(monkeypatch, keys, "find")

    async def scenario() -> None:
        for found in await asyncio.gather(*(directory.find(hashed) for _ in range(50))):
            assert found is not None
        assert (len(looks), len(reads)) == (0, 1)
        now[0] = 1.0
        for found in await asyncio.gather(*(directory.find(hashed) for _ in range(50))):
            assert found is not None
        assert (len(looks), len(reads)) == (1, 2)
        now[0] = 2.0
        for found in await asyncio.gather(*(directory.find(hashed) for _ in range(50))):
            assert found is not None
        assert (len(looks), len(reads)) == (2, 2)

    asyncio.run(scenario())
    directory.stop()


def test_a_store_that_does_not_answer_fails_every_request_and_keeps_no_old_caller(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, hashed = make_key(session)
    now = [0.0]
    directory = CallerDirectory(session.database, session.signer, lambda: now[0])

    def fail(*_: object) -> None:
        raise StoreUnavailable("gone")

    async def scenario() -> None:
        await directory.check()
        assert await directory.find(hashed) is not None
        monkeypatch.setattr(Lookout, "look", fail)
        monkeypatch.setattr(keys, "find", fail)
        now[0] = 1.0
        found = await asyncio.gather(
            *(directory.find(hashed) for _ in range(9)), return_exceptions=True
        )
        assert {type(each) for each in found} == {StoreUnavailable}

    asyncio.run(scenario())
    directory.stop()


def test_known_callers_that_wait_for_the_database_are_counted_and_strangers_are_not(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, hashed = make_key(session)
    now, stalled, strange = [0.0], threading.Event(), threading.Event()
    directory = CallerDirectory(session.database, session.signer, lambda: now[0])

    def read_late(*_: object) -> SeenChanges:
        assert stalled.wait(60)
        return SeenChanges()

    def find_late(*_: object) -> None:
        assert strange.wait(60)

    async def scenario() -> None:
        await directory.check()
        assert await directory.find(hashed) is not None
        monkeypatch.setattr(Lookout, "look", read_late)
        monkeypatch.setattr(keys, "find", find_late)
        now[0] = 1.0
        known = [asyncio.create_task(directory.find(hashed)) for _ in range(9)]
        stranger = asyncio.create_task(directory.find("unknown"))
        await asyncio.sleep(0)
        assert directory.waiting == 9
        stalled.set()
        strange.set()
        await asyncio.gather(*known, stranger)
        assert directory.waiting == 0

    asyncio.run(scenario())
    directory.stop()
