"""A backtest tells what deciding by expected cost would have lost and turned away."""

from typing import Any

from gatehouse.backtest.judging import ColumnTrial, judge_loaded
from gatehouse.backtest.load import RECORDS, ColumnMaker, load, select_signals
from gatehouse.backtest.report import BacktestReport
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.figures.workspace import open_workspace
from gatehouse.sentry.costs import CostPreset, CostTerms, expected_costs, risk_of
from gatehouse.store.decisions.records import RecordSpan
from tests.backtest.material import NOW_MS, kept, record, request_id, rule, rule_set, ruled, stage

TERMS = CostTerms("USD", 2500, CostPreset.BALANCE, 2000, 0, 350, 8000)
ORDERS: list[tuple[float, float, bool | None, str]] = [
    (100.0, 0.99, False, "USD"),
    (100.0, 0.99, True, "USD"),
    (59.9, 0.9, False, "USD"),
    (59.9, 0.9, True, "USD"),
    (10.0, 0.05, True, "USD"),
    (10.0, 0.05, False, "USD"),
    (10.0, 0.05, None, "USD"),
    (80.0, 0.05, True, "EUR"),
]


def judged(costs: CostTerms | None) -> BacktestReport:
    records, labels = [], {}
    for number, (amount, sure, fraud, currency) in enumerate(ORDERS):
        signals: dict[str, Any] = {"order.amount": amount, "order.currency": currency}
        stages = [stage("Sentry", {"requestConfidence": sure}), ruled("ACCEPT")]
        records.append(kept(record(number, signals, stages)))
        if fraud is not None:
            labels[request_id(number)] = fraud
    tried = rule_set(rule("large", "order.amount > 1000"))
    trial = ColumnTrial(tried, RecordSpan("", 0, NOW_MS), {}, costs=costs)
    with open_workspace() as workspace:
        columns = ColumnMaker(select_signals(tried, trial.more_signals), labels)
        loaded = load(workspace, columns.types, columns.parts([records]))
        return judge_loaded(workspace, trial, RECORDS, loaded)


def test_each_preset_decides_as_answers_do() -> None:
    for figures in judged(TERMS).presets:
        wanted = [
            expected_costs(TERMS, round(amount * 100), risk_of(sure), figures.preset).advice
            for amount, sure, _, currency in ORDERS
            if currency == "USD"
        ]
        assert figures.outcomes == {
            str(each): wanted.count(each) for each in Outcome if each in wanted
        }


def test_money_counts_where_a_label_says_what_became_of_an_order() -> None:
    found = {figures.preset: figures for figures in judged(TERMS).presets}
    assert list(found) == list(CostPreset)
    balance = found[CostPreset.BALANCE]
    assert balance.outcomes == {"ACCEPT": 2, "REVIEW": 2, "DECLINE": 3}
    assert balance.fraud_lost == {"USD": 100_000_000}
    assert balance.good_turned_away == {"USD": 10_000_000}
    # 120.00 for the fraud that is accepted, 2.50 of margin, two reviews of 3.50, of which one in
    # five leaves the fraud of 59.90 accepted, with its fee: 15.98.
    assert balance.cost == {"USD": 145_480_000}


def test_without_costs_nothing_is_worked_out() -> None:
    report = judged(None)
    assert report.presets == ()
    assert report.warnings == ()


def test_a_confidence_that_no_rule_names_is_not_missed() -> None:
    assert judged(TERMS).warnings == ()
