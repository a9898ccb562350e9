"""A shared memory that was away is told what it missed: everything, once, by any server."""

import asyncio

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.admin.memory.queries.memory_catch_up import MemoryCatchUp, MissedEventTeller
from gatehouse.admin.privacy.queries.erasing import RequestEraser
from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from gatehouse.sentry.memory.recalled import History
from gatehouse.sentry.records.event import PastEvent, recorded_event
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import DECISIONS, FORGOTTEN_EVENTS, MISSED_EVENTS
from tests.sentry.shared.servers import servers
from tests.store.deciding import MOMENT_MS, keep_decision


class Shared(LocalMemory):
    """A memory for all servers, which counts a request once and can be away."""

    recall_now = None

    def __init__(self) -> None:
        super().__init__(limit=1000)
        self.counted = 0
        self.away = False
        self.loses_answers = False
        self.requests: dict[str, History] = {}
        self.declined: list[str] = []
        self.retracted: list[str] = []

    async def record_and_recall(self, event: MemoryEvent) -> History:
        await self.flush()
        return self.note(event)

    def note(self, event: MemoryEvent) -> History:
        if self.away:
            return super().note(msgspec.structs.replace(event, account_id="nobody"))
        if event.request_id not in self.requests:
            self.requests[event.request_id] = super().note(event)
            self.counted += 1
        return self.requests[event.request_id]

    def retract(self, event: MemoryEvent) -> None:
        if event.request_id not in self.retracted:
            self.retracted.append(event.request_id)
            self.counted -= 1

    def take_back(self, event: MemoryEvent) -> None:
        if self.requests.pop(event.request_id, None) is not None:
            self.counted -= 1

    def note_decline(self, event: MemoryEvent) -> None:
        if event.request_id not in self.declined and not self.away:
            self.declined.append(event.request_id)

    async def flush(self) -> None:
        await asyncio.sleep(0)
        if self.away or self.loses_answers:
            raise ConnectorFailed("no answer in time")


def catch_up(session: AdminSession, *memories: Shared) -> None:
    async def together() -> None:
        servers = [
            MemoryCatchUp(
                session.database, MissedEventTeller(each, session.fingerprints), lambda: False
            )
            for each in memories
        ]
        await asyncio.gather(*(server.catch_up() for server in servers))

    asyncio.run(together())


def keep_missed(
    session: AdminSession,
    account: str,
    number: int,
    *,
    counted: bool | None = None,
    declined: bool = False,
    failed: bool = False,
) -> str:
    """A request that was answered while the memory was away."""
    request_id = keep_decision(session, account, MOMENT_MS + number)
    event = MemoryEvent(account, MOMENT_MS / 1000 + number, [(EntityKind.USER, "ann")], 5.0, "USD")
    record = {
        "requestId": request_id,
        "stages": [
            {"name": "Sentry", "completed": counted is not None, "result": {}},
            {"name": "PreCheck", "completed": not failed, "result": {}},
        ],
        "event": recorded_event(event, counted=counted, declined=declined),
    }
    change = DECISIONS.update().where(DECISIONS.c.request_id == request_id)
    with session.database.writing() as connection:
        connection.execute(change.values(record=msgspec.json.encode(record).decode()))
        row = {"account_id": account, "request_id": request_id}
        connection.execute(MISSED_EVENTS.insert(), row)
    return request_id


def waiting(session: AdminSession) -> int:
    with session.database.reading() as connection:
        return len(connection.execute(sa.select(MISSED_EVENTS)).all())


def test_everything_that_was_missed_is_told_and_then_forgotten(
    session: AdminSession, account: str
) -> None:
    memory = Shared()
    told = [keep_missed(session, account, number) for number in range(20)]
    catch_up(session, memory)

    assert list(memory.requests) == told
    assert memory.counted == 20
    assert waiting(session) == 0


def test_several_servers_tell_at_once_and_everything_counts_once(
    session: AdminSession, account: str
) -> None:
    memory = Shared()
    for number in range(20):
        keep_missed(session, account, number)
    catch_up(session, memory, memory, memory)

    assert memory.counted == 20
    assert waiting(session) == 0


def test_a_memory_that_is_away_is_told_when_it_is_back(session: AdminSession, account: str) -> None:
    memory = Shared()
    keep_missed(session, account, 1)
    memory.away = True
    catch_up(session, memory)
    assert waiting(session) == 1
    memory.away = False
    catch_up(session, memory)

    assert memory.counted == 1
    assert waiting(session) == 0


