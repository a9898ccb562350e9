"""The preview on the copy says exactly what a backtest of the same records says."""

from gatehouse.admin.figures.use_cases.overview import FigureSpan
from gatehouse.admin.figures.use_cases.preview import preview
from gatehouse.admin.rule_sets.use_cases.rule_backtest import BacktestOptions, backtest
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.decisions.records import RecordSpan
from tests.figures.shops import DAY_MS, NOW_MS, Shop, as_json

RULES = b"""
rule_set: shop
description: What is tried out.
inputs:
  plan: text
  score: number
  known: boolean
rules:
  - {name: dear, outcome: DECLINE, condition: order.amount > 60}
  - {name: foreign, outcome: REVIEW, condition: "card.country <> 'US' AND user.id > 'u-2'"}
  - {name: busy, outcome: REVIEW, condition: velocity.user.count_1h > 9 * sentry.requestConfidence}
  - {name: before, outcome: DECLINE, condition: "HAS(rules.matched, 'dear')"}
  - {name: gold, outcome: ACCEPT, final: true, condition: custom.plan = 'gold'}
  - {name: scored, outcome: REVIEW, condition: custom.score > 1 OR custom.known}
  - {name: tin, outcome: DECLINE, shadow: true, condition: custom.plan LIKE 't%'}
  - {name: blocked, outcome: DECLINE, condition: user.id IN LIST('blocked')}
  - {name: near, outcome: REVIEW, condition: ip.address NOT IN LIST('nets')}
  - {name: mail, outcome: DECLINE, condition: email.domain IN LIST('mails') AND order.amount > 9}
  - {name: none, outcome: DECLINE, condition: user.id IN LIST('nowhere') OR ip.tor}
"""


def test_a_preview_says_what_a_backtest_says(any_shop: Shop) -> None:
    shop = any_shop
    shop.list_add("blocked", ListKind.USERS, ["u-1", "u-2", "u-3"], NOW_MS - 30 * DAY_MS)
    shop.list_remove("blocked", ["u-2"], NOW_MS - 20 * DAY_MS)
    shop.list_add("nets", ListKind.NETWORKS, ["203.0.1.0/24"], NOW_MS - 25 * DAY_MS)
    shop.list_add("mails", ListKind.DOMAINS, ["b.example"], NOW_MS - 15 * DAY_MS)
    shop.fill(2000)
    columns = shop.columns()
    for name in ("shop", "second"):
        tried = read_rule_set(RULES.replace(b"rule_set: shop", f"rule_set: {name}".encode()))
        since, until = NOW_MS - 35 * DAY_MS, NOW_MS - DAY_MS
        span = RecordSpan(shop.account_id, since, until)
        expected = backtest(shop.session, tried, span, BacktestOptions(), lambda *_: None)
        found = preview(shop.session, columns, tried, FigureSpan(since, until))
        assert as_json(found.report) == as_json(expected)
        assert found.report.records > 1500
        assert found.report.labelled > 50
        # Only rules of a later stage see what the first ones matched.
        silent = {"none"} if name == "second" else {"none", "before"}
        assert {rule.name for rule in expected.rules if not rule.matches} == silent
