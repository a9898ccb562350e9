"""By its marks the store knows what it was told before, and what it has never counted."""

import os

import msgspec
import pytest

from gatehouse.core.ids import new_id
from gatehouse.sentry import kinds
from gatehouse.sentry.memory.memory import Entity, MemoryEvent
from gatehouse.sentry.shared.marks import REQUEST_S, TRANSACTION_S, EventMarks
from tests.sentry.shared.servers import Servers
from tests.sentry.shared.test_memory_shared import EVERYTHING, event, run, seen
from tests.sentry.visits import NOW

ORDER = (*EVERYTHING, (kinds.TRANSACTION, "order-1 ann"))
KINDS = pytest.mark.parametrize(
    ("entities", "kept_s"), [(EVERYTHING, REQUEST_S), (ORDER, TRANSACTION_S)]
)


def request(at_s: float, *entities: Entity) -> MemoryEvent:
    """The event of a request; it happened long before the request came."""
    request_id = new_id("req", int(at_s * 1000), os.urandom)
    return event(at_s - TRANSACTION_S, *entities, request_id=request_id)


def again(told: MemoryEvent, at_s: float) -> MemoryEvent:
    """The same in another request."""
    other = request(at_s)
    return msgspec.structs.replace(told, at_s=other.at_s, request_id=other.request_id)


def mark_of(them: Servers, told: MemoryEvent) -> bytes:
    """The mark of its count."""
    keys = them.keys()
    names = keys.account(told.account_id)
    made = EventMarks(keys).of_count(told, names, keys.keyed(told)).made
    assert made is not None
    return made


async def begin_anew(them: Servers) -> None:
    """Let servers use new keys, as a rebuild does."""
    await them.ask("SET", them.keys().account("shop").generation, b".anew")


@KINDS
def test_a_request_that_fails_after_a_rebuild_began_takes_nothing_from_the_new_memory(
    valkey: str, entities: tuple[Entity, ...], kept_s: int
) -> None:
    async def fail(them: Servers) -> None:
        first, second = them.start(), them.start()
        failed = request(NOW, *entities)
        assert (await first.record_and_recall(failed)).counted
        await begin_anew(them)
        # The only one of its user, and perhaps the same transaction.
        assert (await second.record_and_recall(again(failed, NOW + 1))).counted
        first.retract(failed)
        await first.flush()
        history = await second.record_and_recall(again(failed, NOW + 2))
        assert history.counted is (entities is EVERYTHING)
        history = await second.record_and_recall(request(NOW + 3))
        orders = 3 if entities is EVERYTHING else 2
        assert (history.events, history.users) == (orders, 1)
        assert [history.popularity(each) for each in (kinds.USER, kinds.SYSTEM)] == [orders] * 2

    run(valkey, fail)


@KINDS
@pytest.mark.parametrize("is_over", [False, True])
def test_a_request_that_failed_is_taken_back_once_also_when_its_mark_is_over(
    valkey: str, entities: tuple[Entity, ...], kept_s: int, is_over: bool
) -> None:
    async def take_back(them: Servers) -> None:
        first, second = them.start(), them.start()
        await first.record_and_recall(request(NOW))
        failed = request(NOW, *entities)
        await first.record_and_recall(failed)
        if is_over:
            them.now_s += kept_s
            await them.ask("DEL", mark_of(them, failed))
        for memory in (first, second, first):
            memory.retract(failed)
            await memory.flush()
        history = await second.record_and_recall(again(failed, NOW + 1))
        assert (history.counted, history.events, history.users) == (True, 2, 1)

    run(valkey, take_back)


@KINDS
def test_an_event_whose_mark_is_gone_is_erased_all_the_same(
    valkey: str, entities: tuple[Entity, ...], kept_s: int
) -> None:
    async def erase(them: Servers) -> None:
        memory = them.start()
        await memory.record_and_recall(request(NOW))
        erased = request(NOW, *entities)
        await memory.record_and_recall(erased)
        await them.ask("DEL", mark_of(them, erased))
        memory.forget(erased, counted=True, declined=False)
        await memory.flush()
        assert (await seen(memory, request(NOW + 1), kinds.USER)).events == 2

    run(valkey, erase)


@KINDS
def test_what_is_told_again_and_again_stays_known(
    valkey: str, entities: tuple[Entity, ...], kept_s: int
) -> None:
    async def tell(them: Servers) -> None:
        memory = them.start()
        told = request(NOW, *entities)
        await memory.record_and_recall(told)
        mark = mark_of(them, told)
        # Half of its time is over.
        await them.ask("EXPIRE", mark, kept_s // 2)
        await memory.record_and_recall(told)
        assert await them.ask("TTL", mark) > kept_s // 2

    run(valkey, tell)


def test_an_event_that_is_to_be_known_for_a_moment_only_shortens_no_mark(valkey: str) -> None:
    async def tell(them: Servers) -> None:
        memory = them.start()
        told = request(NOW)
        await memory.record_and_recall(told)
        memory.note(told, known_s=60)
        await memory.flush()
        assert await them.ask("TTL", mark_of(them, told)) > 60

    run(valkey, tell)
