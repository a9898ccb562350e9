"""The report on a month equals a plain recount of orders, labels, disputes and reviews."""

import dataclasses
import json
import random
import statistics
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.outcomes.types.outcome import OutcomeBatch
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.admin.reports.types.months import ZonedMonth
from gatehouse.admin.reports.types.report import MonthlyReport, ReportSettings
from gatehouse.admin.reports.use_cases.making import count_month, make_report
from gatehouse.admin.reports.use_cases.reports import get_report, list_reports
from gatehouse.admin.reports.use_cases.settings import set_settings
from gatehouse.admin.reports.worker import ReportMaker
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.wording.labels import Label
from gatehouse.store.tables import DECISIONS, REVIEW_EVENTS, REVIEWS
from tests.figures.shops import DAY_MS, HOUR_MS, NOW_MS, Shop, rules_stage

ZONE = ZoneInfo("Europe/Berlin")
MONTH = ZonedMonth.at(NOW_MS, ZONE).moved(-1)
_read = RequestReader(OutcomeBatch).read


class Made(NamedTuple):
    """One order as the test made it."""

    request_id: str
    at_ms: int
    outcome: str
    rule: str
    amount: Decimal
    currency: str
    country: str | None
    review: tuple[str, int, str, bool] | None = None
    """First state, how long it took, by whom, and whether it was corrected."""
    fraud: bool | None = None
    disputed: bool = False

    @property
    def state(self) -> str | None:
        if self.review is None:
            return None
        state, took, _, corrected = self.review
        if took < 0:
            return "OPEN"
        return {"APPROVED": "DECLINED", "DECLINED": "APPROVED"}[state] if corrected else state

    @property
    def accepted(self) -> bool:
        return self.outcome == "ACCEPT" or self.state == "APPROVED"

    @property
    def declined(self) -> bool:
        return self.outcome == "DECLINE" or self.state == "DECLINED"


def _trade(shop: Shop, count: int) -> list[Made]:
    """A month of orders, and some of the days around it."""
    chance = random.Random(5)
    since, length = MONTH.since_ms - 3 * DAY_MS, MONTH.until_ms - MONTH.since_ms + 6 * DAY_MS
    made = []
    for number in range(count):
        at_ms = since + number * length // count
        outcome = chance.choice(("ACCEPT", "ACCEPT", "ACCEPT", "REVIEW", "DECLINE"))
        rule, country = chance.choice(("dear", "new")), chance.choice(("DE", "FR", None))
        amount, currency = round(chance.lognormvariate(3, 1), 2), chance.choice(("EUR", "USD"))
        signals: dict[str, Any] = {"order.amount": amount, "order.currency": currency}
        if country:
            signals["billing.country"] = country
        stages = [rules_stage(outcome, [rule])]
        ident = shop.keep(at_ms, decision=outcome, signals=signals, stages=stages)
        review = None
        if outcome == "REVIEW":
            took = chance.choice((-1, 20 * 60_000, 5 * HOUR_MS, 30 * HOUR_MS, 9 * DAY_MS))
            who = chance.choice(("user:amelia", "user:ben"))
            review = (chance.choice(("APPROVED", "DECLINED")), took, who, chance.random() < 0.2)
        fraud = chance.choice((None, None, True, False))
        disputed = outcome != "DECLINE" and chance.random() < 0.1
        paid = Decimal(repr(amount))
        made.append(
            Made(ident, at_ms, outcome, rule, paid, currency, country, review, fraud, disputed)
        )
    _tell(shop, made)
    return made


