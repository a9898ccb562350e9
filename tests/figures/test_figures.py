"""What the overview and the rules of an account have done, counted exactly."""

import threading
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.figures.use_cases.overview import Bucket, FigureSpan, overview
from gatehouse.admin.figures.use_cases.preview import PreviewOptions, Superseded, preview
from gatehouse.admin.figures.use_cases.rule_figures import rule_figures
from gatehouse.admin.figures.use_cases.usage import UsageLine, usage_figures
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.billing.statement import Period
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.wording.labels import Label
from gatehouse.figures.account_columns import Coverage
from gatehouse.figures.buckets import Borders
from gatehouse.figures.engine import ColumnConnection, FiguresNotReady
from gatehouse.figures.usage import count_usage
from gatehouse.store.accounts.usage import usage
from gatehouse.store.tables import LEDGER_ENTRIES
from tests.figures.shops import DAY_MS, HOUR_MS, NOW_MS, Shop, rules_stage
from tests.harness import until

BERLIN = ZoneInfo("Europe/Berlin")


def moment(month: int, day: int, minute: int = 0) -> int:
    return round(datetime(2026, month, day, 0, minute, tzinfo=BERLIN).timestamp() * 1000)


def test_decisions_are_counted_by_day_of_the_viewer_and_beside_the_span_before(shop: Shop) -> None:
    first = moment(10, 25)
    # The clock goes back in this night: the day has 25 hours.
    for at_ms, decision in (
        (first, "ACCEPT"),
        (first + 24 * HOUR_MS, "REVIEW"),
        (first + 25 * HOUR_MS, "DECLINE"),
        (first + 26 * HOUR_MS, "ACCEPT"),
        (first - 1, "DECLINE"),
    ):
        shop.keep(at_ms, decision=decision)
    span = FigureSpan(first, moment(10, 27), "Europe/Berlin")
    found = overview(shop.session, shop.columns(), span, Bucket.DAY)
    assert [(day.accepted, day.reviewed, day.declined) for day in found.over_time] == [
        (1, 1, 0),
        (1, 0, 1),
    ]
    assert [day.start_ms for day in found.over_time] == [first, moment(10, 26)]
    counts, before = found.counts, found.before
    assert (counts.requests, counts.approval_rate, counts.decline_rate) == (4, 0.5, 0.25)
    assert (before.requests, before.approval_rate, before.fraud_rate) == (1, 0.0, None)
    assert counts.fees_micros == 200_000
    assert found.coverage.complete
    assert found.coverage.until_ms == NOW_MS


def test_fraud_is_told_by_month_of_the_order_as_labels_arrive(shop: Shop) -> None:
    october, november = shop.keep(moment(10, 31)), shop.keep(moment(11, 1))
    shop.keep(moment(11, 1, 30))
    span = FigureSpan(moment(11, 1), moment(11, 8), "Europe/Berlin")

    def fraud() -> list[tuple[int, int, int]]:
        found = overview(shop.session, shop.columns(), span).fraud_by_month
        assert len(found) == 12
        return [(one.requests, one.labelled, one.fraud) for one in found[-2:]]

    assert fraud() == [(1, 0, 0), (2, 0, 0)]
    shop.label(october)
    shop.label(november, found=Label.LEGITIMATE)
    assert fraud() == [(1, 1, 1), (2, 1, 0)]


def test_latency_is_told_by_stage_and_single_checks_have_no_outcome(shop: Shop) -> None:
    shop.fill(120)
    span = FigureSpan(NOW_MS - 60 * DAY_MS, NOW_MS)
    found = overview(shop.session, shop.columns(), span)
    total, *stages = found.latency
    assert {one.name for one in stages} >= {"Rules", "Sentry"}
    assert total.p50 <= total.p90 <= total.p99
    operations = {one.operation: one for one in found.by_operation}
    assert operations["precheck"].decided == 0
    assert sum(one.requests for one in operations.values()) == found.counts.requests == 120


def test_rules_are_told_with_hits_trend_precision_and_what_shadow_would_change(shop: Shop) -> None:
    text = b"""
rule_set: shop
description: d
rules:
  - {name: dear, outcome: REVIEW, condition: order.amount > 60}
  - {name: watched, outcome: DECLINE, shadow: true, condition: order.amount > 90}
"""
    rule_sets.apply(shop.session, shop.account_id, NewVersion(text))
    days = [NOW_MS - 2 * DAY_MS, NOW_MS - DAY_MS, NOW_MS - DAY_MS]
    stages = [[rules_stage("REVIEW", ["dear"])], [rules_stage("REVIEW", ["dear", "gone"])], []]
    pairs = zip(days, stages, strict=True)
    kept = [shop.keep(at, decision="REVIEW", stages=each) for at, each in pairs]
    shop.label(kept[0])
    shop.label(kept[1], found=Label.LEGITIMATE)
    span = FigureSpan(NOW_MS - 2 * DAY_MS - HOUR_MS, NOW_MS)
    found = rule_figures(shop.session, shop.columns(), "shop", span, Bucket.DAY)
    dear, watched, gone = found.rules
    assert (found.judged, dear.hits, sum(dear.trend), dear.precision) == (2, 2, 2, 0.5)
    assert dear.outcomes == {"REVIEW": 2}
    assert (watched.hits, watched.shadow_hits, watched.would_change) == (0, 2, 2)
    assert (gone.name, gone.outcome, gone.hits) == ("gone", None, 1)


