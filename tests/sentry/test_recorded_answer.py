"""Sentry's reasons read the same from what was measured as from what a record keeps of it."""

import random

import pytest

from gatehouse.core.stages.stage import RecordedResult
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.records.answer import answer_again
from gatehouse.sentry.records.features import rounded_feature
from gatehouse.sentry.stage import told_reason


@pytest.mark.parametrize("shipped", [True, False])
def test_a_reason_is_told_alike_from_the_record(shipped: bool) -> None:
    chance = random.Random(18)
    measured = [0.0, 1.0, 2.0, 13.49999, 0.12499, 0.00004, 1e6 + 0.5]
    for code in BY_CODE:
        for value in [*measured, *(chance.expovariate(0.3) for _ in range(20))]:
            effect = chance.choice([0.35, -0.8, 0.0004, -0.0004, chance.gauss(0, 1)])
            told = told_reason(code, effect, value, shipped=shipped)
            kept = rounded_feature(value)
            assert told_reason(code, told.effect, kept, shipped=shipped) == told


def test_what_another_version_measured_is_told_without_a_sentence() -> None:
    facts = {
        "model": "old",
        "requestConfidence": 0.5,
        "ipScore": 0.5,
        "reasons": {"FORGOTTEN": -1.0, "MEMORY_UNAVAILABLE": 0.0},
        "signals": {"FORGOTTEN": 1},
    }
    again = answer_again(RecordedResult(facts=facts, card=None, alone=False))
    first, last = again.response.reasons  # type: ignore[attr-defined]  # SentryInPipeline
    assert (first.text, last.text[:13]) == ("", "What was seen")
    assert again.tags == ["FORGOTTEN"]
