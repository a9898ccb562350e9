"""Decision records in partitions on PostgreSQL: made beside a server, kept ahead, dropped whole."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from gatehouse.admin.partitions import PartitionKeeper, partition_decisions
from gatehouse.admin.retention import RetentionPolicy, run_retention
from gatehouse.core.errors import Conflict
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import partitions
from gatehouse.store.decisions.partitions import Month
from gatehouse.store.tables import DECISIONS, FEEDBACK, REVIEWS, SEARCH_ENTRIES
from tests.admin.shop import DAY_MS, Shop
from tests.databases import Postgres
from tests.harness import Home, precheck, sandbox_key


@pytest.fixture
def apart(postgres: Postgres, tmp_path: Path) -> Home:
    """A home whose database is not used by other tests again."""
    return Home(tmp_path / "home", postgres.new())


@pytest.fixture
def session(apart: Home) -> Iterator[AdminSession]:
    with apart.session() as opened:
        yield opened


def _in_the_past(session: AdminSession, days: int) -> AdminSession:
    """The session as it was so many days ago."""
    return replace(session, clock=lambda: session.clock() - days * DAY_MS)


def _months(session: AdminSession) -> list[Month]:
    with session.reading() as connection:
        return partitions.months(connection)


def _place(session: AdminSession, request_id: str) -> str:
    query = sa.text("SELECT tableoid::regclass::text FROM decisions WHERE request_id = :id")
    with session.reading() as connection:
        found: str = connection.scalars(query, {"id": request_id}).one()
        return found


def test_a_server_serves_while_its_records_are_put_into_partitions(apart: Home) -> None:
    with apart.server() as server, server.client(sandbox_key(apart)) as client:
        answers = [precheck(client)]
        done = threading.Event()

        def call() -> None:
            while not done.is_set():
                answers.append(precheck(client))

        calling = threading.Thread(target=call)
        calling.start()
        try:
            said = apart.ok("retention", "partition").out
        finally:
            done.set()
            calling.join()
        answers.append(precheck(client))
        assert {answer.status_code for answer in answers} == {200}
        first = answers[0].json()["requestId"]
        assert client.get(f"/api/v1/decisions/{first}").status_code == 200
        listed = client.get("/api/v1/decisions?limit=100").json()["decisionsResponse"]["decisions"]
        assert len(listed) == min(len(answers), 100)
    assert said.startswith("partitions begin with 20")
    assert apart.ok("retention", "partition").out == f"already done; {said}"
    assert "the ledger is right" in apart.ok("ledger", "verify").out


def test_what_is_there_stays_and_later_months_have_partitions(session: AdminSession) -> None:
    shop = Shop(session)
    earlier = shop.decide(days_ago=40)
    done = partition_decisions(_in_the_past(session, 35))
    assert _place(session, earlier) == "decisions_before"
    later = shop.decide(days_ago=0)
    assert _place(session, later) == Month.of(session.clock()).name(DECISIONS)
    assert _months(session)[0] == Month(*map(int, done.first_month.split("-")))
    # The same id cannot be in two partitions of an account.
    with pytest.raises(sa.exc.IntegrityError):
        shop.insert(
            DECISIONS,
            {
                **{"account_id": shop.account_id, "request_id": later, "at_ms": 1},
                **{"operation": "sentry", "record": "{}"},
            },
        )


def test_months_are_made_ahead_by_servers(session: AdminSession) -> None:
    partition_decisions(_in_the_past(session, 400))
    assert Month.of(session.clock()) not in _months(session)
    made = PartitionKeeper(session).make_ahead()
    assert len(made) >= 12
    assert len(_months(session)) == len(made) + partitions.MONTHS_AHEAD + 1
    assert PartitionKeeper(session).make_ahead() == []


def test_whole_months_are_dropped_and_the_rest_is_deleted_row_by_row(
    session: AdminSession,
) -> None:
    partition_decisions(_in_the_past(session, 200))
    PartitionKeeper(session).make_ahead()
    shop = Shop(session)
    oldest, reviewed, kept = shop.decide(days_ago=195), shop.decide(days_ago=120), shop.decide(1)
    for request_id in (oldest, kept):
        shop.review(request_id, "ACCEPTED")
        shop.label(request_id, days_ago=0)
    shop.review(reviewed, "OPEN")
    beside = shop.decide(days_ago=120)
    month_of = {each: _place(session, each) for each in (oldest, reviewed, kept)}
    deleted = run_retention(session, RetentionPolicy(decisions=60))
    assert (deleted.decisions, deleted.reviews, deleted.feedback) == (2, 1, 1)
    # An open review keeps its record, and with it the table of its month.
    assert shop.ids(DECISIONS) == {reviewed, kept}
    assert shop.ids(SEARCH_ENTRIES) == {reviewed, kept}
    assert shop.ids(REVIEWS) == {reviewed, kept}
    assert shop.ids(FEEDBACK) == {kept}
    assert beside not in shop.ids(DECISIONS)
    names = {each.name(DECISIONS) for each in _months(session)}
    assert month_of[oldest] not in names
    assert {month_of[reviewed], month_of[kept]} <= names


def test_a_query_for_one_request_looks_into_one_partition(session: AdminSession) -> None:
    partition_decisions(_in_the_past(session, 200))
    PartitionKeeper(session).make_ahead()
    request_id = Shop(session).decide(days_ago=1)
    query = sa.text("EXPLAIN SELECT * FROM decisions WHERE account_id = 'a' AND request_id = :id")
    with session.reading() as connection:
        plan = "\n".join(connection.scalars(query, {"id": request_id}))
    assert plan.count("Scan") == 1


def test_a_sqlite_file_is_told_that_it_has_none(sqlite_session: AdminSession) -> None:
    with pytest.raises(Conflict, match="this is for PostgreSQL"):
        partition_decisions(sqlite_session)
    assert PartitionKeeper(sqlite_session).make_ahead() == []


def test_a_month_that_is_being_read_is_deleted_row_by_row(session: AdminSession) -> None:
    partition_decisions(_in_the_past(session, 200))
    shop = Shop(session)
    old = shop.decide(days_ago=195)
    with session.reading() as reader:
        reader.execute(sa.select(DECISIONS.c.request_id))
        assert shop.run(decisions=60).decisions == 1
    assert old not in shop.ids(DECISIONS)
    assert shop.ids(SEARCH_ENTRIES) == set()
