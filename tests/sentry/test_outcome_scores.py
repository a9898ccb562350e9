"""Scores of single outcomes: added up as their sheets say, told, recorded and explained."""

import math
import random
from bisect import bisect_right
from typing import Any

import msgspec
import pytest

from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import RecordedResult
from gatehouse.decisions.packed_values import features_in
from gatehouse.sentry.explaining import changes, findings
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.outcome_scores import OutcomeScorer, outcome_reasons
from gatehouse.sentry.outcomes import ScoredOutcome
from gatehouse.sentry.records.answer import answer_again
from gatehouse.sentry.response import SentryResponse
from gatehouse.sentry.scorecard import (
    OutcomeSheet,
    OutcomeTerm,
    Scorecard,
    ScorecardError,
    decode_sheet,
    encode_sheet,
    load_sheet,
)
from tests.sentry.test_stage import case, run, stage

DISPUTES = OutcomeSheet(
    ScoredOutcome.FRAUD_DISPUTE,
    -3.0,
    0.25,
    (OutcomeTerm("IP_CONSUMER", (0.5,), (0.0, 1.5)), OutcomeTerm("UA_CURRENT", (), (-0.1,))),
)
TESTING = OutcomeSheet(
    ScoredOutcome.CARD_TESTING, -2.0, 0.0, (OutcomeTerm("UA_CURRENT", (0.5,), (0.0, 0.75)),)
)
SHEET = msgspec.structs.replace(load_sheet(), version="learned-7", outcomes=(DISPUTES, TESTING))


def _odds(sheet: OutcomeSheet, values: dict[str, float], total: float) -> float:
    """What a sheet comes to, without any haste."""
    odds = sheet.constant - sheet.of_confidence * total
    for term in sheet.terms:
        if term.code in values:
            odds += term.effects[bisect_right(term.cuts, values[term.code])]
    return odds


def _random_sheet(dice: random.Random, outcome: ScoredOutcome, codes: list[str]) -> OutcomeSheet:
    terms = []
    for code in dice.sample(codes, 30):
        cuts = sorted({round(dice.gauss(0, 2), 1) for _ in range(dice.randrange(4))})
        effects = [dice.choice((0.0, dice.gauss(0, 1))) for _ in range(len(cuts) + 1)]
        terms.append(OutcomeTerm(code, tuple(cuts), tuple(effects)))
    return OutcomeSheet(outcome, dice.gauss(-3, 1), dice.random(), tuple(terms))


def test_the_joined_terms_come_to_what_each_sheet_says() -> None:
    dice, codes = random.Random(3), list(BY_CODE)
    sheets = [_random_sheet(dice, each, codes) for each in ScoredOutcome]
    scorer = OutcomeScorer(sheets)
    for _ in range(200):
        values = {code: round(dice.gauss(0, 2), 1) for code in dice.sample(codes, 40)}
        total = dice.gauss(0, 3)
        expected = {
            sheet.outcome: 1 / (1 + math.exp(-max(-8.0, min(_odds(sheet, values, total), 8.0))))
            for sheet in sheets
        }
        assert scorer.score(values, total) == pytest.approx(expected, abs=5.1e-5)


def scored(**changed: Any) -> Any:
    sheet = msgspec.structs.replace(SHEET, **changed)
    return run(stage(LocalMemory(100)).with_scorecard(Scorecard(sheet, BY_CODE.keys())), case())


def test_the_scores_are_in_the_answer_the_record_and_the_signals() -> None:
    result = scored()
    scores = result.facts["outcomeScores"]
    assert list(scores) == ["fraudDispute", "cardTesting"]
    told = msgspec.to_builtins(result.response)["outcomeScores"]
    assert told == msgspec.to_builtins(result.inside)["outcomeScores"] == scores
    signals = REGISTRY.signals_of("Sentry", result.facts, completed=True)
    assert signals["sentry.outcomeScores.cardTesting"] == scores["cardTesting"]
    assert signals.get("sentry.outcomeScores.abuse") is None
    recorded = msgspec.json.decode(msgspec.json.encode(result.facts))
    recorded["signals"] = features_in(result.facts["signals"])
    again = answer_again(RecordedResult(facts=recorded, card=None, alone=True)).response
    assert isinstance(again, SentryResponse)
    assert again.outcome_scores == result.response.outcome_scores


def test_a_model_without_them_answers_as_before() -> None:
    plain = scored(outcomes=())
    assert "outcomeScores" not in plain.facts
    assert "outcomeScores" not in msgspec.to_builtins(plain.response)
    assert plain.response.request_confidence == scored().response.request_confidence


def test_the_explanation_tells_each_with_what_moved_it() -> None:
    facts = dict(scored().facts)
    facts["signals"] = features_in(facts["signals"])
    scores, program = facts["outcomeScores"], encode_sheet(SHEET)
    said = [each.text for each in findings(facts, program)][-2:]
    start = f"The probability of a fraud dispute was {scores['fraudDispute']:g}."
    assert said[0].startswith(f"{start} What moved it most, in log-odds: IP_CONSUMER +1.5, the ")
    assert said[1] == (
        f"The probability of card testing was {scores['cardTesting']:g}. What moved it most, in "
        "log-odds: UA_CURRENT +0.75."
    )
    gone = [each.text for each in findings(facts, None)][-2:]
    assert gone[0] == start
    scorer = OutcomeScorer(SHEET.outcomes)
    assert scorer.score(facts["signals"], 0)["cardTesting"] == scores["cardTesting"]
    for change in changes(facts, program):
        assert "sentry.outcomeScores.fraudDispute" in change.signals


def test_reasons_are_what_is_large_enough_strongest_first() -> None:
    values = {"UA_CURRENT": 1.0, "IP_CONSUMER": 1.0, "IP_VPN": 1.0}
    assert outcome_reasons(DISPUTES, values) == [("IP_CONSUMER", 1.5)]


def test_sheets_of_earlier_versions_are_read_and_written_as_they_were() -> None:
    plain = load_sheet()
    text = encode_sheet(plain)
    assert b"outcomes" not in text.encode()
    assert decode_sheet(text) == plain
    with_mapping = msgspec.json.decode(text)
    with_mapping["mapping"] = None
    assert decode_sheet(msgspec.json.encode(with_mapping).decode()) == plain
    assert decode_sheet(encode_sheet(SHEET)) == SHEET


@pytest.mark.parametrize(
    ("outcomes", "says"),
    [
        ((DISPUTES, DISPUTES), "an outcome has more than one sheet"),
        (
            (msgspec.structs.replace(TESTING, terms=TESTING.terms * 2),),
            "cardTesting: UA_CURRENT: has more than one term",
        ),
        (
            (msgspec.structs.replace(TESTING, terms=(OutcomeTerm("A", (1, 0), (0, 1, 2)),)),),
            "cardTesting: A: cuts must ascend",
        ),
    ],
)
def test_a_sheet_that_makes_no_sense_is_refused(
    outcomes: tuple[OutcomeSheet, ...], says: str
) -> None:
    with pytest.raises(ScorecardError, match=says):
        Scorecard(msgspec.structs.replace(SHEET, outcomes=outcomes), BY_CODE.keys())
