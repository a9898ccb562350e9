"""The memory that servers share, on a real Valkey."""

import asyncio
import base64
import os
import select
import signal
import time
from binascii import crc_hqx
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from gatehouse.connectors.valkey import store as valkey_store
from gatehouse.connectors.valkey.call import ScriptCall
from gatehouse.connectors.valkey.client import Command
from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry import kinds
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import DAY_S, HOUR_S, MONTH_S, Entity, EntityKind, MemoryEvent
from gatehouse.sentry.memory.recalled import EntityView
from gatehouse.sentry.shared.following import LONG
from gatehouse.sentry.shared.memory_shared import SharedMemory, prune
from tests.sentry.shared.servers import Servers, servers
from tests.sentry.visits import NOW
from tests.valkeys import start_valkey

ADDRESS, USER, CARD = (kinds.ADDRESS, "24.1.2.3"), (kinds.USER, "ann"), (kinds.CARD, "card-1")
EVERYTHING = (ADDRESS, USER, CARD, (kinds.BIN, "42424242"), (kinds.SYSTEM, "linux"))

LIMIT_S = 0.3

Test = Callable[[Servers], Awaitable[None]]


def event(at_s: float = NOW, *entities: Entity, merchant: str = "shop", **more: Any) -> MemoryEvent:
    return MemoryEvent(merchant, at_s, entities or EVERYTHING, 59.9, "USD", "US", **more)


def run(url: str, test: Test) -> None:
    async def among_servers() -> None:
        async with servers(url) as them:
            await test(them)

    asyncio.run(among_servers())


async def seen(memory: SharedMemory, told: MemoryEvent, kind: EntityKind) -> EntityView:
    found = (await memory.record_and_recall(told)).of(kind)
    assert found is not None
    return found


def test_what_one_server_saw_the_other_knows(valkey: str) -> None:
    async def six_orders(them: Servers) -> None:
        two = them.start(), them.start()
        for number in range(6):
            view = await seen(two[number % 2], event(NOW + number), kinds.ADDRESS)
            assert view.events == number + 1
            assert view.count(HOUR_S) == number + 1

    run(valkey, six_orders)


