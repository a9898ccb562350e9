"""A rule set replayed over the past: its effect on ratios and sales, the same by every way."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.jobs.types import JobKind, MonthOrder, WhatIfOrder
from gatehouse.admin.jobs.use_cases import shown_job
from gatehouse.admin.programmes.types.report import MeterFilter
from gatehouse.admin.programmes.types.what_if import WhatIfReport, WhatIfRequest
from gatehouse.admin.programmes.use_cases.enumeration import (
    estimate_enumeration,
    estimate_now,
    start_estimate,
)
from gatehouse.admin.programmes.use_cases.replaying import replay, replay_columns
from gatehouse.admin.programmes.use_cases.what_if import try_rules
from gatehouse.cli.output import as_data
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.job_state import JobState
from gatehouse.core.months import CalendarMonth
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.records import RecordSpan
from tests.admin.programmes.test_programmes import sent, told
from tests.admin.test_jobs import finished
from tests.console.harness import open_console
from tests.figures.shops import DAY_MS, Shop
from tests.harness import Home

DOCUMENT = """\
rule_set: strict
description: Declines large orders.

rules:
  - name: large
    condition: order.amount > 500
    outcome: DECLINE
"""


@pytest.fixture
def shop(sqlite_session: AdminSession, tmp_path: Path) -> Iterator[Shop]:
    made = Shop(sqlite_session, tmp_path / "copies")
    fill(made)
    yield made
    made.copies.close()


def fill(shop: Shop) -> None:
    """Twenty orders of last month, of which four large ones were disputed this month."""
    before_ms, items = shop.now_ms - 31 * DAY_MS, []
    for number in range(20):
        amount = 700.0 if number < 5 else 50.0
        signals = {"order.amount": amount, "order.currency": "USD"}
        declined = {"decision": "DECLINE"} if number == 19 else {}
        request_id = shop.keep(before_ms + number * 60_000, signals=signals, **declined)
        if number == 19:
            continue
        same = {"requestId": request_id, "amount": amount, "currency": "USD"}
        at = iso_time(before_ms + number * 60_000)
        items.append(sent(**same, reference=f"s-{number}", at=at))
        if number < 4 or number == 10:
            now = iso_time(shop.now_ms)
            dispute = {"kind": "DISPUTE", "reason": "10.4", "at": now}
            items.append(sent(**same, **dispute, reference=f"d-{number}"))
    # One that no decision is known of stays.
    items.append(sent(kind="DISPUTE", reference="d-x", at=iso_time(shop.now_ms)))
    items.append(sent(reference="s-x", at=iso_time(shop.now_ms)))
    told(shop.session, shop.account_id, *items)


def span(shop: Shop) -> RecordSpan:
    return RecordSpan(shop.account_id, shop.now_ms - 90 * DAY_MS, shop.now_ms + 1)


def strict() -> RuleSet:
    return read_rule_set(DOCUMENT.encode())


def ignore(_done: int, _total: int) -> None:
    pass


def check(report: WhatIfReport) -> None:
    assert (report.records, report.declined, report.accepted) == (20, 5, 1)
    assert (report.sales_lost, report.amounts_lost) == (5, {"USD": "3500"})
    assert (report.disputed, report.joined) == (4, 5)
    vamp = {
        each.month: each
        for each in report.months
        if (each.programme, each.level, each.merchant_id) == ("VAMP", "excessive", None)
        and each.basis_points is not None
    }
    last, this = [vamp[month] for month in sorted(vamp)][-2:]
    assert (last.sales, last.sales_after, last.events_after) == (19, 14, 0)
    assert (this.events, this.events_after) == (6, 2)
    assert (this.basis_points, this.basis_points_after) == ("60000.00", "20000.00")


def test_what_is_declined_is_taken_away_with_all_that_became_of_it(shop: Shop) -> None:
    session = shop.session
    by_records = replay(session, strict(), span(shop), ignore)
    check(by_records)
    check(replay_columns(session, shop.columns(), strict(), span(shop)))


def test_a_job_comes_to_the_same_report(shop: Shop) -> None:
    order = WhatIfOrder(DOCUMENT, *span(shop)[1:])
    done = finished(shop.session, shop.account_id, JobKind.WHAT_IF, order)
    assert done.state is JobState.SUCCEEDED
    check(msgspec.json.decode(done.result, type=WhatIfReport))


def test_a_job_estimates_enumeration_for_programs(shop: Shop) -> None:
    month = str(CalendarMonth.at(shop.now_ms - 31 * DAY_MS))
    order = MonthOrder(month)
    done = finished(shop.session, shop.account_id, JobKind.ENUMERATION, order)
    assert done.state is JobState.SUCCEEDED
    estimate = estimate_enumeration(shop.session, shop.columns(), month)
    assert shown_job(done).result == as_data(estimate)
    assert estimate.formula.startswith("10,000 × authorizations in bursts")
    queued = start_estimate(shop.session, shop.account_id, MeterFilter())
    assert queued.kind == "programmes.enumeration"
    stranger = shop.session.acting_as(Actor.key("key_1", "acct_other"))
    with pytest.raises(NotFound):
        start_estimate(stranger, shop.account_id, MeterFilter())
    with pytest.raises(NotFound):
        estimate_now(stranger, shop.account_id, None)


def test_mistakes_are_told_at_once_and_strangers_find_nothing(shop: Shop) -> None:
    session = shop.session
    with pytest.raises(InvalidInput):
        try_rules(session, shop.account_id, WhatIfRequest("rule_set: x"))
    queued = try_rules(session, shop.account_id, WhatIfRequest(DOCUMENT))
    assert queued.kind == "programmes.what_if"
    stranger = session.acting_as(Actor.key("key_1", "acct_other"))
    with pytest.raises(NotFound):
        try_rules(stranger, shop.account_id, WhatIfRequest(DOCUMENT))
    with pytest.raises(NotFound):
        replay_columns(stranger, shop.columns(), strict(), span(shop))


def test_the_page_and_the_command_say_what_would_change(sqlite_home: Home) -> None:
    home, answers = sqlite_home.migrated(), dict[str, Any]()
    with open_console(home) as console:
        visitor = console.as_role(UserRole.ADMINISTRATOR)
        place = f"/a/{console.account_id}/programmes/what-if"
        answers["shown"] = visitor.get(place)
        answers["tried"] = visitor.post(f"{place}/try", {"document": DOCUMENT})
        answers["wrong"] = visitor.post(f"{place}/try", {"document": "rule_set: x"})
        ours = ("--account", console.account_id)
    assert "Document" in answers["shown"].text
    assert "There are no requests that rules could judge." in answers["tried"].text
    assert answers["wrong"].status_code == 422
    file = home.path / "strict.yaml"
    file.write_text(DOCUMENT)
    done = home.run("programmes", "what-if", str(file), "--json", *ours)
    assert "no requests that rules could judge" in done.err
    estimate = json.loads(home.run("programmes", "enumeration", "--json", *ours).out)
    assert (estimate["authorizations"], estimate["limitBasisPoints"]) == (0, 2000)