def test_figures_are_for_those_who_may_see_the_account(shop: Shop) -> None:
    columns = shop.columns()
    other = shop.session.acting_as(Actor.key("key_other", "acct_other"))
    span = FigureSpan(NOW_MS - DAY_MS, NOW_MS)
    with pytest.raises(NotFound):
        overview(other, columns, span)
    with pytest.raises(NotFound):
        rule_figures(other, columns, "shop", span)
    with pytest.raises(NotFound):
        preview(other, columns, b"", span)


def test_a_newer_preview_of_the_same_person_ends_the_older(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.fill(50)
    columns, span = shop.columns(), FigureSpan(NOW_MS - 60 * DAY_MS, NOW_MS)
    rules = (
        b"rule_set: shop\ndescription: d\nrules:\n"
        b"  - {name: a, outcome: DECLINE, condition: order.amount > 1}\n"
    )
    began, newer, outcome = threading.Event(), threading.Event(), []
    ask = ColumnConnection.ask

    def slow(asking: ColumnConnection, statement: str, /) -> list[tuple[object, ...]]:
        if statement.startswith("CREATE TEMP TABLE judged") and not began.is_set():
            began.set()
            assert newer.wait(60)
        return ask(asking, statement)

    monkeypatch.setattr(ColumnConnection, "ask", slow)

    def older() -> None:
        try:
            preview(shop.session, columns, rules, span, PreviewOptions(asked_by="tab 1"))
        except Superseded:
            outcome.append("superseded")

    thread = threading.Thread(target=older)
    thread.start()
    assert began.wait(60)
    found = preview(shop.session, columns, rules, span, PreviewOptions(asked_by="tab 1"))
    newer.set()
    thread.join()
    assert outcome == ["superseded"]
    assert found.report.records > 40


def test_spans_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InvalidInput, match="must end after"):
        FigureSpan(5, 5)
    with pytest.raises(InvalidInput, match="time zone is not known"):
        FigureSpan(1, 2, "../etc/passwd")
    with pytest.raises(InvalidInput, match="more than 800 parts by hour"):
        Borders(FigureSpan(0, 90 * DAY_MS), Bucket.HOUR)


def test_an_hour_that_the_clock_repeats_is_counted_twice() -> None:
    since = moment(10, 25)
    starts = Borders(FigureSpan(since, since + 25 * HOUR_MS, "Europe/Berlin"), Bucket.HOUR).starts
    assert len(starts) == 25
    assert datetime.fromtimestamp(starts[3] / 1000, UTC).hour == 1


def test_usage_is_the_same_on_the_copy_and_in_the_database(any_shop: Shop) -> None:
    shop, day_ms = any_shop, NOW_MS // DAY_MS * DAY_MS
    period = Period(date(2026, 11, 8), date(2026, 11, 15))
    for number, at_ms in enumerate((period.start_ms - 1, period.start_ms, day_ms - 1, day_ms)):
        _charge(shop, shop.keep(at_ms, operation=("precheck", "pipeline")[number % 2]), at_ms)
    shop.keep(period.end_ms)
    with shop.session.reading() as connection:
        plain = usage(connection, shop.account_id, period)
    assert [line.requests for line in plain] == [1, 1, 1]
    assert plain[0].charged == 50_000
    columns = shop.columns()
    assert count_usage(columns, period) == plain
    assert usage_figures(shop.session, shop.copies, shop.account_id, period) == plain


def test_usage_is_counted_in_the_database_while_the_copy_is_being_made(shop: Shop) -> None:
    period = Period(date(2026, 11, 8), date(2026, 11, 15))
    _charge(shop, shop.keep(period.start_ms), period.start_ms)
    columns = shop.columns()
    for since_ms in (None, period.start_ms, period.start_ms + 1):
        columns.coverage = Coverage(False, since_ms, NOW_MS, 0, 1)
        with pytest.raises(FiguresNotReady):
            count_usage(columns, period)
        until(lambda: _used(shop, period) is not None)
        [line] = _used(shop, period) or []
        assert (line.requests, line.charged) == (1, 50_000)
    columns.coverage = Coverage(False, period.start_ms - 1, NOW_MS, 0, 1)
    assert len(count_usage(columns, period)) == 1
    other = shop.session.acting_as(Actor.user("ada", "acct_other"))
    with pytest.raises(NotFound):
        usage_figures(other, shop.copies, shop.account_id, period)


def _used(shop: Shop, period: Period) -> list[UsageLine] | None:
    return usage_figures(shop.session, shop.copies, shop.account_id, period)


def _charge(shop: Shop, request_id: str, at_ms: int) -> None:
    """The entry that a server would have written with the decision."""
    entry = {"account_id": shop.account_id, "reference": request_id, "step": 1, "kind": "CLOSE"}
    entry |= {"amount": -50_000, "held": 0, "at_ms": at_ms, "detail": "PRECHECK=50000"}
    with shop.session.database.writing() as connection:
        connection.execute(LEDGER_ENTRIES.insert(), entry)
