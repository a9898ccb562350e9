"""The shared memory is rebuilt from the decision records, on both databases."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import count
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from redis import Redis

from gatehouse.access.actors import Actor
from gatehouse.admin.memory.use_cases import rebuilding as sentry_memory
from gatehouse.admin.memory.use_cases.rebuilding import MemoryRebuilt, rebuild_memory
from gatehouse.connectors.valkey.client import DISCONNECTED, Command, _OneServer
from gatehouse.connectors.valkey.store import ValkeyStore
from gatehouse.core.errors import Conflict, ConnectorFailed, GatehouseError, WrongUsage
from gatehouse.operations.shared_memory import OpenedMemory, open_shared_memory
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from gatehouse.sentry.records.event import recorded_event
from gatehouse.settings.settings import Settings, load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS, HOLDS, MISSED_EVENTS
from tests.harness import Home, make_account
from tests.store.deciding import keep_decision

DAY_MS = 86_400_000


class Shop:
    """An account with decisions, and the memory that they are to be in."""

    def __init__(self, session: AdminSession, url: str) -> None:
        self.session = session
        self.account = make_account(session)
        self.settings: Settings = load_settings({"GATEHOUSE_MEMORY_URL": url})

    def decide(
        self, days_ago: float, *, counted: bool | None = True, declined: bool = False
    ) -> str:
        """An order of Ann, some time ago; one that counts is None was missed by the memory."""
        at_ms = self.session.clock() - int(days_ago * DAY_MS)
        event = MemoryEvent(self.account, at_ms / 1000, [(EntityKind.USER, "ann")], 5.0, "USD")
        done = counted is not None
        stage = {"name": "Sentry", "completed": done, "result": {}}
        record: dict[str, Any] = {"stages": [stage]}
        record["event"] = recorded_event(event, counted=counted, declined=declined)
        request_id = keep_decision(self.session, self.account, at_ms)
        text = msgspec.json.encode({"requestId": request_id, **record}).decode()
        with self.session.database.writing() as connection:
            change = sa.text("UPDATE decisions SET record = :text WHERE request_id = :id")
            connection.execute(change, {"text": text, "id": request_id})
            if not done:
                row = {"account_id": self.account, "request_id": request_id}
                connection.execute(MISSED_EVENTS.insert(), row)
        return request_id

    def hold(self, request_id: str, *, for_ms: int = DAY_MS) -> None:
        """Let a request be one that is being answered."""
        row = {"request_id": request_id, "account_id": self.account, "owner": "server", "amount": 1}
        with self.session.database.writing() as connection:
            ends_at_ms = self.session.clock() + for_ms
            connection.execute(HOLDS.insert(), row | {"expires_at_ms": ends_at_ms})

    async def serve(self, opened: OpenedMemory, request_id: str) -> None:
        """Count an order of Ann, as the server does that answers the request."""
        at_s = self.session.clock() / 1000
        entities = [(EntityKind.USER, "ann")]
        event = MemoryEvent(self.account, at_s, entities, 5.0, "USD", request_id=request_id)
        assert (await opened.memory.record_and_recall(event)).counted

    def rebuild(self) -> MemoryRebuilt:
        return rebuild_memory(self.session, self.settings, settle_s=0)

    def ask(self) -> tuple[int, int]:
        """How many orders of Ann are remembered, and how many of them were refused."""

        async def look(opened: OpenedMemory) -> tuple[int, int]:
            now_s = self.session.clock() / 1000
            event = MemoryEvent(self.account, now_s, [(EntityKind.USER, "ann")])
            history = await opened.memory.record_and_recall(event)
            found = history.of(EntityKind.USER)
            assert found is not None
            refused = history.first[EntityKind.USER].refused
            opened.memory.retract(event)
            await opened.memory.flush()
            return found.events - 1, 0 if refused is None else int(refused.count(0, now_s))

        found: tuple[int, int] = self.use(look)
        return found

    def use(self, work: Any) -> Any:
        async def whole() -> Any:
            opened = open_shared_memory(self.settings, self.session.ring, timeout_ms=60_000)
            try:
                return await work(opened)
            finally:
                await opened.store.close()

        return asyncio.run(whole())


@pytest.fixture
def shop(session: AdminSession, valkey: str) -> Shop:
    return Shop(session, valkey)


def test_everything_that_counts_is_remembered_again_however_often_it_is_rebuilt(
    shop: Shop,
) -> None:
    for days_ago in (150, 30, 9, 2, 0.001):
        shop.decide(days_ago)
    shop.decide(300)
    shop.decide(1, counted=False)
    shop.decide(1, declined=True)
    for _ in range(2):
        done = shop.rebuild()
        assert (done.events, done.refusals, done.days) == (6, 1, 200)
        assert shop.ask() == (6, 1)


def test_a_memory_that_is_emptied_while_it_is_rebuilt_is_not_whole(shop: Shop, valkey: str) -> None:
    shop.decide(2)
    shop.decide(0.001)

    def empty(_done: int, _total: int) -> None:
        with Redis.from_url(valkey) as store:
            store.flushdb()

    with pytest.raises(ConnectorFailed, match="rebuild it again"):
        rebuild_memory(shop.session, shop.settings, empty, settle_s=0)
    assert shop.use(lambda opened: opened.rebuilt_at()) is None


def test_what_servers_count_while_the_former_keys_are_deleted_is_kept(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        shop.decide(2)
    shop.rebuild()
    find, served = ValkeyStore.keys, count()

    async def find_while_serving(store: ValkeyStore, at_once: int) -> AsyncIterator[list[bytes]]:
        server = open_shared_memory(shop.settings, shop.session.ring, timeout_ms=60_000)
        async for names in find(store, at_once):
            next(served)
            await shop.serve(server, shop.decide(0))
            yield names
        await server.store.close()

    monkeypatch.setattr(ValkeyStore, "keys", find_while_serving)
    shop.rebuild()
    orders = 3 + next(served)
    assert orders > 3
    assert shop.ask() == (orders, 0)


@pytest.fixture
def recorded_later(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that is being answered when the rebuild begins."""
    request_id = shop.decide(0)
    with shop.session.database.writing() as connection:
        [row] = connection.execute(sa.select(DECISIONS)).mappings().all()
        connection.execute(DECISIONS.delete())
    shop.hold(request_id)
    shop.use(lambda opened: shop.serve(opened, request_id))
    look = sentry_memory._still_open
    looks = count()

    def look_and_close(connection: sa.Connection, now_ms: int) -> frozenset[str]:
        found = look(connection, now_ms)
        if next(looks) == 1:
            # It is over when it is looked for the second time.
            with shop.session.database.writing() as closing:
                closing.execute(HOLDS.delete())
                closing.execute(DECISIONS.insert(), dict(row))
        return found

    monkeypatch.setattr(sentry_memory, "_still_open", look_and_close)