def test_what_the_memory_took_without_an_answer_does_not_count_twice(
    session: AdminSession, account: str
) -> None:
    memory = Shared()
    keep_missed(session, account, 1)
    memory.loses_answers = True
    catch_up(session, memory)
    assert (memory.counted, waiting(session)) == (1, 1)
    memory.loses_answers = False
    catch_up(session, memory)

    assert (memory.counted, waiting(session)) == (1, 0)


def test_refusals_are_told_and_requests_that_another_party_failed_do_not_count(
    session: AdminSession, account: str
) -> None:
    memory = Shared()
    refused = keep_missed(session, account, 1, declined=True)
    keep_missed(session, account, 2, failed=True)
    catch_up(session, memory)

    assert memory.declined == [refused]
    assert memory.counted == 1


def test_what_became_of_an_event_after_the_memory_had_counted_it_is_told(
    session: AdminSession, account: str
) -> None:
    memory = Shared()
    failed = keep_missed(session, account, 1, counted=True, failed=True)
    refused = keep_missed(session, account, 2, counted=True, declined=True)
    keep_missed(session, account, 3, counted=False, failed=True)
    catch_up(session, memory)

    assert memory.retracted == [failed]
    assert memory.declined == [refused]
    # It has them already, and may no longer know that.
    assert memory.requests == {}


def test_a_change_that_was_lost_on_its_way_is_told_from_the_record(
    session: AdminSession, account: str
) -> None:
    memory = Shared()
    refused = keep_missed(session, account, 1, counted=True, declined=True)
    with session.database.writing() as connection:
        connection.execute(MISSED_EVENTS.delete())
    teller = MissedEventTeller(memory, session.fingerprints)
    server = MemoryCatchUp(session.database, teller, lambda: False)
    memory.away = True
    for _ in range(2):
        server.note_lost(MemoryEvent(account, 1.0, [], request_id=refused))
        asyncio.run(server.catch_up())
    assert waiting(session) == 1
    memory.away = False
    # By another server: the first one may be gone.
    catch_up(session, memory)

    assert memory.declined == [refused]
    assert waiting(session) == 0


def test_a_record_that_is_gone_or_was_erased_has_nothing_to_tell(
    session: AdminSession, account: str
) -> None:
    memory = Shared()
    gone, erased = keep_missed(session, account, 1), keep_missed(session, account, 2)
    with session.database.writing() as connection:
        connection.execute(DECISIONS.delete().where(DECISIONS.c.request_id == gone))
        change = DECISIONS.update().where(DECISIONS.c.request_id == erased)
        connection.execute(change.values(record=f'{{"requestId":"{erased}","stages":[]}}'))
    catch_up(session, memory)

    assert memory.requests == {}
    assert waiting(session) == 0


@pytest.mark.parametrize("is_missed", [True, False])
def test_a_missed_request_that_is_erased_is_neither_told_nor_forgotten(
    session: AdminSession, account: str, is_missed: bool
) -> None:
    request_id = keep_missed(session, account, 1)
    with session.database.writing() as connection:
        lock_changes(connection)
        if not is_missed:
            connection.execute(MISSED_EVENTS.delete())
        RequestEraser(session, account).erase(connection, [request_id])
        messages = connection.execute(sa.select(FORGOTTEN_EVENTS)).all()

    assert len(messages) == (0 if is_missed else 1)
    assert waiting(session) == 0


def test_servers_that_tell_at_once_of_a_request_that_failed_leave_nothing_of_it(
    session: AdminSession, account: str, valkey: str
) -> None:
    """On a real store, which lets a transaction that was taken back count again."""
    entities = [(EntityKind.USER, "ann"), (EntityKind.TRANSACTION, "order-1")]
    failed = PastEvent(
        MemoryEvent(account, MOMENT_MS / 1000, entities, request_id="req_1"),
        counted=False,
        declined=False,
        missed=True,
    )

    async def tell() -> int:
        async with servers(valkey) as them:
            tellers = [MissedEventTeller(them.start(), session.fingerprints) for _ in range(3)]
            for teller in tellers:
                await teller.tell([failed])
            ask = MemoryEvent(account, MOMENT_MS / 1000, entities[:1], request_id="req_2")
            return (await them.start().record_and_recall(ask)).events

    assert asyncio.run(tell()) == 1
