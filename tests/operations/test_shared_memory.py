"""A shared memory is opened by its URL; its store can be slow, away, or in the hands of others."""

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.secrets.keyring import ENTITIES, KeyRing
from gatehouse.operations.shared_memory import (
    OpenedMemory,
    inspect_store,
    new_generation,
    open_shared_memory,
)
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from gatehouse.settings.settings import load_settings
from tests.harness import PATIENCE_S, until
from tests.valkeys import valkey_program

T = TypeVar("T")


def ring() -> KeyRing:
    return KeyRing({(ENTITIES, 1): os.urandom(32)})


def opened(url: str, keys: KeyRing, timeout_ms: int = 60_000) -> OpenedMemory:
    return open_shared_memory(
        load_settings({"GATEHOUSE_MEMORY_URL": url}), keys, timeout_ms=timeout_ms
    )


def use(url: str, work: Callable[[OpenedMemory], Awaitable[T]], keys: KeyRing | None = None) -> T:
    async def whole() -> T:
        memory = opened(url, keys or ring())
        try:
            return await work(memory)
        finally:
            await memory.store.close()

    return asyncio.run(whole())


def order(number: int, account: str = "acct_1") -> MemoryEvent:
    entities = [(EntityKind.USER, "ann")]
    return MemoryEvent(account, 1e9 + number, entities, request_id=f"req_{number}")


async def events(memory: OpenedMemory, event: MemoryEvent) -> int:
    """How many events of a user there are, this one included."""
    found = (await memory.memory.record_and_recall(event)).of(EntityKind.USER)
    assert found is not None
    return found.events


def test_a_store_tells_what_it_is(valkey: str) -> None:
    facts, memory = inspect_store(load_settings({"GATEHOUSE_MEMORY_URL": valkey}), ring())
    assert facts.version.startswith("valkey ")
    assert (facts.persists, facts.limit_bytes, facts.is_cluster) == (False, 0, False)
    assert memory.rebuilt_at is None


def test_a_store_that_is_not_there_is_named_without_its_password() -> None:
    url = "redis://:s3cret@127.0.0.1:1/0"
    with pytest.raises(ConnectorFailed, match=r"127\.0\.0\.1:1 cannot be reached") as failed:
        inspect_store(load_settings({"GATEHOUSE_MEMORY_URL": url}), ring())
    assert "s3cret" not in str(failed.value)


def test_one_rebuild_at_a_time(valkey: str) -> None:
    async def lock(memory: OpenedMemory) -> list[bool]:
        first = [await memory.lock("one"), await memory.lock("two"), await memory.lock("one")]
        await memory.unlock("two")
        first.append(await memory.lock("two"))
        await memory.unlock("one")
        return [*first, await memory.lock("two")]

    assert use(valkey, lock) == [True, False, True, False, True]


def test_what_others_keep_in_the_same_store_is_not_deleted(valkey: str) -> None:
    ours, theirs = ring(), ring()

    async def tell(memory: OpenedMemory) -> int:
        return await events(memory, order(1, "acct_1")) + await events(memory, order(2, "acct_2"))

    async def clear(memory: OpenedMemory) -> int:
        generation = new_generation()
        await memory.begin_anew(["acct_1"], generation)
        return sum([each async for each in memory.delete_former(["acct_1"], generation)])

    use(valkey, tell, ours)
    use(valkey, tell, theirs)
    assert use(valkey, clear, ours) > 0

    async def look(memory: OpenedMemory) -> tuple[int, int]:
        return await events(memory, order(3, "acct_1")), await events(memory, order(4, "acct_2"))

    assert use(valkey, look, ours) == (1, 2)
    assert use(valkey, look, theirs) == (2, 2)


def test_a_server_goes_over_to_new_keys_without_failing_a_request(valkey: str) -> None:
    keys = ring()

    async def serve(server: OpenedMemory) -> tuple[int, int, int]:
        assert [await events(server, order(number)) for number in (1, 2)] == [1, 2]
        rebuilding = opened(valkey, keys)
        await rebuilding.begin_anew(["acct_1"], new_generation())
        await rebuilding.store.close()
        found = [await events(server, order(number)) for number in (3, 4)]
        history = await server.memory.record_and_recall(order(5))
        assert server.store.lost == 0
        return found[0], history.events, history.users

    assert use(valkey, serve, keys) == (1, 3, 1)


def test_an_event_whose_answer_was_lost_counts_once_when_it_is_told_again() -> None:
    """The store is stopped, not killed: it runs what it was sent when it goes on."""
    with TemporaryDirectory(prefix="gatehouse-valkey-") as folder:
        path = Path(folder) / "valkey.sock"
        command = [str(valkey_program()), "--port", "0", "--unixsocket", str(path)]
        process = subprocess.Popen([*command, "--save", ""], cwd=folder, stdout=subprocess.DEVNULL)
        try:
            until(path.exists)
            asyncio.run(_lose_an_answer(f"unix://{path}", process))
        finally:
            process.kill()
            process.wait(PATIENCE_S)


async def _lose_an_answer(url: str, process: "subprocess.Popen[bytes]") -> None:
    keys = ring()
    # The hasty one gives up; only that it does is of interest, not how soon.
    hasty, patient = opened(url, keys, timeout_ms=200), opened(url, keys)
    assert await events(patient, order(1)) == 1
    while True:
        try:
            await hasty.store.command("PING")
        except ConnectorFailed:
            continue  # A busy machine was too slow for it.
        break
    process.send_signal(signal.SIGSTOP)
    with pytest.raises(ConnectorFailed):
        await hasty.memory.record_and_recall(order(2))
    process.send_signal(signal.SIGCONT)

    assert await events(patient, order(2)) == 2
    assert await events(patient, order(3)) == 3
    for each in (hasty, patient):
        await each.store.close()


def test_nobody_waits_for_a_store_that_is_slow_to_connect(tmp_path: Path) -> None:
    async def ask(url: str) -> list[str]:
        memory, found = opened(url, ring(), timeout_ms=20), []
        for number in range(3):
            with pytest.raises(ConnectorFailed) as failed:
                await memory.memory.record_and_recall(order(number))
            found.append(str(failed.value))
        await memory.store.close()
        return found

    with socket.socket(socket.AF_UNIX) as silent:
        # It takes connections and never answers.
        silent.bind(str(tmp_path / "silent.sock"))
        silent.listen()
        found = asyncio.run(ask(f"unix://{tmp_path}/silent.sock"))
    assert found[0] == "the shared memory is slow to connect"
