"""Findings about rules say what a plain look at every single request says."""

import random
from collections import Counter

from gatehouse.backtest.hygiene import (
    COVERED,
    FEWEST_HITS,
    FindingKind,
    FindingWriter,
    MatchedTogether,
    better_number,
    findings,
)
from gatehouse.backtest.run import MatchGroup
from gatehouse.backtest.thresholds import LabelledValue, RuleThreshold, ThresholdTally
from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.parse import read_condition
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.ruleset import Rule
from gatehouse.sentry.costs import CostTerms

CONDITION = read_condition("ip.tor", Catalogue())
WRITE = FindingWriter("{:.0%}".format, lambda micros, currency: f"{micros / 1e6:.2f} {currency}")
STRICT = (Outcome.ACCEPT, Outcome.REVIEW, Outcome.DECLINE)
TERMS = CostTerms("EUR", margin=2000, review_cost=300, chargeback_fee=1500)


def _rules(chance: random.Random) -> list[Rule]:
    return [
        Rule(
            f"r{number}",
            CONDITION,
            chance.choice(STRICT),
            final=chance.random() < 0.1,
            shadow=off or chance.random() < 0.2,
            off=off,
        )
        for number in range(7)
        for off in [chance.random() < 0.1]
    ]


def _requests(chance: random.Random) -> list[MatchGroup]:
    """Single requests; some rules hit nearly what others do, and some nothing."""
    found = []
    for _ in range(400):
        places = {place for place in range(5) if chance.random() < 0.2}
        if 0 in places and chance.random() < 0.98:
            places.add(5)
        fraud = chance.choice((True, False, False, None))
        currency = chance.choice(("EUR", "EUR", "USD"))
        amount = chance.randrange(1, 90) * 1_000_000
        found.append(MatchGroup(frozenset(places), fraud, currency, 1, amount))
    return found


def _grouped(requests: list[MatchGroup]) -> list[MatchGroup]:
    counts: Counter[tuple[frozenset[int], bool | None, str]] = Counter()
    sums: Counter[tuple[frozenset[int], bool | None, str]] = Counter()
    for each in requests:
        counts[each[:3]] += 1
        sums[each[:3]] += each.micros
    return [MatchGroup(*key, count, sums[key]) for key, count in counts.items()]


def _told(rules: list[Rule], requests: list[MatchGroup]) -> set[tuple[str, str]]:
    """Who never matches, who contradicts whom, and whose stopping costs more, one by one."""
    found = set()
    for place, rule in enumerate(rules):
        hits = [each for each in requests if place in each.places]
        if rule.off:
            continue
        if not hits:
            found.add(("never", rule.name))
        for other, by in enumerate(rules):
            opposed = rule.outcome is Outcome.ACCEPT and by.outcome is Outcome.DECLINE
            if opposed and not by.off and any(other in each.places for each in hits):
                found.add(("contradicts", f"{rule.name} {by.name}"))
        euros = [each for each in hits if each.currency == "EUR" and each.fraud is not None]
        if rule.outcome is Outcome.ACCEPT or len(euros) < FEWEST_HITS:
            continue
        saved = sum(each.micros / 1e6 + 15 for each in euros if each.fraud)
        lost = sum(each.micros / 1e6 * 0.2 for each in euros if not each.fraud)
        spent = 3 * len(euros) if rule.outcome is Outcome.REVIEW else lost
        if spent > saved:
            found.add(("costly", rule.name))
    return found


def test_findings_are_what_a_look_at_every_request_finds() -> None:
    kinds = Counter[str]()
    for seed in range(60):
        chance = random.Random(seed)
        rules, requests = _rules(chance), _requests(chance)
        if seed % 3 == 0:
            requests = [
                each._replace(fraud=each.fraud and chance.random() < 0.1) for each in requests
            ]
        together = MatchedTogether(rules, _grouped(requests))
        found = findings(together, [], TERMS, WRITE)
        kinds.update(each.kind for each in found)
        names = {
            (each.kind.value, f"{each.rule} {each.other}" if each.other else each.rule)
            for each in found
            if each.kind is not FindingKind.COVERED
        }
        assert names == _told(rules, requests), seed
        places = {rule.name: place for place, rule in enumerate(rules)}
        for each in found:
            if each.kind is FindingKind.COVERED:
                one, other = places[each.rule], places[str(each.other)]
                hits = [request for request in requests if one in request.places]
                both = [request for request in hits if other in request.places]
                assert len(both) >= COVERED * len(hits) >= COVERED * FEWEST_HITS
                assert not rules[other].shadow
                assert STRICT.index(rules[other].outcome) >= STRICT.index(rules[one].outcome)
        for overlap in together.overlaps():
            one, other = places[overlap.rule], places[overlap.other]
            assert overlap.both == sum({one, other} <= each.places for each in requests)
    assert {*kinds} >= {"never", "covered", "contradicts", "costly"}


def test_of_two_rules_that_match_the_same_the_later_one_is_told() -> None:
    rules = [Rule(name, CONDITION, Outcome.REVIEW) for name in ("first", "second")]
    same = [MatchGroup(frozenset({0, 1}), None, "EUR", 50, 0)]
    found = findings(MatchedTogether(rules, same), [], None, WRITE)
    assert [(each.rule, each.other) for each in found] == [("second", "first")]
    assert "100% of its 50 hits are hits of first" in found[0].said


def test_a_better_threshold_is_the_best_of_all_that_there_are() -> None:
    proposed = 0
    for seed in range(300):
        chance = random.Random(seed)
        operator = chance.choice(("<", "<=", ">", ">="))
        sign = 1 if operator[0] == ">" else -1
        rows = [(round(chance.gauss(5, 2), 1), chance.random() < 0.3) for _ in range(80)]
        rows = [(value + (2 * sign if fraud else 0), fraud) for value, fraud in rows]
        values = tuple(
            LabelledValue(
                value,
                sum(fraud for each, fraud in rows if each == value),
                sum(not fraud for each, fraud in rows if each == value),
            )
            for value in sorted({value for value, _ in rows})
        )
        tally = ThresholdTally(RuleThreshold(0, "order.amount", operator, 4.0), values)
        holds = {
            "<": float.__lt__,
            "<=": float.__le__,
            ">": float.__gt__,
            ">=": float.__ge__,
        }[operator]
        for number in (4.0, 5.5):
            hit = [fraud for value, fraud in rows if holds(value, number)]
            assert tally.matched(number) == (sum(hit), len(hit) - sum(hit))
        new = better_number(tally)
        if new is None:
            continue
        proposed += 1
        (right, wrong), (was_right, was_wrong) = tally.matched(new), tally.matched(4.0)
        assert right >= was_right
        assert wrong <= was_wrong
        if wrong < was_wrong * 0.9:
            better = [tally.matched(each.value) for each in values]
            assert wrong == min(goods for frauds, goods in better if frauds >= was_right)
    assert proposed > 20
