"""What a batch reads and writes: its own rows, however many others there are."""

import asyncio
import re
import sqlite3
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from gatehouse.billing.ledger import Hold, Item
from gatehouse.core.errors import AuthorizationLost
from gatehouse.pipeline.settlement import Authorize, Close, DecisionRow
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.database import Database
from gatehouse.store.requests import batch_sql
from gatehouse.store.requests.batch_sql import BatchSession, open_batch_session
from gatehouse.store.requests.batch_statements import PARTS, postgres_save
from gatehouse.store.requests.settlement import BatchKeys
from gatehouse.store.requests.writer import Writer
from gatehouse.store.search import index_sessions
from gatehouse.store.tables import DECISIONS
from tests.harness import Home, make_account


def _close(account: str, request_id: str, record: str) -> Close:
    row = DecisionRow(account, request_id, 7, "precheck", None, None, record)
    return Close(account, request_id, 7, [Item("PRECHECK", 30, True)], row)


def test_a_refused_close_leaves_no_record_and_changes_none(session: AdminSession) -> None:
    account = make_account(session, micros=1000)

    async def scenario() -> list[object]:
        writer = Writer(partial(open_batch_session, session.database))
        writer.start()
        now_ms = session.clock()
        for name in ("first", "second"):
            await writer.authorize(
                Authorize(Hold(name, account, 30, now_ms + 60_000, "srv"), now_ms)
            )
        await writer.close(_close(account, "first", '{"closedMicros":30}'))
        ends = [
            writer.close(_close(account, "first", '{"closedMicros":31}')),
            writer.close(_close(account, "second", '{"closedMicros":30}')),
            writer.close(_close(account, "unknown", '{"closedMicros":30}')),
        ]
        answers = await asyncio.gather(*ends, return_exceptions=True)
        await writer.stop()
        return list(answers)

    again, second, unknown = asyncio.run(scenario())
    assert isinstance(again, AuthorizationLost)
    assert isinstance(unknown, AuthorizationLost)
    assert not isinstance(second, BaseException)
    with session.reading() as connection:
        rows = connection.execute(sa.select(DECISIONS.c.request_id, DECISIONS.c.record))
        assert {row.request_id: row.record for row in rows} == {
            "first": '{"closedMicros":30}',
            "second": '{"closedMicros":30}',
        }


LISTS = ["1"], ["x"], 1, ["c", "d"], 1, ["g", "h"]
STATEMENTS = {
    "load": (batch_sql._POSTGRES_LOAD.decode(), LISTS),
    "save": (postgres_save(tuple(PARTS)).decode(), ("[]",) * len(PARTS)),
    "look": (index_sessions._LOOK, ()),
    "end": (index_sessions._END.format(p="%s"), ("req_a", "req_b", 100)),
    "index": (index_sessions._POSTGRES_ADD.format(p="%s"), ("req_a", "req_b")),
    "move": (index_sessions._POSTGRES_MOVE.format(p="%s"), (100,)),
}


@pytest.mark.parametrize("plan", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_batch_reads_no_table_as_a_whole(
    new_database: Callable[[], str], statement: str, plan: str
) -> None:
    """All card numbers of a day, and all holds that have ended since the last vacuum, are many."""
    text, values = STATEMENTS[statement]
    database = Database(new_database(), timeout_ms=5000)
    session = open_batch_session(database)
    connection = session._connection
    connection.execute("BEGIN")
    connection.execute(f"SET LOCAL plan_cache_mode = {plan}")
    names = iter(f"${n}" for n in range(1, 1 + len(values)))
    connection.execute(f"PREPARE it AS {re.sub('%s', lambda _: next(names), text)}")
    given = f" ({', '.join(['%s'] * len(values))})" if values else ""
    execute = f"EXPLAIN EXECUTE it{given}"
    explain = psycopg.ClientCursor(connection).mogrify(execute.encode(), values)
    shown = "\n".join(line for [line] in connection.execute(explain.encode()))
    session.close()
    database.dispose()
    assert "Index" in shown
    assert "Seq Scan" not in shown, shown
    assert "card_numbers_at_ms" not in shown, shown


PLANS = "SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements"


def test_no_statement_of_the_writer_is_planned_for_each_batch(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    """To plan what loads a batch takes PostgreSQL longer than to load a small one."""
    opened = []

    def open_noted() -> BatchSession:
        opened.append(open_batch_session(session.database))
        return opened[-1]

    async def scenario() -> list[tuple[str, int, int]]:
        writer, now_ms = Writer(open_noted), session.clock()
        writer.start()
        for name in map(str, range(8)):
            await writer.authorize(
                Authorize(Hold(name, account, 30, now_ms + 60_000, "srv"), now_ms)
            )
            await writer.close(_close(account, name, "{}"))
        [used] = opened
        found: list[tuple[str, int, int]] = used._connection.execute(PLANS).fetchall()
        await writer.stop()
        return found

    with Home(tmp_path / "home", new_database()).session() as session:
        account = make_account(session, micros=1000)
        session.database.dispose()  # the writer is not given a connection that others used before
        plans = asyncio.run(scenario())
    assert len(plans) >= 5
    assert [each for each in plans if not each[1] or each[2]] == []


def test_a_batch_looks_again_often_while_another_process_has_the_lock(
    sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself would look again after 1, 2, 5, 10 and 15 ms."""
    opened = open_batch_session(sqlite_session.database)
    other = sqlite_session.database.driver_connection()
    other.execute("BEGIN IMMEDIATE")
    looks: list[float] = []

    def pause(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 3:
            other.execute("COMMIT")

    monkeypatch.setattr(time, "sleep", pause)
    opened.load(BatchKeys())
    opened.abandon()
    opened.close()
    other.close()
    assert len(looks) == 3
    assert max(looks) < 0.001


def test_a_batch_does_not_wait_for_ever_for_the_lock(
    sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_batch_session(sqlite_session.database)
    other = sqlite_session.database.driver_connection()
    other.execute("BEGIN IMMEDIATE")
    passed = iter(range(1000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(passed)))
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        opened.load(BatchKeys())
    opened.close()
    other.close()
