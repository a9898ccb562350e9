"""Records of a span come once, oldest first, in short steps, from both databases."""

import sys
from collections.abc import Mapping
from typing import NoReturn

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.backtest import reading
from gatehouse.backtest.judging import ColumnTrial
from gatehouse.backtest.reading import RecordSource, judge_records
from gatehouse.backtest.report import BacktestReport
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import NotFound, StoreUnavailable
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.tables import DECISIONS
from tests.backtest.material import NOW_MS, ignore, kept, record, rule, rule_set, ruled
from tests.harness import make_account

HOUR_MS = 3_600_000


def _keep(session: AdminSession, account_id: str, count: int) -> list[str]:
    rows = []
    for number in range(count):
        at_ms = NOW_MS - number * HOUR_MS
        made = record(number, {"order.amount": float(number)}, [ruled("ACCEPT")], at_ms=at_ms)
        text = kept(made).text
        rows.append((account_id, made["requestId"], at_ms, "pipeline", None, None, text, None))
    with session.database.writing() as connection:
        names = [column.name for column in DECISIONS.columns if column.name != "terms"]
        connection.execute(DECISIONS.insert(), [dict(zip(names, row, strict=True)) for row in rows])
    return [row[1] for row in reversed(rows)]


def test_every_record_of_the_span_comes_once_and_oldest_first(session: AdminSession) -> None:
    merchant, other = make_account(session), make_account(session)
    ids = _keep(session, merchant, 9)
    _keep_other = _keep(session, other, 1)
    assert _keep_other
    span = RecordSpan(merchant, NOW_MS - 6 * HOUR_MS, NOW_MS)
    batches = list(records.stream(session.database, span, session.fingerprints, batch=4))
    assert [one.request_id for batch in batches for one in batch] == ids[2:8]
    assert [len(batch) for batch in batches] == [4, 2]
    first = batches[0][0]
    assert (first.at_ms, first.operation) == (NOW_MS - 6 * HOUR_MS, "pipeline")
    assert msgspec.json.decode(first.text)["signals"] == {"order.amount": 6.0}
    with session.reading() as connection:
        assert records.count(connection, span) == 6


def test_a_span_without_records_has_no_batch(session: AdminSession) -> None:
    merchant = make_account(session)
    _keep(session, merchant, 4)
    span = RecordSpan(merchant, 0, NOW_MS - HOUR_MS * 4)
    assert list(records.stream(session.database, span, session.fingerprints)) == []


def test_a_rule_set_is_tried_on_what_the_database_holds(session: AdminSession) -> None:
    merchant = make_account(session)
    _keep(session, merchant, 9)
    rules = rule_set(rule("dear", "order.amount >= 6"))
    report = _tried(session, rules, RecordSpan(merchant, 0, NOW_MS + 1))
    assert (report.records, report.rules[0].matches) == (9, 3)
    with pytest.raises(NotFound, match="no requests that rules could judge"):
        _tried(session, rules, RecordSpan(merchant, 0, 1))


def _tried(
    session: AdminSession,
    rules: RuleSet,
    span: RecordSpan,
    labels: Mapping[str, bool] | None = None,
    reached: records.Reached = ignore,
) -> BacktestReport:
    source = RecordSource(session.database, session.fingerprints, span)
    return judge_records(source, ColumnTrial(rules, span, {}), labels or {}, reached)


def test_a_span_is_split_into_parts_that_hold_every_record_once(session: AdminSession) -> None:
    merchant = make_account(session)
    ids = _keep(session, merchant, 9)
    whole = RecordSpan(merchant, 0, NOW_MS + 1)
    with session.reading() as connection:
        parts = records.in_parts(connection, whole, 4)
        assert records.in_parts(connection, whole, 9) == [whole]
    assert [parts[0].since_ms, parts[-1].until_ms] == [0, NOW_MS + 1]
    found = [
        [
            one.request_id
            for batch in records.stream(session.database, part, session.fingerprints)
            for one in batch
        ]
        for part in parts
    ]
    assert [len(part) for part in found] == [4, 4, 1]
    assert [one for part in found for one in part] == ids


@pytest.fixture
def in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "RECORDS_IN_PART", 2)
    monkeypatch.setattr(reading, "_cores", lambda: 2)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process reads everything")
@pytest.mark.usefixtures("in_processes")
def test_many_records_are_read_by_several_processes(session: AdminSession) -> None:
    merchant = make_account(session)
    ids = _keep(session, merchant, 9)
    rules = rule_set(rule("dear", "order.amount >= 6"))
    span, reached = RecordSpan(merchant, 0, NOW_MS + 1), list[int]()
    report = _tried(session, rules, span, {ids[0]: True}, reached.append)
    assert (report.records, report.rules[0].matches, report.labelled_fraud) == (9, 3, 1)
    assert reached[-1] == 9
    assert reached == sorted(reached)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process reads everything")
@pytest.mark.usefixtures("in_processes")
def test_what_fails_in_another_process_is_told(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    merchant = make_account(session)
    _keep(session, merchant, 9)

    def stream(*_: object) -> NoReturn:
        raise StoreUnavailable("the database is not there")

    monkeypatch.setattr(reading, "stream", stream)
    rules = rule_set(rule("dear", "order.amount >= 6"))
    with pytest.raises(StoreUnavailable, match="the database is not there"):
        _tried(session, rules, RecordSpan(merchant, 0, NOW_MS + 1))


def test_a_rule_about_a_card_finds_earlier_records_by_the_account_s_fingerprint(
    session: AdminSession,
) -> None:
    merchant = make_account(session)
    [request] = _keep(session, merchant, 1)
    inner = session.fingerprints.inner(CardNumber.parse("4111111111111111"))
    made = record(0, {"card.fingerprint": inner}, [ruled("ACCEPT")])
    unknown = dict.fromkeys(("brand", "lastFour", "expiry", "country", "funding", "prepaid"))
    made["card"] = {"bin": "41111111", **unknown, "fingerprint": inner}
    with session.database.writing() as connection:
        kept_one = sa.update(DECISIONS).where(DECISIONS.c.request_id == request)
        connection.execute(kept_one.values(record=kept(made).text))
    shown = session.fingerprints.of_account(merchant, inner)
    rules = rule_set(rule("card", f"card.fingerprint = '{shown}'"))
    report = _tried(session, rules, RecordSpan(merchant, 0, NOW_MS + 1))
    assert report.rules[0].matches == 1
