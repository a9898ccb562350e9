"""Decisions in groups: counted beside a plain recount of the same records."""

from collections import Counter
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.explore.types import ExplorationRequest
from gatehouse.admin.explore.use_cases.by_job import start_exploration
from gatehouse.admin.explore.use_cases.exploring import (
    Exploration,
    ExploredGroup,
    Grouping,
    explore,
)
from gatehouse.admin.jobs.use_cases import get_job
from gatehouse.admin.jobs.worker.running import run_job
from gatehouse.admin.search.use_cases.conditions import AddressedConditions
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.job_state import JobState
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import RecordedStage
from gatehouse.figures.buckets import FigureSpan
from tests.admin.test_jobs import OWNER, keyed, take
from tests.figures.shops import DAY_MS, HOUR_MS, NOW_MS, Shop, rules_stage
from tests.harness import make_account

SPAN = FigureSpan(NOW_MS - 60 * DAY_MS, NOW_MS)


def explored(shop: Shop, by: str, also: str | None = None, **asked: Any) -> Exploration:
    """What is found with conditions and filters."""
    where = asked.pop("where", ())
    groups = asked.pop("groups", 12)
    conditions = AddressedConditions(shop.session, shop.account_id).filter(where, None, (by,))
    search = DecisionSearchRequest(**asked)
    columns = shop.columns()
    return explore(shop.session, columns, Grouping(by, also, groups), SPAN, search, conditions)


def rows_of(shop: Shop) -> list[dict[str, Any]]:
    """All decisions of the copy, read one by one."""
    names = ["outcome", "fraud", "currency", "amount", "card.country", "order.amount", "matched"]
    names += ["email.domain", "operation"]
    with shop.columns().reading() as asking:
        chosen = ", ".join(f'"{name}"' for name in names)
        rows = asking.ask(f"SELECT {chosen} FROM decisions")
    return [dict(zip(names, row, strict=True)) for row in rows]


def told(each: ExploredGroup) -> tuple[Any, ...]:
    figures = each.figures
    money = {one.currency: (one.total_micros, one.fraud_micros) for one in figures.money}
    counts = (figures.requests, figures.accepted, figures.reviewed, figures.declined)
    return (*counts, figures.labelled, figures.fraud, money)


def recounted(rows: list[dict[str, Any]]) -> tuple[Any, ...]:
    outcomes = Counter(row["outcome"] for row in rows)
    money: dict[str, tuple[int, int]] = {}
    for row in rows:
        if row["currency"] is not None:
            total, fraud = money.get(row["currency"], (0, 0))
            micros = int((row["amount"] or Decimal()) * 1_000_000)
            money[row["currency"]] = (total + micros, fraud + (micros if row["fraud"] else 0))
    counts = (len(rows), *(outcomes[each] for each in ("ACCEPT", "REVIEW", "DECLINE")))
    labelled = sum(row["fraud"] is not None for row in rows)
    return (*counts, labelled, sum(bool(row["fraud"]) for row in rows), money)


def test_groups_are_what_a_plain_recount_finds(shop: Shop) -> None:
    shop.fill(400)
    rows = rows_of(shop)
    by_country = explored(shop, "card.country")
    assert {"US", "DE", None} <= {each.key.value for each in by_country.groups}
    for each in by_country.groups:
        these = [row for row in rows if row["card.country"] == each.key.value]
        assert told(each) == recounted(these)
        assert sum(each.trend) == len(these)
    assert by_country.total.requests == len(rows)
    sums = [each.requests for each in (g.figures for g in by_country.groups)]
    assert sums == sorted(sums, reverse=True)

    pairs = explored(shop, "email.domain", "decision", where=["order.amount > 20"])
    kept = [row for row in rows if (row["order.amount"] or 0) > 20]
    assert pairs.total.requests == len(kept)
    for each in pairs.groups:
        assert each.also is not None
        names = each.key.value, each.also.value
        assert told(each) == recounted(
            [row for row in kept if (row["email.domain"], row["outcome"]) == names]
        )


def test_numbers_are_cut_into_spans_that_their_conditions_find_again(shop: Shop) -> None:
    shop.fill(400)
    rows = rows_of(shop)
    found = explored(shop, "order.amount")
    spans = [each for each in found.groups if each.key.least or each.key.below]
    assert 5 <= len(spans) <= 10
    borders = [each.key.least for each in spans]
    assert borders == sorted(borders, key=lambda each: -1.0 if each is None else float(each))
    for each in found.groups:
        least, below = each.key.least, each.key.below
        these = [
            row
            for row in rows
            if (amount := row["order.amount"]) is not None
            and (least is None or amount >= float(least))
            and (below is None or amount < float(below))
        ]
        if each in spans:
            assert told(each) == recounted(these)
        assert each.key.condition is not None
        again = explored(shop, "operation", where=[each.key.condition])
        assert again.total == each.figures


