"""The watch reads every part once, keeps counts, and tells once what began to drift."""

from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.admin.drift import queries
from gatehouse.admin.drift.tables import DRIFT_PROFILES, DRIFTS
from gatehouse.admin.drift.types.comparing import DriftKind
from gatehouse.admin.drift.types.profile import PART_MS, PARTS_A_DAY, TrafficProfile, encode_profile
from gatehouse.admin.drift.types.shown import DriftSearch
from gatehouse.admin.drift.use_cases import list_drift
from gatehouse.admin.drift.worker import watch as watching
from gatehouse.admin.drift.worker.reading import AT_MOST, ProfileReader
from gatehouse.admin.drift.worker.watch import PARTS_A_LOOK, DriftWatch
from gatehouse.admin.events.use_cases import events
from gatehouse.admin.events.use_cases.events import EventQuery
from gatehouse.core.events import EventName
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS, FEEDBACK
from tests.admin.drift.traffic import Day, parts
from tests.backtest.material import record, request_id, ruled, stage
from tests.harness import make_account
from tests.web.described_events import check_event

DAY_MS = 86_400_000
DAYS = 36
NEW = 35 * PARTS_A_DAY


def _newest(session: AdminSession) -> int:
    """The newest part that has ended."""
    return session.clock() // PART_MS * PART_MS - PART_MS


def _keep(session: AdminSession, account: str, made: list[TrafficProfile], newest_ms: int) -> None:
    with session.database.writing() as connection:
        for number, profile in enumerate(reversed(made)):
            queries.keep_profile(connection, account, newest_ms - number * PART_MS, profile)


def _told(session: AdminSession, account: str) -> list[dict[str, Any]]:
    found = events.list_events(session, account, EventQuery(types=(EventName.DRIFT_NOTICED,)))
    for each in found.events:
        check_event(each)
    return [each.data for each in found.events]


def _abroad(number: int, day: Day) -> None:
    if number >= NEW:
        day.abroad, day.hits = 0.8, 0.2


def test_what_began_to_drift_is_told_once_and_listed_until_it_is_usual(
    session: AdminSession,
) -> None:
    account, newest_ms, watch = make_account(session), _newest(session), DriftWatch(session)
    made = parts(DAYS, _abroad)
    _keep(session, account, made, newest_ms)
    watch.judge(account, newest_ms)
    watch.judge(account, newest_ms)
    [told] = _told(session, account)
    assert (told["count"], [each["name"] for each in told["drifts"]]) == (
        2,
        ["ip.country", "shop/abroad"],
    )
    listed = list_drift(session, account, DriftSearch()).drifts
    assert {(each.kind, each.name) for each in listed} == {
        (DriftKind.SIGNAL, "ip.country"),
        (DriftKind.RULE, "shop/abroad"),
    }
    [rule] = [each for each in listed if each.kind is DriftKind.RULE]
    assert rule.said.startswith("the rule shop/abroad matches 20")
    # A day that is like the others ends it.
    _keep(session, account, parts(DAYS), newest_ms)
    watch.judge(account, newest_ms)
    assert list_drift(session, account, DriftSearch()).drifts == []
    ended = list_drift(session, account, DriftSearch(ended=True)).drifts
    assert [each.ended_at is None for each in ended] == [False, False]
    assert len(_told(session, account)) == 1


def test_a_part_that_is_not_read_yet_makes_its_day_no_reference(
    sqlite_session: AdminSession,
) -> None:
    session, account = sqlite_session, make_account(sqlite_session)
    newest_ms = _newest(session)
    _keep(session, account, parts(DAYS, _abroad)[-10 * PARTS_A_DAY :], newest_ms)
    DriftWatch(session).judge(account, newest_ms)
    # One week before is not enough to say what is usual.
    assert list_drift(session, account, DriftSearch()).drifts == []


def _label(session: AdminSession, account: str, at_ms: int, known_ms: int, number: int) -> None:
    row = {
        **{"seq": number + 1, "account_id": account, "request_id": request_id(number, at_ms)},
        **{"label": ("CHARGEBACK", "CARD_TESTING")[number % 2], "recorded_at_ms": known_ms},
        **{"actor": "test", "source": "import"},
    }
    with session.database.writing() as connection:
        connection.execute(FEEDBACK.insert(), row)


@pytest.mark.parametrize(("later_days", "drifts"), [(0, []), (12, ["delay"])])
def test_labels_that_come_later_are_told(
    session: AdminSession, later_days: int, drifts: list[str]
) -> None:
    account, newest_ms = make_account(session), _newest(session)
    end_ms = newest_ms + PART_MS
    for number in range(200):
        known_ms = end_ms - 1 - number * 35 * DAY_MS // 200
        took_days = 6 + number % 5 + (later_days if known_ms >= end_ms - 7 * DAY_MS else 0)
        _label(session, account, known_ms - took_days * DAY_MS, known_ms, number)
    DriftWatch(session).judge(account, newest_ms)
    listed = list_drift(session, account, DriftSearch()).drifts
    assert [each.name for each in listed] == drifts
    if listed:
        assert (listed[0].usual, listed[0].figure) == (8.0, 20.0)
        assert "wait longer for labels" in listed[0].said


