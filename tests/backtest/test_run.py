"""A backtest decides as the live rules do, counts exactly, and says what it could not know."""

import random
from typing import Any

import pytest

from gatehouse.backtest import load
from gatehouse.backtest.report import DecisionShift, Example
from gatehouse.conditions.nodes import Type
from gatehouse.core.errors import InvalidInput
from gatehouse.core.stages.outcomes import Outcome, strongest
from gatehouse.figures.workspace import Workspace
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.lists import past_membership
from gatehouse.rules.ruleset import Rule
from gatehouse.store.configured.list_reading import ListPast
from gatehouse.store.decisions.records import KeptRecord
from tests.backtest.material import (
    NOW_MS,
    judged,
    kept,
    record,
    request_id,
    rule,
    rule_set,
    ruled,
    stage,
)


def order(number: int, amount: float | None, currency: str = "USD", then: str = "ACCEPT") -> Any:
    signals = {"order.amount": amount, "order.currency": currency}
    return record(number, signals, [ruled(then)], decision=then)


def test_each_rule_is_counted_with_what_depends_on_it_alone() -> None:
    rules = rule_set(
        rule("large", "order.amount > 100"),
        rule("huge", "order.amount > 1000"),
        rule("euro", "order.currency = 'EUR'", "REVIEW"),
        rule("watched", "order.amount > 5", shadow=True),
    )
    records = [
        order(1, 50),
        order(2, 200),
        order(3, 2000),
        order(4, 70, "EUR"),
        order(5, 500, "EUR"),
    ]
    report = judged(rules, records)
    figures = {one.name: (one.matches, one.decisive) for one in report.rules}
    assert figures == {"large": (3, 2), "huge": (1, 0), "euro": (2, 1), "watched": (5, 0)}
    assert report.after.outcomes == {"ACCEPT": 1, "REVIEW": 1, "DECLINE": 3}
    assert report.before.outcomes == {"ACCEPT": 5}


def test_the_first_final_rule_that_matches_decides() -> None:
    rules = rule_set(
        rule("large", "order.amount > 100"),
        rule("friend", "order.currency = 'EUR'", "ACCEPT", final=True),
        rule("strict", "order.amount > 400", "REVIEW", final=True),
    )
    report = judged(rules, [order(1, 500, "EUR"), order(2, 500), order(3, 200)])
    assert report.after.outcomes == {"ACCEPT": 1, "REVIEW": 1, "DECLINE": 1}
    assert {one.name: one.decisive for one in report.rules} == {
        "large": 1,
        "friend": 1,
        "strict": 1,
    }


def test_a_request_can_match_more_rules_than_a_byte_counts() -> None:
    report = judged(rule_set(*(rule(f"r{n}", "TRUE") for n in range(140))), [order(1, 5)])
    assert report.after.outcomes == {"DECLINE": 1}
    assert {(one.matches, one.decisive) for one in report.rules} == {(1, 0)}


def test_final_rules_ask_no_more_of_duckdb_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    ask, asked = Workspace.ask, [0, 0]

    def counted(workspace: Workspace, statement: str) -> Any:
        asked[final] += len(statement)
        return ask(workspace, statement)

    monkeypatch.setattr(Workspace, "ask", counted)
    for final in (False, True):
        judged(rule_set(*(rule(f"r{n}", "ip.tor", final=final) for n in range(50))), [order(1, 5)])
    assert asked[True] < 2 * asked[False]


def test_inputs_that_differ_only_in_capitals_are_refused() -> None:
    inputs = {"Plan": Type.TEXT, "plan": Type.TEXT}
    two = [rule(key, f"custom.{key} = 'x'", inputs=inputs) for key in inputs]
    with pytest.raises(InvalidInput, match=r"custom\.Plan and custom\.plan differ only"):
        judged(rule_set(*two, inputs=inputs), [order(1, 5)])


def test_changes_are_told_with_exact_amounts_and_examples() -> None:
    rules = rule_set(rule("dear", "order.amount >= 0.2"))
    records = [
        order(1, 0.1),
        order(2, 0.2),
        order(3, 0.7),
        order(4, 0.1, "EUR", then="DECLINE"),
        order(5, 90071992547.12, "JPY"),
        order(6, 5.5, "nonsense"),
        order(7, None),
    ]
    report = judged(rules, records, examples=2)
    assert report.changes == (
        DecisionShift("ACCEPT", "ACCEPT", 2, {"USD": 100_000}),
        DecisionShift(
            "ACCEPT",
            "DECLINE",
            4,
            {"": 5_500_000, "JPY": 90071992547_120_000, "USD": 900_000},
        ),
        DecisionShift("DECLINE", "ACCEPT", 1, {"EUR": 100_000}),
    )
    assert report.examples == (
        Example(request_id(6), "ACCEPT", "DECLINE", ("dear",)),
        Example(request_id(5), "ACCEPT", "DECLINE", ("dear",)),
        Example(request_id(4), "DECLINE", "ACCEPT", ()),
    )


