"""A shared memory is compared with what it was told: data it lost is noticed, and copies are."""

import asyncio
import dataclasses
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
import sqlalchemy as sa
from redis import Redis

from gatehouse.admin.memory.queries.memory_told import MemoryTold, may_rebuild, note_told, read_told
from gatehouse.admin.memory.use_cases.memory_check import STEP_MS, check_memory
from gatehouse.admin.memory.use_cases.rebuilding import rebuild_memory
from gatehouse.admin.memory.worker.live_memory import LiveSharedMemory
from gatehouse.admin.memory.worker.memory_points import memory_points
from gatehouse.core.errors import ConnectorFailed
from gatehouse.operations.shared_memory import OpenedMemory, open_shared_memory
from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from gatehouse.settings.settings import Settings, load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.database import Database
from gatehouse.store.state import write_probe
from tests.harness import make_account, until
from tests.store.deciding import keep_decision
from tests.valkeys import start_cluster, valkey_program

T = TypeVar("T")
_WAITING = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")


class Shop:
    """An installation with an account and a decision, whose clock goes on by steps."""

    def __init__(self, session: AdminSession, url: str) -> None:
        self.now_ms = session.clock()
        self.session = dataclasses.replace(session, clock=lambda: self.now_ms)
        self.account = make_account(self.session)
        keep_decision(self.session, self.account, self.now_ms)
        self.settings: Settings = load_settings({"GATEHOUSE_MEMORY_URL": url})

    @property
    def told(self) -> MemoryTold:
        with self.session.reading() as connection:
            return read_told(connection)

    def use(self, work: Callable[[OpenedMemory], Awaitable[T]]) -> T:
        async def whole() -> T:
            name = self.told.installation
            opened = open_shared_memory(
                self.settings, self.session.ring, installation=name, timeout_ms=60_000
            )
            try:
                return await work(opened)
            finally:
                await opened.store.close()

        return asyncio.run(whole())

    def fill(self) -> None:
        """Rebuild the memory, and let servers make a few steps."""
        rebuild_memory(self.session, self.settings, settle_s=0)
        self.go_on(3)

    def go_on(self, steps: int = 1) -> None:
        for _ in range(steps):
            self.now_ms += STEP_MS
            self.use(lambda opened: check_memory(self.session, opened))

    def is_whole(self) -> bool:
        return self.use(lambda opened: opened.rebuilt_at()) is not None

    def doctor(self) -> tuple[bool, str]:
        points = memory_points(self.settings, lambda: self.session)
        [point] = [each for each in points if each.name == "past in the shared memory"]
        return point.ok, point.found

    def set_back(self, to: MemoryTold) -> None:
        """Let the database be one that was restored by other means than `gatehouse restore`."""
        with self.session.database.writing() as connection:
            assert note_told(connection, read_told(connection), to)


@pytest.fixture
def shop(session: AdminSession, valkey: str) -> Shop:
    return Shop(session, valkey)


def test_a_memory_that_keeps_what_it_was_told_stays_whole(shop: Shop, valkey: str) -> None:
    shop.fill()
    assert shop.is_whole()
    assert shop.told.number == 3
    with Redis.from_url(valkey) as store:
        # A full store forgets what has a time to live, which is all that it may forget.
        for name in store.scan_iter():
            if store.ttl(name) > 0:
                store.delete(name)
    shop.go_on()
    assert shop.is_whole()
    assert shop.doctor()[0]


def test_a_store_that_comes_back_with_an_older_file_is_not_whole(session: AdminSession) -> None:
    with TemporaryDirectory(prefix="gatehouse-valkey-") as folder:
        path = Path(folder) / "s"
        always = ("--appendonly", "yes", "--appendfsync", "always")
        kept = ("--port", "0", "--save", "", *always, "--dir", folder)
        command = [str(valkey_program()), "--unixsocket", str(path), *kept]

        def start() -> "subprocess.Popen[bytes]":
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            until(path.exists)
            return process

        def stop(process: "subprocess.Popen[bytes]") -> None:
            process.terminate()
            process.wait()
            path.unlink(missing_ok=True)

        process = start()
        try:
            shop = Shop(session, f"unix://{path}")
            shop.fill()
            log = Path(folder) / "appendonlydir"
            shutil.copytree(log, older := Path(folder) / "older")
            # A Redis that drops transactions from its log must drop the marks with them.
            assert b"MULTI" in b"".join(each.read_bytes() for each in older.glob("*.incr.aof"))
            shop.go_on(2)
            stop(process)
            shutil.rmtree(log)
            older.rename(log)
            process = start()

            assert shop.is_whole()
            assert shop.doctor() == (False, "it has lost a part of what it was told")
            shop.go_on()
            assert not shop.is_whole()
            shop.fill()
            assert shop.is_whole()
        finally:
            stop(process)


