"""A training maps the scores of its model, and says what becomes of thresholds in use."""

import msgspec
import numpy as np
import pytest

from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.score_mapping import PARTS, ScoreMapping
from gatehouse.sentry.scorecard import Scorecard, Sheet, load_sheet
from gatehouse.training.examples import Examples
from gatehouse.training.model_fitting import FitOptions
from gatehouse.training.model_training import Trained, TrainingOptions, train
from gatehouse.training.report.report import (
    ThresholdInUse,
    Verdict,
    decode_report,
    encode_report,
    judge_figures,
)
from gatehouse.training.report.text import summary
from gatehouse.training.score_meaning import keep_meaning
from gatehouse.training.trial import try_model
from tests.training.material import merchant

LOW = ThresholdInUse("rule", "starter", "sentry-low", 0.4)
STOP = ThresholdInUse("pipeline", "1", "Sentry", 0.55)


def gathered(requests: int = 1500) -> Examples:
    examples = Examples(tuple(BY_CODE))
    for place, (values, fraud) in enumerate(merchant(requests)):
        examples.set_label(examples.add(float(place), values), fraud)
    return examples


@pytest.fixture(scope="module")
def examples() -> Examples:
    return gathered()


def scores(sheet: Sheet, examples: Examples) -> list[float]:
    scorecard = Scorecard(sheet, BY_CODE.keys())
    mapping = sheet.mapping
    found = []
    for values, _ in merchant(len(examples)):
        own = round(scorecard.score(values).confidence, 4)
        found.append(own if mapping is None else mapping.tell(own))
    return found


@pytest.fixture(scope="module")
def trained(examples: Examples) -> Trained:
    options = TrainingOptions(FitOptions(method="logistic"), label_delay_ms=0)
    return train(examples, load_sheet(), load_sheet(), options, in_use=[LOW, STOP])


def test_thresholds_in_use_keep_their_share(trained: Trained, examples: Examples) -> None:
    before, after = scores(load_sheet(), examples), scores(trained.sheet, examples)
    assert trained.report.meaning is not None
    for each in trained.report.meaning.thresholds:
        shares = [
            sum(score < each.in_use.threshold for score in found) / len(examples)
            for found in (before, after)
        ]
        assert each.before == pytest.approx(shares[0], abs=1e-6)
        assert each.after == pytest.approx(shares[1], abs=1e-6)
        assert abs(each.after - each.before) < 0.005
        assert abs(each.unmapped - each.before) > 0.01


def test_the_report_counts_requests_that_change_sides(trained: Trained) -> None:
    meaning = trained.report.meaning
    assert meaning is not None
    assert (meaning.meaning, meaning.requests) == (load_sheet().version, 1500)
    assert meaning.changed < meaning.changed_unmapped
    assert [each.in_use for each in meaning.thresholds] == [LOW, STOP]
    assert decode_report(encode_report(trained.report)) == trained.report
    text = summary(trained.report)
    assert "starter, sentry-low" in text
    assert "TOLD AS" in text


def test_without_thresholds_nothing_is_mapped(examples: Examples) -> None:
    mapping, report = keep_meaning(examples, load_sheet(), load_sheet(), [])
    assert mapping is None
    assert (report.thresholds, report.changed) == ((), 0)


def test_a_successor_keeps_the_meaning_of_the_first_one(
    trained: Trained, examples: Examples
) -> None:
    live = msgspec.structs.replace(trained.sheet, version="learned-1")
    mapping, report = keep_meaning(examples, live, load_sheet(), [LOW])
    assert mapping is not None
    # The model before it tells its scores on the scale of the shipped scorecard already.
    assert mapping.meaning == report.meaning == load_sheet().version


def test_shares_before_are_those_of_scores_as_they_were_told(examples: Examples) -> None:
    flat = ScoreMapping("prior-3", (0, PARTS), (0, 3000))
    live = msgspec.structs.replace(load_sheet(), version="learned-1", mapping=flat)
    _, report = keep_meaning(examples, live, load_sheet(), [LOW])
    assert report.thresholds[0].before == 1.0
    assert np.isclose(report.thresholds[0].after, 1.0)


def test_a_trial_says_what_a_look_at_every_request_says(
    trained: Trained, examples: Examples
) -> None:
    live, tried = load_sheet(), trained.sheet
    trial = try_model(examples, live, tried, [LOW, STOP])
    before, after = scores(live, examples), scores(tried, examples)
    frauds = [fraud for _, fraud in merchant(len(examples))]
    assert (trial.requests, trial.labelled, trial.frauds) == (1500, 1500, sum(frauds))
    near = [abs(one - other) <= 0.05 + 1e-9 for one, other in zip(before, after, strict=True)]
    assert trial.agreement == pytest.approx(sum(near) / 1500, abs=1e-6)
    stricter = 0
    for was, now in zip(before, after, strict=True):
        below = [sum(score < each.threshold for each in (LOW, STOP)) for score in (was, now)]
        stricter += below[1] > below[0]
    assert trial.stricter.requests == stricter
    assert trial.stricter.frauds + trial.stricter.legitimate == stricter
    for each, in_use in zip(trial.thresholds, (LOW, STOP), strict=True):
        was = sum(score < in_use.threshold for score in before)
        assert each.before == pytest.approx(was / 1500, abs=1e-6)
        # No other number has a share that is nearer to that of before.
        off = abs(sum(score < each.equal_share for score in after) - was)
        assert all(
            abs(sum(score < other for score in after) - was) >= off for other in (*after, 1.1)
        )
    assert trial.figures.candidate is not None
    assert trial.figures.current is not None
    assert judge_figures(trial.figures) in (Verdict.BETTER, Verdict.HIGHER_PRECISION)