def test_labels_say_what_was_caught_and_what_it_cost() -> None:
    rules = rule_set(
        rule("dear", "order.amount > 10"),
        rule("friend", "order.amount > 20", "ACCEPT"),
    )
    records = [order(1, 11.1), order(2, 22.2, "EUR"), order(3, 30.3), order(4, 5), order(5, 40)]
    labels = {request_id(1): True, request_id(2): True, request_id(3): False, request_id(4): True}
    report = judged(rules, records, labels)
    dear, friend = report.rules
    assert (report.labelled, report.labelled_fraud) == (4, 3)
    assert (dear.fraud, dear.legitimate) == (2, 1)
    assert dear.precision == dear.recall == 2 / 3
    assert dear.caught == {"USD": 11_100_000, "EUR": 22_200_000}
    assert dear.lost == {"USD": 30_300_000}
    assert (friend.precision, friend.caught, friend.lost) == (0.5, {}, {})
    assert report.before.recall == 0
    assert report.after.caught == dear.caught


def test_without_labels_nothing_is_said_about_what_was_caught() -> None:
    [dear] = judged(rule_set(rule("dear", "order.amount > 10")), [order(1, 11)]).rules
    assert (dear.precision, dear.recall, dear.caught, dear.lost) == (None, None, {}, {})


def test_what_the_rules_decided_then_is_compared_not_what_others_did() -> None:
    declined = stage("PreCheck", {"advice": "DECLINE"})
    made = record(1, {"order.amount": 1.0}, [ruled("ACCEPT"), declined], decision="DECLINE")
    report = judged(rule_set(rule("dear", "order.amount > 10")), [made])
    assert [(one.before, one.after) for one in report.changes] == [("ACCEPT", "ACCEPT")]


def test_lists_are_asked_about_the_time_of_each_request() -> None:
    rules = rule_set(rule("bad", "card.bin IN LIST('bins')"))
    signals = {"card.bin": "42424242"}
    records = [
        kept(record(1, signals), NOW_MS - 1),
        kept(record(2, signals), NOW_MS),
        kept(record(3), NOW_MS - 1),
    ]
    past = {"bins": ListPast(ListKind.BINS, {"4242": [0, NOW_MS], "42": [7, NOW_MS]})}
    report = judged(rules, records, past=past)
    assert [one.matches for one in report.rules] == [1]


def test_lists_are_looked_up_as_the_live_rules_look_them_up() -> None:
    chance = random.Random(11)
    sent: dict[str, tuple[str, ListKind, list[str]]] = {
        "user.id": ("users", ListKind.USERS, [f"u-{n}" for n in range(9)]),
        "ip.address": ("nets", ListKind.NETWORKS, [f"203.0.113.{n}" for n in range(0, 256, 9)]),
        "card.bin": ("bins", ListKind.BINS, [f"42{n:06}" for n in range(0, 10**6, 40_000)]),
        "email.domain": ("mails", ListKind.DOMAINS, ["a.example", "b.a.example", "c.example", ""]),
    }
    listed = {
        "user.id": ["u-1", "u-2", "u-3", "u-9"],
        "ip.address": ["203.0.113.0/25", "203.0.113.8/29", "203.0.113.0/31"],
        "card.bin": ["42", "424", "4205", "999"],
        "email.domain": ["a.example", "b.a.example", "example"],
    }
    past = {
        name: ListPast(kind, {each: _some_times(chance) for each in listed[signal]})
        for signal, (name, kind, _) in sent.items()
    }
    conditions = {name: f"{signal} IN LIST('{name}')" for signal, (name, _, _) in sent.items()}
    rules = rule_set(*(rule(name, condition) for name, condition in conditions.items()))
    records, matches = [], dict.fromkeys(conditions, 0)
    for number in range(400):
        at_ms = NOW_MS + chance.randrange(100)
        signals = {signal: chance.choice(values) for signal, (_, _, values) in sent.items()}
        records.append(kept(record(number, signals), at_ms))
        for signal, (name, kind, _) in sent.items():
            was_listed = past_membership(kind, past[name].spans)
            matches[name] += was_listed(signals[signal], at_ms)
    found = {one.name: one.matches for one in judged(rules, records, past=past).rules}
    assert found == matches
    assert all(0 < number < 400 for number in matches.values())


def _some_times(chance: random.Random) -> list[int]:
    """When an entry was added and ended, in turn; entries of one value may overlap."""
    times: list[int] = []
    for _ in range(chance.randrange(1, 4)):
        since_ms = NOW_MS + chance.randrange(80)
        times += (since_ms, since_ms + chance.randrange(1, 40))
    return times


def test_signals_that_no_record_has_are_named_with_their_rules() -> None:
    rules = rule_set(
        rule("often", "velocity.email.count_1h > 3"),
        rule("either", "order.amount > 10 OR velocity.email.count_1h > 3"),
    )
    report = judged(rules, [order(1, 11)])
    [warning] = report.warnings
    assert warning.startswith("velocity.email.count_1h was not recorded in any of these requests")
    assert "(often, either)" in warning
    assert [one.unknown for one in report.rules] == [("velocity.email.count_1h",)] * 2