def test_a_server_of_a_cluster_that_lost_its_data_is_noticed(sqlite_session: AdminSession) -> None:
    with start_cluster() as urls:
        shop = Shop(sqlite_session, urls[0])
        for url in urls:
            shop.fill()
            assert shop.is_whole()
            with Redis.from_url(url) as server:
                server.flushall()
            shop.go_on()
            assert not shop.is_whole()


def test_a_copy_of_the_database_leaves_the_keys_of_the_original_alone(
    shop: Shop, valkey: str
) -> None:
    shop.fill()
    copied = shop.told
    shop.go_on(2)
    original = shop.told
    with Redis.from_url(valkey) as store:
        before = {name: store.dump(name) for name in store.scan_iter()}
        shop.set_back(copied)
        assert shop.doctor()[1].startswith("it was told by another database")
        assert rebuild_memory(shop.session, shop.settings, settle_s=0).deleted_keys == 0
        shop.go_on(3)
        assert shop.told.installation != ""
        assert {name: store.dump(name) for name in before} == before
    assert shop.is_whole()

    shop.set_back(original)
    shop.go_on()
    assert shop.told.installation == ""
    assert shop.is_whole()


def test_a_server_on_a_copy_tells_nothing_before_it_knows_whose_memory_it_is(shop: Shop) -> None:
    shop.fill()
    copied = shop.told
    shop.go_on(2)
    shop.set_back(copied)
    event = MemoryEvent(shop.account, shop.now_ms / 1000, [(EntityKind.USER, "ann")], 5.0, "USD")

    async def serve(opened: OpenedMemory) -> tuple[bool, str, bool]:
        live = LiveSharedMemory(shop.session, opened, lambda: False, rebuild=())
        with pytest.raises(ConnectorFailed, match="whose shared memory"):
            await live.memory.record_and_recall(event)
        away = live.state().is_away
        await live.start()
        recalled = await live.memory.record_and_recall(event)
        return away, opened.keys.installation, recalled.counted

    away, installation, counted = shop.use(serve)
    assert (away, counted) == (True, True)
    assert installation == shop.told.installation != ""
    with shop.session.reading() as connection:
        actions = list(connection.scalars(sa.text("SELECT action FROM audit ORDER BY seq")))
    assert actions[-1] == "memory.begun"


def test_one_server_rebuilds_by_itself_and_not_again_and_again(shop: Shop) -> None:
    def asked(after_ms: int) -> bool:
        with shop.session.database.writing() as connection:
            return may_rebuild(connection, shop.now_ms + after_ms, 1000)

    assert [asked(after_ms) for after_ms in (0, 0, 999, 1000, 1001)] == [
        *(True, False, False),
        *(True, False),
    ]


def _begun_by_one(database: Database, ask: Callable[[sa.Connection], object]) -> None:
    """Ask once more before the first who asks has committed: it must wait, and be told no."""
    with ThreadPoolExecutor(1) as other:

        def asked() -> object:
            with database.writing() as connection:
                return ask(connection)

        with database.writing() as connection:
            assert ask(connection)
            second = other.submit(asked)
            if not database.is_sqlite:
                with database.reading() as watching:
                    until(lambda: watching.scalar(_WAITING))
        assert second.result() is False


def test_of_servers_that_start_together_one_begins_and_none_dies(shop: Shop) -> None:
    database = shop.session.database
    _begun_by_one(database, lambda each: may_rebuild(each, shop.now_ms, 1000))
    _begun_by_one(database, lambda each: note_told(each, MemoryTold(), MemoryTold("ours")))


def test_servers_that_probe_the_database_together_all_succeed(session: AdminSession) -> None:
    turns = iter((True, False))

    def probe(connection: sa.Connection) -> bool:
        write_probe(connection)
        return next(turns)

    _begun_by_one(session.database, probe)
