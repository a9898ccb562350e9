"""Scores are mapped so that thresholds keep the share of requests below them."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.packed_values import features_in
from gatehouse.sentry.costs import CostPreset, CostTerms, risk_of
from gatehouse.sentry.explaining import changes, findings
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.score_mapping import (
    PARTS,
    ScoreMapping,
    make_mapping,
    threshold_parts,
)
from gatehouse.sentry.scorecard import Scorecard, ScorecardError, encode_sheet, load_sheet
from tests.sentry.test_stage import case, run, stage

MAPPING = ScoreMapping("prior-3", (0, 5999, 6000, PARTS), (0, 1499, 1500, PARTS))
_scores = st.lists(st.integers(3, 9997), min_size=1, max_size=80)
_thresholds = st.lists(st.integers(1, PARTS), min_size=1, max_size=4)


def below(scores: list[int], threshold: int) -> int:
    return sum(each < threshold for each in scores)


@given(_scores, st.randoms(use_true_random=False), _thresholds)
def test_as_many_scores_are_below_each_threshold_as_before(
    before: list[int], dice: random.Random, thresholds: list[int]
) -> None:
    # No two requests have the same score with the new model, so that all can be told apart.
    own = dice.sample(range(3, 9998), len(before))
    mapping = make_mapping(sorted(before), sorted(own), thresholds, "prior-3")
    assert mapping is not None
    assert mapping.problems() == []
    told = [mapping.tell_parts(each) for each in own]
    for threshold in thresholds:
        assert below(told, threshold) == below(before, threshold)


@given(_scores, _scores, _thresholds)
def test_the_order_of_scores_stays(
    before: list[int], own: list[int], thresholds: list[int]
) -> None:
    mapping = make_mapping(sorted(before), sorted(own), thresholds, "prior-3")
    assert mapping is not None
    assert mapping.problems() == []
    told = [mapping.tell_parts(each) for each in range(PARTS + 1)]
    assert told == sorted(told)
    assert 0 <= told[0] <= told[-1] <= PARTS


def test_requests_that_score_alike_stay_on_one_side() -> None:
    mapping = make_mapping([1000, 2000, 9000, 9000], [500, 500, 500, 9990], [4000], "prior-3")
    assert mapping is not None
    assert [mapping.tell_parts(each) < 4000 for each in (500, 9990)] == [True, False]


def test_without_thresholds_scores_are_told_as_they_are() -> None:
    assert make_mapping([1, 2], [3, 4], [], "prior-3") is None
    assert make_mapping([1, 2], [3, 4], [0, 20_000], "prior-3") is None


@pytest.mark.parametrize(
    ("threshold", "parts"), [(0.4, 4000), (0.15, 1500), (0.00005, 1), (0.1 + 0.2, 3000)]
)
def test_a_threshold_is_the_least_score_that_is_not_below_it(threshold: float, parts: int) -> None:
    assert threshold_parts(threshold) == parts


def test_a_mapping_that_makes_no_sense_makes_its_scorecard_unusable() -> None:
    turned = msgspec.structs.replace(MAPPING, told=(PARTS, 1500, 1499, 0))
    sheet = msgspec.structs.replace(load_sheet(), mapping=turned)
    with pytest.raises(ScorecardError, match="must not turn them round"):
        Scorecard(sheet, BY_CODE.keys())


SHEET = msgspec.structs.replace(load_sheet(), version="learned-7", mapping=MAPPING)
TERMS = CostTerms("USD", 2500, CostPreset.BALANCE)


def scored(policy: SentryPolicy) -> Any:
    asked = case()
    asked.policies[SentryPolicy] = policy
    sentry = stage(LocalMemory(100)).with_scorecard(Scorecard(SHEET, BY_CODE.keys()))
    return run(sentry, asked)


def test_the_told_score_goes_into_answers_and_the_models_own_into_the_record() -> None:
    plain, told = scored(SentryPolicy(raw_scores=True)), scored(SentryPolicy())
    own = plain.facts["requestConfidence"]
    assert "ownConfidence" not in plain.facts
    assert told.facts["ownConfidence"] == own
    assert told.facts["requestConfidence"] == MAPPING.tell(own) != own
    assert told.response.request_confidence == MAPPING.tell(own)
    signals = REGISTRY.signals_of("Sentry", told.facts, completed=True)
    assert signals["sentry.ownConfidence"] == own
    assert signals["sentry.requestConfidence"] == MAPPING.tell(own)


def test_costs_follow_what_the_model_itself_says() -> None:
    told = scored(SentryPolicy(costs=TERMS))
    assert told.facts["costs"]["risk"] == risk_of(told.facts["ownConfidence"])


def test_the_explanation_says_both_and_works_out_both_again() -> None:
    facts = dict(scored(SentryPolicy()).facts)
    facts["signals"] = features_in(facts["signals"])
    program = encode_sheet(SHEET)
    own, sure = facts["ownConfidence"], facts["requestConfidence"]
    said = [each.text for each in findings(facts, program)]
    assert f"The model itself says {own}; that is told as {sure}" in said[1]
    for change in changes(facts, program):
        other = change.signals["sentry.ownConfidence"]
        assert change.signals["sentry.requestConfidence"] == MAPPING.tell(other)
