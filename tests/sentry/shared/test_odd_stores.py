"""A store can refuse, answer nonsense or be closed: nobody waits, and nothing is forgotten."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import InvalidResponse, NoScriptError, ResponseError

from gatehouse.connectors.valkey import store as valkey_store
from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.connectors.valkey.call import ScriptCall, StoreCommand
from gatehouse.connectors.valkey.client import Command
from gatehouse.connectors.valkey.store import ValkeyStore
from gatehouse.core.errors import ConnectorFailed, SettingsError
from gatehouse.core.limits.breaker import Breaker
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.shared.keys import StableKeys
from gatehouse.sentry.shared.memory_shared import SharedMemory
from tests.sentry.shared.servers import PATIENCE_S, Servers
from tests.sentry.shared.test_memory_shared import event, run
from tests.sentry.visits import NOW
from tests.valkeys import start_valkey

RIGHTS = "~gh1:* +@string +@hash +@scripting +@connection +@keyspace -@dangerous"


def store_at(url: str) -> ValkeyStore:
    return ValkeyStore(StoreAddress.parse(url), timeout_s=PATIENCE_S, keep_s=60)


class Nonsense:
    """A client whose store answers something that nobody asked for."""

    def __init__(self, reply: object) -> None:
        self._reply = reply

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        return [self._reply for _ in commands]

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("reply", [1, None, [], [1, 2], "text", TypeError()])
def test_after_an_answer_that_makes_no_sense_the_store_is_asked_again(
    reply: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def connect(_: StoreAddress) -> Nonsense:
        if isinstance(reply, Exception):
            raise reply
        return Nonsense(reply)

    async def ask_twice() -> None:
        store = store_at("redis://host")
        memory = SharedMemory(store, StableKeys(b"k" * 32), 100, clock=lambda: 0)
        async with asyncio.timeout(PATIENCE_S):
            for _ in range(2):
                with pytest.raises(ConnectorFailed):
                    await memory.record_and_recall(event(NOW))
            await store.close()

    monkeypatch.setattr(valkey_store, "connect", connect)
    asyncio.run(ask_twice())


def test_a_user_needs_no_more_rights_than_the_page_says(valkey: str) -> None:
    with Redis.from_url(valkey) as admin:
        for name, more in (("plain", ""), ("blind", "-scan")):
            words = f"ACL SETUSER {name} on >a:b/c@d {RIGHTS} {more}".split()
            admin.execute_command(*words)

    def url(name: str) -> str:
        return valkey.replace("unix://", f"unix://{name}:a%3Ab%2Fc%40d@")

    async def count(them: Servers) -> None:
        assert (await them.start().record_and_recall(event(NOW))).counted
        assert [names async for names in them.stores[0].keys(1000)]

    run(url("plain"), count)

    async def read_names(them: Servers) -> None:
        them.start()
        with pytest.raises(ConnectorFailed, match="NoPermission"):
            assert [names async for names in them.stores[0].keys(1000)]

    run(url("blind"), read_names)


@pytest.mark.parametrize(
    "options", ["decode_responses=True", "protocol=3", "ssl_cert_reqs=secret", "unknown=secret"]
)
def test_an_option_that_cannot_be_used_is_refused_without_repeating_it(options: str) -> None:
    with pytest.raises(SettingsError, match="option") as refused:
        StoreAddress.parse(f"rediss://host?{options}")
    assert "secret" not in str(refused.value)


def test_a_command_is_answered_after_the_scripts_that_had_to_be_sent_again() -> None:
    async def ask() -> None:
        ping = StoreCommand(["PING"])
        memory = SharedMemory(waiting := Waiting(), StableKeys(b"k" * 32), 100, clock=lambda: 0)
        memory.note_decline(event(NOW))
        call = ScriptCall([*waiting.told, ping], b"epoch0", 60, 0.0, {})
        assert not call.take([NoScriptError(), b"PONG"])
        assert not ping.future.done()
        assert call.take([[1]])
        assert call.answer() == []
        assert ping.future.result() == b"PONG"

    asyncio.run(ask())


class Full(Nonsense):
    """A client whose store refuses to keep more, and answers all the same."""

    def __init__(self) -> None:
        super().__init__(b"PONG")

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        refusal = ResponseError("OOM command not allowed when used memory > 'maxmemory'.")
        answers = await super().ask(commands)
        return [
            refusal if str(command[0]).startswith("EVAL") else answer
            for command, answer in zip(commands, answers, strict=True)
        ]


def test_who_waits_until_all_is_told_hears_of_an_event_that_was_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def connect(_: StoreAddress) -> Full:
        return Full()

    async def tell() -> None:
        store, lost = store_at("redis://host"), list[MemoryEvent]()
        keys = StableKeys(b"k" * 32)
        memory = SharedMemory(store, keys, 100, clock=lambda: 0, on_lost=lost.append)
        memory.note(event(NOW, request_id="req_1"))
        with pytest.raises(ConnectorFailed, match="lost"):
            await memory.flush()
        assert [each.request_id for each in lost] == ["req_1"]
        await store.close()

    monkeypatch.setattr(valkey_store, "connect", connect)
    asyncio.run(tell())


def test_a_store_whose_keys_end_differently_each_time_fails_the_call() -> None:
    async def ask() -> None:
        generations: dict[bytes, bytes] = {}
        memory = SharedMemory(waiting := Waiting(), StableKeys(b"k" * 32), 100, clock=lambda: 0)
        memory.note_decline(event(NOW))
        call = ScriptCall([*waiting.told], b"epoch0", 60, 0.0, generations)
        rounds = 1
        while not call.take([b".%d" % rounds]):
            rounds += 1
        assert set(generations.values()) == {b".%d" % rounds}
        assert call.answer() == ["it is rebuilt again and again"]

    asyncio.run(ask())


class Waiting(ValkeyStore):
    """Keeps what it is told to itself."""

    def __init__(self) -> None:
        super().__init__(StoreAddress.parse("redis://host"), timeout_s=1, keep_s=60)
        self.told = self._waiting
        self._busy = True


def test_what_is_told_to_a_closed_store_is_known_to_be_lost(valkey: str) -> None:
    async def close(them: Servers) -> None:
        memory = them.start()
        await memory.record_and_recall(event(NOW))
        await them.stores[0].close()
        memory.note_decline(event(NOW, request_id="req_1"))
        with pytest.raises(ConnectorFailed, match="closed"):
            await memory.record_and_recall(event(NOW + 1))
        assert [each.request_id for each in them.lost] == ["req_1"]

    run(valkey, close)


def test_a_store_that_takes_connections_and_answers_no_call_is_not_asked_for_a_while() -> None:
    clock_s = [100.0]
    breaker = Breaker(lambda: clock_s[0])

    async def pause(them: Servers) -> None:
        memory = them.start(breaker=breaker)
        await memory.record_and_recall(event(NOW))
        with Redis.from_url(them.url) as admin:
            # As in a failover: connecting and reading work, and writes wait.
            admin.execute_command("CLIENT", "PAUSE", 1000 * int(PATIENCE_S), "WRITE")
            them.be_impatient(0.1)
            for number in range(20):
                if breaker.is_open:
                    break
                with pytest.raises(ConnectorFailed):
                    await memory.record_and_recall(event(NOW + number))
            with pytest.raises(ConnectorFailed, match="not asked"):
                await memory.record_and_recall(event(NOW + 20))
            admin.execute_command("CLIENT", "UNPAUSE")
        them.be_impatient(PATIENCE_S)
        clock_s[0] += 60
        assert (await memory.record_and_recall(event(NOW + 21))).counted
        assert not breaker.is_open

    with start_valkey() as url:
        run(url, pause)


class Vanishing(Nonsense):
    """A client whose store is gone without a word when some names were read."""

    async def keys(self, at_once: int) -> AsyncIterator[list[bytes]]:
        yield [b"name"] * at_once
        await asyncio.Event().wait()


def test_a_store_that_vanishes_while_its_names_are_read_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def connect(_: StoreAddress) -> Vanishing:
        return Vanishing(None)

    async def read_names() -> None:
        store = ValkeyStore(StoreAddress.parse("redis://host"), timeout_s=0.05, keep_s=60)
        parts = store.keys(2)
        assert await anext(parts) == [b"name"] * 2
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(ConnectorFailed, match="TimeoutError"):
                await anext(parts)

    monkeypatch.setattr(valkey_store, "connect", connect)
    monkeypatch.setattr(valkey_store, "_CONNECT_S", 0.05)
    asyncio.run(read_names())


class Breaking:
    """A client that answers, except for a call that waits until it fails."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.failure: asyncio.Future[None] | None = None

    async def connect(self, _: StoreAddress) -> "Breaking":
        for _turn in range(2 * valkey_store._LAST_TURNS):
            await asyncio.sleep(0)
        return self

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        if self.failure is not None and not self.failure.done():
            self.asked.set()
            await self.failure
        return [b"PONG" for _ in commands]

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("turns", range(valkey_store._LAST_TURNS + 1))
def test_the_time_limit_of_a_call_that_has_failed_does_not_end_the_next_connection(
    turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_s = 0.3

    async def fail_at_the_limit() -> None:
        client, store = Breaking(), store_at("redis://host")
        monkeypatch.setattr(valkey_store, "connect", client.connect)
        await store.command("PING")
        client.failure = asyncio.get_running_loop().create_future()
        store._timeout_s = limit_s
        broken = asyncio.create_task(store.command("PING"))
        await client.asked.wait()
        # The limit is over when the event loop goes on, and the call fails some turns later.
        time.sleep(limit_s)  # noqa: ASYNC251  # the event loop is to be held up
        for _ in range(turns):
            await asyncio.sleep(0)
        client.failure.set_exception(InvalidResponse())
        with pytest.raises(ConnectorFailed, match="InvalidResponse"):
            await broken
        store._timeout_s = PATIENCE_S
        async with asyncio.timeout(PATIENCE_S):
            assert await store.command("PING") == b"PONG"
        await store.close()

    asyncio.run(fail_at_the_limit())