def test_rules_count_each_decision_that_they_matched_also_in_shadow(shop: Shop) -> None:
    both = rules_stage("DECLINE", ["dear", "new"])
    for number, stages in enumerate(([both], [rules_stage("ACCEPT", ["new"])], [])):
        outcome = Outcome.DECLINE if stages == [both] else Outcome.ACCEPT
        shop.keep(NOW_MS - number * HOUR_MS - 1, stages=stages, decision=outcome)
    hits = explored(shop, "rule")
    assert [(each.key.value, each.figures.requests) for each in hits.groups] == [
        ("new", 2),
        ("dear", 1),
    ]
    assert hits.total.requests == 3
    shadow = explored(shop, "shadowRule", rule=["dear"])
    assert [(each.key.value, each.figures.requests) for each in shadow.groups] == [("watched", 1)]
    assert explored(shop, "decision", shadow_rule="watched").total.requests == 2


def test_what_is_not_among_the_largest_is_one_group_at_the_end(shop: Shop) -> None:
    for number in range(30):
        signals = {"email.domain": f"d{min(number, 9)}.example", "custom.plan": "it's"}
        shop.keep(NOW_MS - number * HOUR_MS - 1, signals=signals)
    found = explored(shop, "email.domain", groups=2)
    assert [(each.key.value, each.figures.requests) for each in found.groups] == [
        ("d9.example", 21),
        ("d0.example", 1),
        (None, 8),
    ]
    assert found.groups[-1].key.others
    assert found.groups[-1].key.condition is None


def test_filters_of_the_index_narrow_an_exploration_too(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.keep_of_user(NOW_MS - HOUR_MS, "u-1")
    shop.keep_of_user(NOW_MS - 2 * HOUR_MS, "u-1")
    shop.keep_of_user(NOW_MS - HOUR_MS, "u-2")
    assert explored(shop, "operation", user_id="u-1").total.requests == 2
    assert explored(shop, "operation").total.requests == 3
    monkeypatch.setattr("gatehouse.admin.explore.use_cases.exploring.MOST_FOUND", 1)
    with pytest.raises(InvalidInput, match=r"more than 1 decisions.*userId"):
        explored(shop, "operation", user_id="u-1")


@pytest.mark.parametrize("by", ["nothing", "custom.unknown", 'x"; DROP TABLE notes; --'])
def test_only_what_is_known_can_be_grouped_by(shop: Shop, by: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be grouped"):
        explored(shop, by)


def test_another_account_explores_nothing(shop: Shop) -> None:
    stranger = shop.session.acting_as(Actor.key("key_x", "acc_other"))
    with pytest.raises(NotFound):
        explore(
            stranger, shop.columns(), Grouping("operation"), SPAN, DecisionSearchRequest(), None
        )


def test_a_job_counts_what_the_page_counts_and_keeps_nothing_of_persons(shop: Shop) -> None:
    shop.fill(60)
    since, until = iso_time(SPAN.since_ms), iso_time(SPAN.until_ms)
    asked = ExplorationRequest(
        by="card.country", since=since, until=until, where=["order.amount > 20"]
    )
    key = keyed(shop.session, shop.account_id)
    started = start_exploration(key, shop.account_id, asked)
    assert take(shop.session) is not None
    run_job(shop.session, started.job_id, OWNER)
    done = get_job(key, shop.account_id, started.job_id)
    assert done.state is JobState.SUCCEEDED, done.error
    seen = explored(shop, "card.country", where=["order.amount > 20"])
    told = msgspec.json.decode(done.result or "")
    assert told["groups"] == msgspec.json.decode(msgspec.json.encode(seen.groups))
    assert told["total"] == msgspec.json.decode(msgspec.json.encode(seen.total))
    with pytest.raises(NotFound):
        start_exploration(key, make_account(shop.session), asked)
    for wrong in (
        {"by": "ip.address"},
        {"by": "nothing.known"},
        {"by": "custom.plan"},
        {"also": "user.id"},
        {"where": ["ip.address = '192.0.2.1'"]},
        {"where": ["+"]},
        {"time_zone": "Nowhere/At all"},
        {"since": until, "until": since},
    ):
        with pytest.raises(InvalidInput):
            start_exploration(key, shop.account_id, msgspec.structs.replace(asked, **wrong))


def test_pairs_of_lists_meet_every_value_of_the_one_with_every_value_of_the_other(
    shop: Shop,
) -> None:
    both = RecordedStage(
        *("Sentry", "SENTRY", 50_000, True, 300),
        {"requestConfidence": 0.5, "reasons": {"IP_HOSTING": -0.4, "IP_VPN": -0.3}},
    )
    for number, matched in enumerate((["dear", "new"], ["new"])):
        stages = [both, rules_stage("DECLINE", matched)]
        shop.keep(NOW_MS - number * HOUR_MS - 1, stages=stages, decision=Outcome.DECLINE)
    found = explored(shop, "rule", "sentry.reasons")
    assert found.total.requests == 2
    pairs = {
        (each.key.value, each.also.value): each.figures.requests
        for each in found.groups
        if each.also is not None
    }
    assert pairs == {
        (rule, reason): count
        for rule, count in (("new", 2), ("dear", 1))
        for reason in ("IP_HOSTING", "IP_VPN")
    }