def _tell(shop: Shop, made: Sequence[Made]) -> None:
    reviews, events = [], []
    for each in (one for one in made if one.review is not None):
        first, took, who, corrected = each.review  # type: ignore[misc]  # one of these
        key = {"account_id": shop.account_id, "request_id": each.request_id}
        ended = None if took < 0 else each.at_ms + took + HOUR_MS * corrected
        reviews.append(
            key | {"at_ms": each.at_ms, "state": each.state, "resolved_at_ms": ended, "actor": who}
        )
        if took >= 0:
            steps = [("RESOLVED", first, who, 0), ("CORRECTED", each.state, "user:chief", HOUR_MS)]
            events += [
                key
                | {"seq": place + 2, "at_ms": each.at_ms + took + later, "actor": by, "kind": kind}
                | {"details": json.dumps({"state": state})}
                for place, (kind, state, by, later) in enumerate(steps[: 1 + corrected])
            ]
    with shop.session.database.writing() as connection:
        connection.execute(REVIEWS.insert(), reviews)
        connection.execute(REVIEW_EVENTS.insert(), events)
    for found, label in ((True, Label.FRAUD), (False, Label.LEGITIMATE)):
        shop.label(*[each.request_id for each in made if each.fraud is found], found=label)
    disputes = [
        {"kind": "DISPUTE", "reference": f"d-{place}", "at": iso_time(NOW_MS), "network": "VISA"}
        | {"requestId": each.request_id}
        for place, each in enumerate(made)
        if each.disputed
    ]
    question = next(each for each in made if not each.disputed)
    disputes.append({**disputes[0], "reference": "q", "requestId": question.request_id})
    disputes[-1]["stage"] = "INQUIRY"
    for start in range(0, len(disputes), 100):
        body = json.dumps({"items": disputes[start : start + 100]})
        tell(shop.session, shop.account_id, _read(body.encode()))


def _counts(made: Sequence[Made]) -> dict[str, int]:
    accepted = [each for each in made if each.accepted]
    return {
        "orders": len(made),
        "accepted": len(accepted),
        "reviewed": sum(each.outcome == "REVIEW" for each in made),
        "declined": sum(each.declined for each in made),
        "labelled": sum(each.fraud is not None for each in accepted),
        "fraud": sum(each.fraud is True for each in accepted),
        "disputed": sum(each.disputed for each in accepted),
    }


def _check_orders(report: MonthlyReport, month: Sequence[Made]) -> None:
    assert msgspec.structs.asdict(report.counts) == _counts(month)
    for each in report.markets:
        mine = [one for one in month if one.country == each.country]
        assert {name: getattr(each, name) for name in _counts(mine)} == _counts(mine)
    assert {each.country for each in report.markets} == {"DE", "FR", None}
    for paid in report.money:
        mine = [one for one in month if one.currency == paid.currency]
        sums = {
            "orders": mine,
            "accepted": [e for e in mine if e.accepted],
            "fraud": [e for e in mine if e.accepted and e.fraud],
            "disputed": [e for e in mine if e.accepted and e.disputed],
            "turned_away": [e for e in mine if e.declined],
            "saved": [e for e in mine if e.declined and e.fraud],
            "wrongly_declined": [e for e in mine if e.declined and e.fraud is False],
        }
        for name, some in sums.items():
            found = getattr(paid, name)
            total = sum((e.amount for e in some), Decimal())
            assert (found.count, Decimal(found.amount)) == (len(some), total), name
    assert {each.currency for each in report.money} == {"EUR", "USD"}
    for rule in report.rules:
        mine = [one for one in month if rule.shadow or one.rule == rule.rule]
        counted = (rule.hits, rule.declined, rule.fraud, rule.legitimate)
        assert counted == (
            len(mine),
            sum(one.outcome == "DECLINE" for one in mine),
            sum(one.fraud is True for one in mine),
            sum(one.fraud is False for one in mine),
        )


