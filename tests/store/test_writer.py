"""When the writer answers: authorizations after their commit, charges when they are durable."""

import asyncio
import sqlite3
import threading

import pytest

from gatehouse.billing.ledger import AccountState, Hold, Item
from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.money import Payment
from gatehouse.pipeline.settlement import (
    Authorize,
    Authorized,
    Claim,
    Close,
    Closed,
    DecisionRow,
    KeyReused,
    Release,
    Replay,
)
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests.batch_sql import NO_RECORDS, BatchSession, SqliteBatchSession
from gatehouse.store.requests.settlement import BatchKeys, BatchRows, Changes, StoredClaim
from gatehouse.store.requests.writer import Writer
from tests.harness import make_account

NOW = 1_700_000_000_000


class SlowDisk(BatchSession):
    """A database in memory whose flushes last until the test lets them end."""

    flushes = True

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.asked = threading.Event()
        self.synced = threading.Event()
        self.lost = False
        self.holds = {name: Hold(name, "acct", 10, NOW, "srv") for name in ("one", "two")}
        self.claims: dict[str, StoredClaim] = {}

    def load(
        self, wanted: BatchKeys, records: Changes = NO_RECORDS, *, durable: bool = True
    ) -> BatchRows:
        self.calls.append("load")
        holds = {name: self.holds[name] for name in wanted.holds}
        return BatchRows({"acct": AccountState(100, 20)}, holds, dict(self.claims), {})

    def save(self, changes: Changes, *, flush: bool = True) -> None:
        self.calls.append("save")
        if flush:
            self.flush()

    def flush(self) -> None:
        self.asked.set()
        assert self.synced.wait(60)
        self.calls.append("flush")
        if self.lost:
            raise StoreUnavailable("the connection was lost")

    def abandon(self) -> None:
        self.calls.append("abandon")

    def close(self) -> None:
        self.calls.append("close")


def authorize(
    name: str,
    claim: Claim | None = None,
    intent: Payment | None = None,
    account: str = "acct",
) -> Authorize:
    return Authorize(Hold(name, account, 10, NOW, "srv"), NOW, claim, intent)


def close(name: str, account: str = "acct") -> Close:
    row = DecisionRow(account, name, NOW, "precheck", None, None, "{}")
    return Close(account, name, NOW, [Item("PRECHECK", 10, True)], row)


async def started(*sessions: SlowDisk) -> Writer:
    left = list(sessions)
    writer = Writer(lambda: left.pop(0) if left else sessions[-1], threads=len(sessions))
    writer.start()
    return writer


def test_an_authorization_does_not_wait_for_the_disk_and_a_charge_beside_it_does() -> None:
    async def scenario() -> None:
        disk = SlowDisk()
        writer = await started(disk)
        charge, release = writer.close(close("one")), writer.release(Release("acct", "two", NOW))
        assert isinstance(await writer.authorize(authorize("three")), Authorized)
        await release
        assert not charge.done()
        disk.synced.set()
        assert isinstance(await charge, Closed)
        assert disk.calls.count("save") == 1
        await writer.stop()

    asyncio.run(scenario())


def test_a_writer_tells_for_how_long_a_commit_has_not_ended() -> None:
    async def scenario() -> None:
        disk = SlowDisk()
        writer = await started(disk)
        assert writer.under_way_s == 0
        charge = writer.close(close("one"))
        await asyncio.to_thread(disk.asked.wait, 60)
        first = writer.under_way_s
        assert 0 < first < writer.under_way_s
        disk.synced.set()
        await charge
        assert writer.under_way_s == 0
        await writer.stop()

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", ["with a payment", "a repetition", "a key used otherwise"])
def test_what_must_not_be_undone_waits_for_the_disk(kind: str) -> None:
    async def scenario() -> None:
        disk = SlowDisk()
        disk.claims = {"key": StoredClaim("key", "zero", "body", "answer", NOW + 1)}
        order = {
            "with a payment": authorize("three", intent=Payment(1, "USD")),
            "a repetition": authorize("three", Claim("key", "body", NOW + 1)),
            "a key used otherwise": authorize("three", Claim("key", "other", NOW + 1)),
        }[kind]
        writer = await started(disk)
        waiting = writer.authorize(order)
        await asyncio.to_thread(disk.asked.wait, 60)
        assert not waiting.done()
        disk.synced.set()
        assert isinstance(await waiting, Authorized | Replay | KeyReused)
        assert disk.calls[-1] == "flush"
        await writer.stop()

    asyncio.run(scenario())


def test_the_next_batch_commits_while_the_last_one_becomes_durable() -> None:
    async def scenario() -> None:
        disks = SlowDisk(), SlowDisk()
        writer = await started(*disks)
        first = asyncio.gather(writer.close(close("one")), writer.authorize(authorize("three")))
        # Only the first batch is being flushed when the other thread takes the next.
        assert isinstance(await writer.authorize(authorize("four")), Authorized)
        assert isinstance(await writer.authorize(authorize("five")), Authorized)
        assert not first.done()
        for disk in disks:
            disk.synced.set()
        await first
        assert writer.waiting == 0
        await writer.stop()

    asyncio.run(scenario())


def test_a_charge_whose_flush_fails_is_not_answered_and_the_connection_is_given_up() -> None:
    async def scenario() -> None:
        disk = SlowDisk()
        disk.lost = True
        disk.synced.set()
        writer = await started(disk)
        answers = await asyncio.gather(
            writer.close(close("one")), writer.authorize(authorize("three")), return_exceptions=True
        )
        assert isinstance(answers[0], StoreUnavailable)
        assert isinstance(answers[1], Authorized)
        assert not writer.commits
        assert "close" in disk.calls
        await writer.stop()

    asyncio.run(scenario())


class NotedSession(SqliteBatchSession):
    """Notes how SQLite waits for the disk at each commit."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self.levels: list[int] = []

    def save(self, changes: Changes, *, flush: bool = True) -> None:
        super().save(changes, flush=flush)
        self.levels.append(self._connection.execute("PRAGMA synchronous").fetchone()[0])


def test_sqlite_waits_for_the_disk_with_charges_and_payments_only(
    sqlite_session: AdminSession,
) -> None:
    account = make_account(sqlite_session, micros=100)
    file = sqlite_session.database.file
    assert file is not None
    noted = NotedSession(sqlite3.connect(file, check_same_thread=False, isolation_level=None))

    async def scenario() -> None:
        writer = Writer(lambda: noted)
        writer.start()
        await writer.authorize(authorize("one", account=account))
        await writer.authorize(authorize("two", intent=Payment(1, "USD"), account=account))
        # What need not wait has a commit of its own.
        three = authorize("three", account=account)
        await asyncio.gather(writer.close(close("one", account)), writer.authorize(three))
        await writer.release(Release(account, "three", NOW))
        await writer.close(close("two", account))
        await writer.stop()

    asyncio.run(scenario())
    normal, full = 1, 2
    assert noted.levels == [normal, full, normal, full, normal, full]