def test_all_requests_of_a_turn_share_one_call_and_none_sees_those_after_it(valkey: str) -> None:
    async def sixteen(them: Servers) -> None:
        memory = them.start()
        await memory.record_and_recall(event(NOW))
        them.calls.clear()
        told = [event(NOW + number, merchant=f"m{number % 2}") for number in range(16)]
        histories = await asyncio.gather(*[seen_at_once(memory, each) for each in told])
        assert histories == [number // 2 + 1 for number in range(16)]
        assert len(them.calls) == 1

    async def seen_at_once(memory: SharedMemory, told: MemoryEvent) -> int:
        return (await seen(memory, told, kinds.ADDRESS)).events

    run(valkey, sixteen)


def test_merchants_share_nothing(valkey: str) -> None:
    async def two_merchants(them: Servers) -> None:
        memory = them.start()
        await memory.record_and_recall(event(NOW))
        history = await memory.record_and_recall(event(NOW, merchant="other"))
        assert (history.events, history.users, history.popularity(kinds.SYSTEM)) == (1, 1, 1)
        assert [each.events for each in history.histories] == [1, 1, 1, 1]

    run(valkey, two_merchants)


def slot_of(key: bytes) -> int:
    tag = key[key.index(b"{") + 1 : key.index(b"}")]
    return crc_hqx(tag, 0) % 16_384


def test_all_keys_of_a_run_are_in_one_slot_of_a_cluster(
    valkey: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[set[int]] = []

    class Watched(ScriptCall):
        def commands(self) -> list[Command]:
            for each in self._runs:
                number = each.words[0]
                assert isinstance(number, int)
                keys = [key for key in each.words[1 : 1 + number] if isinstance(key, bytes)]
                assert len(keys) == number
                runs.append({slot_of(key) for key in keys})
            return super().commands()

    monkeypatch.setattr(valkey_store, "ScriptCall", Watched)

    async def everything(them: Servers) -> None:
        memory = them.start()
        for merchant in ("shop", "other"):
            told = event(NOW, *EVERYTHING, (kinds.TRANSACTION, "t"), merchant=merchant)
            await memory.record_and_recall(told)
            memory.note_decline(told)
            memory.retract(told)
            memory.forget(told, counted=True, declined=True)
        await memory.flush()

    run(valkey, everything)
    assert {len(slots) for slots in runs} == {1}
    assert len(set.union(*runs)) == 2


def test_a_transaction_counts_once_whichever_server_gets_it_again(valkey: str) -> None:
    async def repeated(them: Servers) -> None:
        first, second = them.start(), them.start()
        order = event(NOW, *EVERYTHING, (kinds.TRANSACTION, "order-1 ann"), request_id="req_1")
        assert (await first.record_and_recall(order)).counted
        again = msgspec.structs.replace(order, request_id="req_2", at_s=NOW + 5)
        history = await second.record_and_recall(again)
        assert not history.counted
        assert (history.events, history.popularity(kinds.USER)) == (1, 1)
        second.retract(order)
        await second.flush()
        assert (await first.record_and_recall(again)).counted

    run(valkey, repeated)


@pytest.mark.parametrize("entities", [EVERYTHING, (*EVERYTHING, (kinds.TRANSACTION, "t"))])
def test_a_request_that_is_told_again_counts_once_and_is_no_repetition(
    valkey: str, entities: tuple[Entity, ...]
) -> None:
    async def told_again(them: Servers) -> None:
        first, second = them.start(), them.start()
        order = event(NOW, *entities, request_id="req_1")
        await first.record_and_recall(order)
        history = await second.record_and_recall(order)
        assert history.counted
        assert (history.events, history.popularity(kinds.USER)) == (1, 1)
        for memory in (first, second):
            memory.note_decline(order)
            await memory.flush()
        history = await first.record_and_recall(event(NOW + 1))
        declines = history.velocity()["velocity.card"]
        memory = them.start()
        memory.note_decline(event(NOW + 1, request_id="req_2"))
        await memory.flush()
        more = (await first.record_and_recall(event(NOW + 2))).velocity()["velocity.card"]
        assert sorted(set(map(int, more))) != sorted(set(map(int, declines)))
        assert first.state().events == 3

    run(valkey, told_again)


@pytest.mark.parametrize("entities", [EVERYTHING, (*EVERYTHING, (kinds.TRANSACTION, "t"))])
@pytest.mark.parametrize("counted", [True, False])
def test_a_request_that_failed_does_not_count_however_many_servers_take_it_back(
    valkey: str, entities: tuple[Entity, ...], counted: bool
) -> None:
    async def taken_back(them: Servers) -> None:
        first, second = them.start(), them.start()
        await first.record_and_recall(event(NOW, request_id="req_0"))
        failed = event(NOW + 1, *entities, request_id="req_1")
        if counted:
            # The server did not hear the answer.
            await first.record_and_recall(failed)
        for memory in (first, second, first):
            memory.take_back(failed)
            await memory.flush()
        # A customer who tries again counts, and is not taken back.
        again = msgspec.structs.replace(failed, request_id="req_2")
        history = await first.record_and_recall(again)
        assert (history.counted, history.events, history.users) == (True, 2, 1)
        second.take_back(failed)
        await second.flush()
        assert (await seen(first, event(NOW + 2), kinds.USER)).events == 3

    run(valkey, taken_back)


def test_a_server_that_starts_knows_the_month_of_a_busy_address(valkey: str) -> None:
    async def a_month(them: Servers) -> None:
        busy, alone = them.start(), LocalMemory(limit=1000)
        for number in range(240):
            told = event(NOW - MONTH_S + number * 10_800.0 + 1, ADDRESS)
            busy.note(told)
            alone.note(told)
        await busy.flush()
        await busy.record_and_recall(event(NOW, ADDRESS))
        alone.note(event(NOW, ADDRESS))
        assert len(await them.ask("GET", them.keys().keyed(told).names[0])) < 2 * LONG
        view = await seen(them.start(), event(NOW + 1, ADDRESS), kinds.ADDRESS)
        expected = alone.note(event(NOW + 1, ADDRESS)).of(kinds.ADDRESS)
        assert expected is not None
        assert view.events == expected.events == 242
        assert view.active_days() == expected.active_days() > 15
        assert view.count(DAY_S) == expected.count(DAY_S) < 12

    run(valkey, a_month)


def test_all_that_is_kept_expires_from_the_first_event_on(valkey: str) -> None:
    async def one_event(them: Servers) -> None:
        await them.start().record_and_recall(event(NOW, *EVERYTHING, (kinds.CATEGORY, "shoes")))
        kept = await them.ask("KEYS", them.keys().account("shop").entity[:-1] + b"*")
        assert [key for key in kept if await them.ask("TTL", key) <= 0] == []

    run(valkey, one_event)


def test_a_log_that_vanishes_begins_anew(valkey: str) -> None:
    async def evicted(them: Servers) -> None:
        one, other = them.start(), them.start()
        for number in range(3):
            await one.record_and_recall(event(NOW + number))
        await other.record_and_recall(event(NOW + 3))
        await them.ask("DEL", *them.keys().keyed(event()).names)
        assert (await seen(one, event(NOW + 4), kinds.ADDRESS)).events == 1
        assert (await seen(other, event(NOW + 5), kinds.ADDRESS)).events == 2

    run(valkey, evicted)


def test_the_store_holds_no_value_of_anybody(valkey: str) -> None:
    async def look(them: Servers) -> None:
        memory = them.start()
        for number in range(90):
            memory.note(event(NOW + number, *EVERYTHING, (kinds.TRANSACTION, f"order-{number}")))
        await memory.flush()
        names = them.keys().account("shop")
        found = b""
        for key in await them.ask("KEYS", names.entity[:-1] + b"*"):
            kind = await them.ask("TYPE", key)
            value = await them.ask("HGETALL" if kind == b"hash" else "GET", key)
            found += key + (b"".join(value) if isinstance(value, list) else value)
        assert b"USD" in found
        for text in (b"24.1.2.3", b"ann", b"card-1", b"42424242", b"linux", b"order-", b"shop"):
            assert text not in found
            assert base64.b64encode(text) not in found

    run(valkey, look)


def test_an_erased_event_is_not_in_the_store_any_more(valkey: str) -> None:
    async def erase(them: Servers) -> None:
        one, other = them.start(), them.start()
        erased = event(NOW, ADDRESS, USER, request_id="req_1")
        await one.record_and_recall(erased)
        await one.record_and_recall(event(NOW + 1, ADDRESS))
        for memory in (one, other):
            memory.forget(erased, counted=True, declined=False)
            await memory.flush()
        address, user = them.keys().keyed(erased).names
        assert await them.ask("EXISTS", user) == 0
        partner = them.keys().keyed(erased).numbers[1].to_bytes(8, "little")
        assert partner not in await them.ask("GET", address)
        assert (await seen(other, event(NOW + 2, ADDRESS), kinds.ADDRESS)).events == 2

    run(valkey, erase)


def test_a_store_that_has_lost_its_scripts_gets_them_again(valkey: str) -> None:
    async def lose_scripts(them: Servers) -> None:
        memory = them.start()
        await memory.record_and_recall(event(NOW))
        await them.ask("SCRIPT", "FLUSH")
        assert (await seen(memory, event(NOW + 1), kinds.USER)).events == 2

    run(valkey, lose_scripts)


def test_a_connection_that_was_closed_while_nobody_asked_is_made_again() -> None:
    async def close_connections(them: Servers) -> None:
        memory, other = them.start(), them.start()
        await memory.record_and_recall(event(NOW))
        await other.record_and_recall(event(NOW + 1))
        await them.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        assert (await seen(other, event(NOW + 2), kinds.USER)).events == 3
        assert False not in them.calls

    with start_valkey() as url:
        run(url, close_connections)


def test_a_store_that_hangs_or_is_gone_fails_what_waits_and_no_more() -> None:
    async def hang(them: Servers) -> None:
        memory = them.start()
        await memory.record_and_recall(event(NOW, request_id="req_0"))
        lines = (await them.ask("INFO", "server")).decode().splitlines()
        process = int(next(line[11:] for line in lines if line.startswith("process_id:")))
        os.kill(process, signal.SIGSTOP)
        them.be_impatient(0.1)
        memory.note_decline(event(NOW, request_id="req_0"))
        with pytest.raises(ConnectorFailed, match="in time"):
            await memory.record_and_recall(event(NOW + 1))
        assert [each.request_id for each in them.lost] == ["req_0"]
        os.kill(process, signal.SIGCONT)
        # What was told in vain may have been heard all the same.
        assert (await seen(them.start(), event(NOW + 2), kinds.USER)).events in (2, 3)

    with start_valkey() as url:
        run(url, hang)

    async def gone(them: Servers) -> None:
        with pytest.raises(ConnectorFailed, match="cannot be reached"):
            await them.start().record_and_recall(event(NOW))

    run(url, gone)


def test_rare_counts_are_dropped_when_there_are_too_many(valkey: str) -> None:
    async def many_systems(them: Servers) -> None:
        memory, names = them.start(), them.keys().account("shop")
        for number in range(40):
            for _ in range(1 + number % 20):
                memory.note(event(NOW + number, (kinds.SYSTEM, f"system-{number}")))
        await memory.flush()
        await prune(memory._store, names, (100, 100))
        assert await them.ask("HLEN", names.common[1]) == 40
        await prune(memory._store, names, (30, 100))
        # More than 15 are too many, so all are dropped that were seen up to 16 times.
        left = await them.ask("HVALS", names.common[1])
        assert sorted(map(int, left)) == [17, 17, 18, 18, 19, 19, 20, 20]

    run(valkey, many_systems)


def test_a_history_that_cannot_be_read_begins_anew(valkey: str) -> None:
    async def damage(them: Servers) -> None:
        memory = them.start()
        await memory.record_and_recall(event(NOW, ADDRESS))
        await them.ask("APPEND", them.keys().keyed(event(NOW, ADDRESS)).names[0], b"\xffnonsense")
        await memory.record_and_recall(event(NOW + 1, ADDRESS))
        assert (await seen(memory, event(NOW + 2, ADDRESS), kinds.ADDRESS)).events == 1

    run(valkey, damage)


def test_a_store_is_not_late_because_this_server_was(valkey: str) -> None:
    async def hold_the_loop_up(them: Servers) -> None:
        memory = them.start()
        await memory.record_and_recall(event(NOW))
        them.be_impatient(LIMIT_S)
        asked = asyncio.create_task(seen(memory, event(NOW + 1), kinds.USER))
        for _ in range(4):
            await asyncio.sleep(0)
        # The answer is there, and the event loop reads it only when the limit is over.
        select.select([them.socket()], [], [])
        time.sleep(LIMIT_S)  # noqa: ASYNC251  # the event loop is to be held up
        assert (await asked).events == 2

    run(valkey, hold_the_loop_up)


class Closed:
    """A breaker that never lets anybody ask."""

    def allows(self) -> bool:
        return False

    def succeeded(self) -> None:
        raise AssertionError

    failed = succeeded


def test_a_store_that_is_not_to_be_asked_is_not(valkey: str) -> None:
    async def do_not_ask(them: Servers) -> None:
        with pytest.raises(ConnectorFailed, match="not asked"):
            await them.start(breaker=Closed()).record_and_recall(event(NOW))
        assert not them.calls

    run(valkey, do_not_ask)