def _check_reviews(report: MonthlyReport, made: Sequence[Made]) -> None:
    since, until = MONTH.since_ms, MONTH.until_ms
    every = [(e, *e.review) for e in made if e.review is not None]
    done = [row for row in every if row[2] >= 0 and since <= row[0].at_ms + row[2] < until]
    took = sorted(row[2] // 1000 for row in done)
    found = report.reviews
    assert found.resolved == len(took) > 0
    assert found.opened == sum(since <= row[0].at_ms < until for row in every)
    assert found.median_seconds == statistics.median_low(took)
    assert found.nine_in_ten_seconds is not None
    assert sum(each <= found.nine_in_ten_seconds for each in took) >= len(took) * 0.9
    assert found.within_target == sum(each <= 24 * 3600 for each in took)
    for moment, waiting in ((since, found.waiting_before), (until, found.waiting_after)):
        assert waiting == sum(
            row[0].at_ms < moment and (row[2] < 0 or row[0].at_ms + row[2] >= moment)
            for row in every
        )
    for analyst in report.analysts:
        mine = [row for row in done if row[3] == analyst.by]
        assert analyst.handled == len(mine)
        assert analyst.overturned == sum(
            row[4] or (row[0].fraud is not None and row[0].fraud is (row[1] == "APPROVED"))
            for row in mine
        )
    assert {each.by for each in report.analysts} == {"user:amelia", "user:ben"}


def test_a_report_equals_a_plain_recount(any_shop: Shop) -> None:
    set_settings(any_shop.session, any_shop.account_id, ReportSettings(str(ZONE)))
    made = _trade(any_shop, 500)
    changed_ms = MONTH.since_ms + 10 * DAY_MS
    for at_ms, version in ((changed_ms, 2), (changed_ms + 2 * DAY_MS, 3)):
        any_shop.now_ms = at_ms
        with any_shop.session.change() as change:
            change.audit("rules.apply", any_shop.account_id, name="default", version=version)
    any_shop.now_ms = NOW_MS
    report = count_month(any_shop.session, any_shop.columns(), str(MONTH))
    month = [each for each in made if MONTH.since_ms <= each.at_ms < MONTH.until_ms]
    assert 0 < len(month) < len(made)
    _check_orders(report, month)
    _check_reviews(report, made)
    # Between the two changes are two days, so that each is compared over no more.
    assert [each.version for each in report.rule_changes] == [3, 2]
    for each in report.rule_changes:
        at_ms, span = int(each.at), each.span_seconds * 1000
        assert span == 2 * DAY_MS
        for counts, first in ((each.before, at_ms - span), (each.after, at_ms)):
            around = [one for one in made if first <= one.at_ms < first + span]
            assert msgspec.structs.asdict(counts) == {**_counts(around), "disputed": 0}


def test_a_month_has_the_hours_of_its_zone() -> None:
    october = ZonedMonth.named("2026-10", ZONE)
    assert october.since_ms == datetime(2026, 10, 1, tzinfo=ZONE).timestamp() * 1000
    # On its last Sunday clocks go back.
    assert october.until_ms - october.since_ms == 31 * DAY_MS + HOUR_MS
    assert str(october.moved(3)) == "2027-01"


def test_the_month_that_is_over_is_reported_once_and_told(shop: Shop, tmp_path: Any) -> None:
    session = shop.session
    session.settings = dataclasses.replace(session.settings, home=tmp_path)
    first = shop.keep(MONTH.until_ms - DAY_MS)
    maker = ReportMaker(session)
    maker.look()
    [line] = list_reports(session, shop.account_id).reports
    shop.now_ms += HOUR_MS
    maker.look()
    assert list_reports(session, shop.account_id).reports == [line]
    assert get_report(session, shop.account_id, line.month).counts.orders == 1
    # Made again, it has what came since, and a stranger has neither.
    shop.keep(MONTH.until_ms - HOUR_MS)
    assert make_report(session, shop.columns(), line.month).counts.orders == 2
    assert get_report(session, shop.account_id, line.month).counts.orders == 2
    # A record that retention deleted since is not taken out of what was reported.
    with session.writing() as connection:
        connection.execute(DECISIONS.delete().where(DECISIONS.c.request_id == first))
    with pytest.raises(Conflict, match="stays as it is"):
        make_report(session, shop.reopen(), line.month)
    assert get_report(session, shop.account_id, line.month).counts.orders == 2
    stranger = session.acting_as(Actor.key("key_x", "acc_x"))
    with pytest.raises(NotFound):
        get_report(stranger, shop.account_id, line.month)
    with pytest.raises(NotFound):
        make_report(stranger, shop.columns(), line.month)