def _record(
    session: AdminSession, account: str, number: int, at_ms: int, **about: Any
) -> dict[str, Any]:
    signals = {
        "order.amount": 20.0 + number % 7,
        "user.id": "secret-user",
        "email.domain": "secret.example",
        "custom.tier": "gold",
        **about.get("signals", {}),
    }
    stages = [
        stage("Sentry", {"requestConfidence": 0.97, "ipScore": 0.5, "reasons": []}),
        ruled("REVIEW" if number % 4 == 0 else "ACCEPT", ["big"] if number % 4 == 0 else []),
        stage("Gateway", {"status": "AUTHORIZED"}, completed=about.get("completed", True)),
    ]
    made = record(number, signals, stages, at_ms=at_ms)
    return {
        "account_id": account,
        "request_id": made["requestId"],
        "at_ms": at_ms,
        "operation": "pipeline",
        "record": msgspec.json.encode(made).decode(),
    }


def _insert(session: AdminSession, rows: list[dict[str, Any]]) -> None:
    with session.database.writing() as connection:
        connection.execute(DECISIONS.insert(), rows)


def test_a_profile_counts_records_and_keeps_no_value(session: AdminSession) -> None:
    account, start_ms = make_account(session), _newest(session)
    _insert(
        session,
        [_record(session, account, n, start_ms + 1000 + n * 60_000) for n in range(100)]
        + [_record(session, account, 900, start_ms - 1), _broken(account, start_ms + 5)],
    )
    made = ProfileReader(session.database).read(account, start_ms)
    assert made.requests == 100
    assert len(made.of_signal("order.amount")) > 1
    assert sum(made.of_signal("sentry.requestConfidence").values()) == 100
    assert sum(made.of_signal("custom.tier").values()) == 100
    assert (made.rules, made.judged) == ({"shop/big": 25}, {"shop/1": 100})
    assert "user.id" not in made.signals
    assert not [name for name in made.signals if name.startswith(("velocity.", "gateway."))]
    assert b"secret" not in msgspec.msgpack.encode(made)
    assert b"gold" not in msgspec.msgpack.encode(made)


def _broken(account: str, at_ms: int) -> dict[str, Any]:
    about = {"account_id": account, "request_id": request_id(901, at_ms), "at_ms": at_ms}
    return {**about, "operation": "pipeline", "record": "{"}


def test_requests_that_an_outage_left_unfinished_are_not_counted(
    sqlite_session: AdminSession,
) -> None:
    session, account = sqlite_session, make_account(sqlite_session)
    start_ms = _newest(session)
    rows = [
        _record(session, account, n, start_ms + n, completed=n >= 30, signals={"ip.country": "DE"})
        for n in range(40)
    ]
    _insert(session, rows)
    made = ProfileReader(session.database).read(account, start_ms)
    assert (made.requests, made.judged) == (10, {"shop/1": 10})


def test_of_a_busy_quarter_of_an_hour_the_first_requests_are_counted(
    sqlite_session: AdminSession,
) -> None:
    session, account = sqlite_session, make_account(sqlite_session)
    start_ms = _newest(session)
    _insert(session, [_record(session, account, n, start_ms + n) for n in range(AT_MOST + 50)])
    assert ProfileReader(session.database).read(account, start_ms).requests == AT_MOST


def test_a_look_reads_every_part_once_and_only_of_busy_accounts(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_REST_S", 0.0)
    monkeypatch.setattr(watching, "_LATE_MS", 0)
    busy, quiet = make_account(session), make_account(session)
    newest_ms = _newest(session)
    _insert(
        session,
        [_record(session, busy, n, newest_ms + n * 1000) for n in range(600)]
        + [_record(session, quiet, n, newest_ms + n * 1000) for n in range(100)],
    )
    watch = DriftWatch(session)
    reads: list[tuple[str, int]] = []

    def read(_: ProfileReader, account: str, start_ms: int) -> TrafficProfile:
        reads.append((account, start_ms))
        return TrafficProfile()

    monkeypatch.setattr(ProfileReader, "read", read)
    for _ in range(20):
        watch.look()
    assert {account for account, _ in reads} == {busy}
    assert len(reads) == len(set(reads)) == watching._KEPT_PARTS
    assert [at for _, at in reads[:PARTS_A_LOOK]] == [
        newest_ms - number * PART_MS for number in range(PARTS_A_LOOK)
    ]
    with session.reading() as connection:
        kept = connection.scalar(sa.select(sa.func.count()).select_from(DRIFT_PROFILES))
    assert kept == watching._KEPT_PARTS


def test_old_profiles_are_deleted_and_what_nobody_can_judge_any_more_ends(
    sqlite_session: AdminSession,
) -> None:
    session, account = sqlite_session, make_account(sqlite_session)
    now_ms, newest_ms = session.clock(), _newest(session)
    _keep(session, account, [TrafficProfile()], newest_ms - 50 * DAY_MS)
    row = {"account_id": account, "kind": "signal", "name": "ip.country", "figure": 0.5}
    row |= {"usual": 0.0, "requests": 900, "began_at_ms": now_ms - 10 * DAY_MS}
    with session.database.writing() as connection:
        connection.execute(DRIFTS.insert(), row | {"seen_at_ms": now_ms - 9 * DAY_MS})
    DriftWatch(session).look()
    assert list_drift(session, account, DriftSearch()).drifts == []
    with session.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(DRIFT_PROFILES)) == 0


def test_four_weeks_of_an_account_take_little_room() -> None:
    kept = sum(len(encode_profile(each)) for each in parts(28))
    assert kept < 28 * PARTS_A_DAY * 1500