def test_custom_inputs_have_the_type_that_the_rule_set_declares() -> None:
    inputs = {"visits": Type.NUMBER}
    rules = rule_set(rule("new", "custom.visits < 2", inputs=inputs), inputs=inputs)
    values = [1, 5, "1", True, None]
    records = [record(n, {"custom.visits": value}) for n, value in enumerate(values)]
    assert judged(rules, records).rules[0].matches == 1


def test_records_without_signals_are_skipped_and_broken_ones_counted() -> None:
    records = [
        kept(order(1, 11)),
        KeptRecord(request_id(2), NOW_MS, "precheck", '{"stages":[]}'),
        KeptRecord(request_id(3), NOW_MS, "pipeline", '{"stages":[]}'),
        KeptRecord(request_id(4), NOW_MS, "pipeline", '{"signals":'),
    ]
    report = judged(rule_set(rule("dear", "order.amount > 10")), records)
    assert (report.records, report.skipped, report.unreadable) == (1, 2, 1)


@pytest.mark.parametrize("finals", [0.05, 0.6])
def test_a_backtest_agrees_with_the_live_rules(
    finals: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "BYTES_AT_ONCE", 5000)
    chance = random.Random(7)
    rules = rule_set(*(_some_rule(chance, number, finals) for number in range(130)))
    live = CompiledRuleSet(rules, 1)
    records = [_some_request(chance, number) for number in range(300)]
    report = judged(rules, records)
    matches = dict.fromkeys((one.name for one in rules.rules), 0)
    decisive = dict(matches)
    outcomes = dict.fromkeys(Outcome, 0)
    for made in records:
        judgement = live.judge(made["signals"], _NoLists(), NOW_MS)
        outcomes[judgement.status] += 1
        matching = [one.id for one in (*judgement.matched, *judgement.shadow)]
        for name in matching:
            matches[name] += 1
            others = [one for one in rules.rules if one.name in matching and one.name != name]
            decisive[name] += _decided(others) is not judgement.status
    assert {one.name: one.matches for one in report.rules} == matches
    assert {one.name: one.decisive for one in report.rules} == decisive
    assert any(decisive.values())
    assert report.after.outcomes == {one.value: count for one, count in outcomes.items() if count}
    assert all(count > 0 for count in outcomes.values())


def _decided(matching: list[Rule]) -> Outcome:
    live = [one for one in matching if not one.shadow]
    final = next((one for one in live if one.final), None)
    return strongest(one.outcome for one in live) if final is None else final.outcome


class _NoLists:
    def has(self, name: str, value: str, at_ms: int) -> bool:
        return False


def _some_rule(chance: random.Random, number: int, finals: float) -> Any:
    conditions = (
        f"order.amount > {chance.randrange(900)} AND card.country <> ip.country",
        f"order.amount / order.items > {chance.randrange(900)}",
        f"velocity.card.count_1h >= {chance.randrange(2, 9)} OR card.prepaid IS NULL",
        f"NOT (card.prepaid OR order.amount < {chance.randrange(900)})",
        "card.country IN ('GB', 'NG') AND order.currency LIKE 'E%'",
    )
    return rule(
        f"rule-{number}",
        chance.choice(conditions),
        chance.choice(("ACCEPT", "REVIEW", "DECLINE", "DECLINE")),
        final=chance.random() < finals,
        shadow=chance.random() < 0.1,
    )


def _some_request(chance: random.Random, number: int) -> dict[str, Any]:
    signals: dict[str, Any] = {
        "order.amount": round(chance.uniform(0, 1000), 2),
        "order.currency": chance.choice(("USD", "EUR")),
        "order.items": chance.randrange(3),
        "card.country": chance.choice(("GB", "US", "NG")),
        "ip.country": chance.choice(("GB", "US", "NG")),
        "card.prepaid": chance.random() < 0.5,
        "velocity.card": [chance.randrange(9) for _ in range(13)],
    }
    for name in list(signals):
        if chance.random() < 0.15:
            del signals[name]
    return record(number, signals, [ruled("ACCEPT")])


def test_scores_of_outcomes_are_judged_where_records_have_them() -> None:
    rules = rule_set(
        rule("testers", "sentry.outcomeScores.cardTesting > 0.3"),
        rule("abusers", "sentry.outcomeScores.abuse > 0.3"),
    )
    scores = ({"cardTesting": 0.4}, {"cardTesting": 0.2}, None)
    records = [
        record(
            number,
            {"order.amount": 5.0},
            [stage("Sentry", {"requestConfidence": 0.5, "outcomeScores": each}), ruled("ACCEPT")],
            decision="ACCEPT",
        )
        for number, each in enumerate(scores, 1)
    ]
    report = judged(rules, records)
    assert {one.name: one.matches for one in report.rules} == {"testers": 1, "abusers": 0}
    # No record was made by a model that knows of abuse.
    [warning] = report.warnings
    assert "sentry.outcomeScores.abuse" in warning
