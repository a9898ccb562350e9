"""Decision records in partitions on PostgreSQL: made beside a server, kept ahead, dropped whole."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from gatehouse.admin.privacy.use_cases import partitions as making
from gatehouse.admin.privacy.use_cases.partitions import PartitionKeeper, partition_decisions
from gatehouse.admin.privacy.use_cases.retention import RetentionPolicy, run_retention
from gatehouse.core.errors import Conflict, StoreUnavailable
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import partitions
from gatehouse.store.decisions.partitions import Month
from gatehouse.store.requests import sweeper
from gatehouse.store.tables import DECISIONS, FEEDBACK, REVIEWS, SEARCH_ENTRIES
from tests.admin.shop import DAY_MS, Shop
from tests.databases import Postgres
from tests.harness import Home, precheck, sandbox_key, until
from tests.store.deciding import keep_decision

ONE_TABLE = "decision records are in one table"
AHEAD = "months ahead that have one for decision records"
SHOWN = "gatehouse_partition_months_ahead 3.0"


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


def test_how_many_months_have_partitions_is_measured_and_falls_while_none_can_be_made(
    session: AdminSession, apart: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "_ATTEMPTS", 1)
    monkeypatch.setattr(partitions, "LOCK_MS", 20)
    keeper = PartitionKeeper(session)
    keeper.make_ahead()
    assert keeper.months_ahead is None
    assert _doctor(apart) == (True, ONE_TABLE)
    partition_decisions(session)
    keeper.make_ahead()
    assert keeper.months_ahead == 3
    assert _doctor(apart) == (True, f"{AHEAD}: 3")
    with session.database.writing() as connection:
        for month in _months(session)[-2:]:
            partitions.drop_month(connection, month)
    late = PartitionKeeper(session)
    with session.reading() as reading:
        reading.execute(sa.text("LOCK TABLE decisions IN SHARE UPDATE EXCLUSIVE MODE"))
        with pytest.raises(Conflict, match="does not end"):
            late.make_ahead()
    assert late.months_ahead == 1
    assert _doctor(apart) == (False, f"{AHEAD}: 1")
    assert len(late.make_ahead()) == 2
    assert late.months_ahead == 3


def _doctor(home: Home) -> tuple[bool, str]:
    points = home.run("doctor", "--json").json["points"]
    [point] = [each for each in points if each["name"] == "partitions"]
    return point["ok"], point["found"]


def test_partitions_are_made_while_another_server_prunes(session: AdminSession) -> None:
    partition_decisions(_in_the_past(session, 35))
    with session.database.writing() as connection:
        assert connection.scalar(sweeper._MAY_PRUNE)
        assert PartitionKeeper(session).make_ahead()


def test_a_server_says_how_many_months_have_partitions(apart: Home) -> None:
    with apart.server() as server, server.client() as client:
        # A rule needs a value also where records are in one table, which has room for any month.
        assert "\ngatehouse_partition_months_ahead +Inf\n" in client.get("/metrics").text
    apart.ok("retention", "partition")
    with apart.server() as server, server.client() as client:
        until(lambda: client.get("/metrics").text, lambda text: f"\n{SHOWN}" in text)


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


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes give up at once."""
    monkeypatch.setattr(making, "_ATTEMPTS", 1)
    monkeypatch.setattr(partitions, "LOCK_MS", 20)


def _refused_from(session: AdminSession) -> Month | None:
    with session.reading() as connection:
        return partitions.refused_from(connection)


@pytest.mark.usefixtures("hasty")
def test_a_check_that_could_not_be_taken_away_is_told_and_goes_before_its_month(
    session: AdminSession, apart: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(session)
    shop.decide(days_ago=0)
    with contextlib.ExitStack() as backup:

        def begin_a_backup(_connection: sa.Connection) -> None:
            reader = backup.enter_context(session.reading())
            reader.execute(sa.text("LOCK TABLE decisions IN ACCESS SHARE MODE"))

        monkeypatch.setattr(partitions, "validate_checks", begin_a_backup)
        with pytest.raises(Conflict) as told:
            partition_decisions(session)
        first = _refused_from(session)
        assert first is not None
        refused = f"refuses every request from {first.first_day} on"
        assert f"before_the_first_month is left on the decisions and {refused}" in str(told.value)
        assert "Nothing was changed" not in str(told.value)
        last_day = replace(session, clock=lambda: first.start_ms - DAY_MS)
        with pytest.raises(Conflict, match="does not end"):
            PartitionKeeper(last_day).make_ahead()
    ok, found = _doctor(apart)
    assert (ok, refused in found) == (False, True)
    assert PartitionKeeper(last_day).make_ahead() == []
    assert _refused_from(session) is None
    assert _doctor(apart) == (True, ONE_TABLE)
    later = keep_decision(session, shop.account_id, first.start_ms)
    assert later in shop.ids(DECISIONS)


def test_a_server_leaves_the_check_of_a_partitioning_that_is_under_way(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    Shop(session).decide(days_ago=0)
    validate = partitions.validate_checks
    seen: list[Month | None] = []

    def look_meanwhile(connection: sa.Connection) -> None:
        PartitionKeeper(session).make_ahead()
        with pytest.raises(Conflict, match="another process puts decisions into partitions"):
            partition_decisions(session)
        seen.append(_refused_from(session))
        validate(connection)

    monkeypatch.setattr(partitions, "validate_checks", look_meanwhile)
    done = partition_decisions(session)
    assert [month and month.first_day for month in seen] == [f"{done.first_month}-01"]
    assert _months(session)


def test_a_signal_ends_a_partitioning_and_takes_its_check_away(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    Shop(session).decide(days_ago=0)
    asked = sa.text(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
        "AND wait_event = 'PgSleep'"
    )

    def validating() -> bool:
        with session.reading() as connection:
            return connection.scalar(asked) is not None

    def end_it() -> None:
        until(validating)
        os.kill(os.getpid(), signal.SIGTERM)

    def validate_for_long(connection: sa.Connection) -> None:
        connection.execute(sa.text("LOCK TABLE decisions IN SHARE UPDATE EXCLUSIVE MODE"))
        connection.execute(sa.text("SELECT pg_sleep(120)"))

    monkeypatch.setattr(partitions, "validate_checks", validate_for_long)
    ending = threading.Thread(target=end_it)
    before = signal.signal(signal.SIGTERM, lambda *_: pytest.fail("the signal is not heeded"))
    try:
        ending.start()
        with pytest.raises(SystemExit) as left:
            partition_decisions(session)
        ending.join()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert left.value.code == 128 + signal.SIGTERM
    assert _refused_from(session) is None
    assert not validating()


def test_a_check_that_stays_is_told_also_when_the_database_went_away(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    Shop(session).decide(days_ago=0)
    end_others = sa.text(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    def fail(connection: sa.Connection) -> None:
        connection.execute(end_others)
        raise StoreUnavailable("the database is not available: it restarts")

    monkeypatch.setattr(partitions, "validate_checks", fail)
    monkeypatch.setattr(partitions, "drop_checks", fail)
    with pytest.raises(Conflict, match=r"it restarts\. The check before_the_first_month"):
        partition_decisions(session)


def test_nothing_is_put_into_partitions_without_the_check(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    Shop(session).decide(days_ago=0)
    monkeypatch.setattr(partitions, "validate_checks", partitions.drop_checks)
    with pytest.raises(Conflict, match="took the check away"):
        partition_decisions(session)
    assert _months(session) == []