@pytest.mark.usefixtures("recorded_later")
def test_what_was_counted_of_requests_that_are_recorded_later_is_kept(shop: Shop) -> None:
    shop.rebuild()
    assert shop.ask() == (1, 0)


@pytest.mark.usefixtures("recorded_later")
def test_what_servers_count_during_a_long_wait_counts_once(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = sentry_memory._Rebuild._wait_for

    async def wait_long(
        run: sentry_memory._Rebuild, requests: frozenset[str], most_s: float
    ) -> None:
        server = open_shared_memory(shop.settings, shop.session.ring, timeout_ms=60_000)
        await shop.serve(server, shop.decide(0))
        # The memory does not know the request again when the wait is over.
        marks = server.keys.account(shop.account).once(b"*")
        for mark in await server.store.command("KEYS", marks):
            await server.store.command("DEL", mark)
        await server.store.close()
        await wait(run, requests, most_s)

    monkeypatch.setattr(sentry_memory._Rebuild, "_wait_for", wait_long)
    shop.rebuild()
    assert shop.ask() == (2, 0)


def test_a_request_whose_hold_is_over_is_not_waited_for(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restore no server runs that would end it."""
    waited_for: list[set[str]] = []

    async def wait(_run: object, requests: frozenset[str], _most_s: float) -> None:
        waited_for.append(set(requests))

    monkeypatch.setattr(sentry_memory._Rebuild, "_wait_for", wait)
    shop.hold("req_over", for_ms=0)
    shop.hold("req_open")
    shop.rebuild()
    assert waited_for == [{"req_open"}]


def test_a_connection_that_is_cut_before_the_answer_counts_nothing_twice(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for days_ago in (150, 30, 9, 2):
        shop.decide(days_ago, declined=True)
    ask, cut = _OneServer.ask, set[Command]()

    async def ask_and_cut(client: _OneServer, commands: Sequence[Command]) -> list[Any]:
        replies = await ask(client, commands)
        if str(commands[0][0]).startswith("EVAL") and commands[0] not in cut:
            cut.add(commands[0])
            raise DISCONNECTED("the store has done what it was told")
        return replies

    monkeypatch.setattr(_OneServer, "ask", ask_and_cut)
    shop.rebuild()
    monkeypatch.undo()
    assert cut
    assert shop.ask() == (4, 4)


def test_what_the_memory_missed_is_told_once(shop: Shop) -> None:
    shop.decide(3, counted=None)
    shop.rebuild()

    assert shop.ask() == (1, 0)
    with shop.session.reading() as connection:
        assert not connection.execute(sa.select(MISSED_EVENTS)).all()


def test_it_leaves_lines_in_the_audit_trail_and_says_when_it_was(shop: Shop) -> None:
    shop.decide(1)
    shop.rebuild()
    with shop.session.reading() as connection:
        actions = list(connection.scalars(sa.text("SELECT action FROM audit ORDER BY seq")))
    assert actions[-2:] == ["memory.rebuild", "memory.rebuilt"]
    assert shop.use(lambda opened: opened.rebuilt_at()) is not None


def test_one_that_is_interrupted_leaves_a_memory_that_is_known_not_to_be_whole(
    shop: Shop,
) -> None:
    shop.decide(1)
    shop.rebuild()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild_memory(shop.session, shop.settings, interrupt, settle_s=0)
    assert shop.use(lambda opened: opened.rebuilt_at()) is None
    shop.rebuild()
    assert shop.ask() == (1, 0)


def test_only_one_runs_at_a_time(shop: Shop) -> None:
    shop.use(lambda opened: opened.lock("somebody else"))
    with pytest.raises(Conflict, match="another rebuild"):
        shop.rebuild()


def test_it_stays_the_only_one_however_many_accounts_begin_anew(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        make_account(shop.session)
    begin_anew = OpenedMemory.begin_anew

    async def begin_slowly(
        opened: OpenedMemory, account_ids: Sequence[str], generation: bytes
    ) -> None:
        lock = opened.keys.account("").other + b"rebuilding"
        for _ in account_ids:
            # As if each took 40 of the 60 seconds that the right to rebuild lasts.
            left_s = await opened.store.command("TTL", lock)
            await opened.store.command("EXPIRE", lock, left_s - 40)
        await begin_anew(opened, account_ids, generation)

    monkeypatch.setattr(OpenedMemory, "begin_anew", begin_slowly)
    monkeypatch.setattr(sentry_memory, "_ACCOUNTS_AT_ONCE", 1)
    assert shop.rebuild().days == 200


def test_a_memory_that_is_away_is_said_to_be(sqlite_session: AdminSession) -> None:
    shop = Shop(sqlite_session, "redis://:s3cret@127.0.0.1:1")
    with pytest.raises(GatehouseError, match="cannot be reached") as refused:
        shop.rebuild()
    assert "s3cret" not in str(refused.value)


def test_a_key_of_an_account_may_not(sqlite_session: AdminSession) -> None:
    session = sqlite_session.acting_as(Actor.key("key_1", "acct_1"))
    with pytest.raises(GatehouseError):
        rebuild_memory(session, load_settings({"GATEHOUSE_MEMORY_URL": "redis://127.0.0.1:1"}))


def test_without_a_shared_memory_the_command_says_how_servers_rebuild_their_own(
    sqlite_home: Home,
) -> None:
    with sqlite_home.session() as session, pytest.raises(WrongUsage):
        rebuild_memory(session, load_settings({}))
    done = sqlite_home.run("sentry", "rebuild", "--json")
    assert done.code == 2
    assert "when it starts" in done.err
