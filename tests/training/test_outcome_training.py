"""Scores of single outcomes are learned where labels allow, and measured on what came later."""

import random

import msgspec
import numpy as np
import pytest
from scripts.eval_sentry.outcomes import outcome_stream

from gatehouse.core.wording.labels import Label
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.outcome_scores import OutcomeScorer
from gatehouse.sentry.outcomes import OUTCOME_OF, ScoredOutcome
from gatehouse.sentry.scorecard import Scorecard, load_sheet
from gatehouse.training.examples import LEGITIMATE, NO_KIND, UNKNOWN, Examples
from gatehouse.training.model_fitting import FitOptions
from gatehouse.training.model_training import Trained, TrainingOptions, train
from gatehouse.training.outcome_fitting import outcome_risk
from gatehouse.training.outcome_training import LEAST_OF_OUTCOME
from gatehouse.training.presuming import known_at, presume
from gatehouse.training.report.report import decode_report, encode_report
from gatehouse.training.report.text import outcomes_text
from tests.backtest.material import DAY_MS, NOW_MS

QUICK = TrainingOptions(FitOptions(method="logistic"), label_delay_ms=DAY_MS)
_SHOWS: dict[Label | None, str] = {
    Label.CHARGEBACK: "IP_VPN",
    Label.FRAUD: "IP_HOSTING",
    Label.CARD_TESTING: "VEL_IP_EVENTS",
    Label.ABUSE: "ORDER_AMOUNT_HIGH",
}
"""By what each outcome is known."""


def made(requests: int, *labels: Label) -> Examples:
    """Requests of which one in twelve has one of the outcomes, in turn."""
    examples, dice = Examples(tuple(BY_CODE)), random.Random(5)
    for number in range(requests):
        label = labels[number // 12 % len(labels)] if number % 12 == 0 else None
        values = {code: round(dice.expovariate(1.5), 3) for code in _SHOWS.values()}
        if label is not None:
            values[_SHOWS[label]] += dice.choice((0.2, 2.5))
        row = examples.add((NOW_MS + number * DAY_MS // 40) / 1000, values)
        fraud = None if label is Label.ABUSE else label is not None
        examples.set_label(row, fraud, None, OUTCOME_OF.get(label) if label else None)
    return examples


@pytest.fixture(scope="module")
def trained() -> Trained:
    sheet = load_sheet()
    return train(made(6000, *OUTCOME_OF), sheet, sheet, QUICK)


def test_each_score_tells_its_own_outcome_better_than_the_confidence(trained: Trained) -> None:
    assert [each.outcome for each in trained.report.outcomes] == list(ScoredOutcome)
    for each in trained.report.outcomes:
        assert each.learned
        assert each.labelled == 125
        assert each.score is not None
        assert each.confidence is not None
        assert each.score.frauds == each.confidence.frauds >= 20
        assert (each.score.auc or 0) > (each.confidence.auc or 0) + 0.02
        assert (each.score.average_precision or 0) > (each.confidence.average_precision or 0)
        assert (each.score.ece or 1) < 0.02


def test_what_a_server_answers_is_what_training_measured(trained: Trained) -> None:
    examples, sheet = made(300, *OUTCOME_OF), trained.sheet
    scorecard, scorer = Scorecard(sheet, BY_CODE.keys()), OutcomeScorer(sheet.outcomes)
    rows = np.arange(len(examples))
    matrix = examples.matrix(rows)
    risks = {each.outcome: outcome_risk(each, sheet, examples, rows) for each in sheet.outcomes}
    for row in range(0, 300, 7):
        values = {
            code: float(value)
            for code, value in zip(examples.codes, matrix[row], strict=True)
            if not np.isnan(value)
        }
        scores = scorer.score(values, scorecard.score(values).total)
        expected = {name: float(risk[row]) for name, risk in risks.items()}
        assert scores == pytest.approx(expected, abs=1.01e-4)


def test_the_one_confidence_learns_nothing_from_abuse() -> None:
    with_abuse, without = made(3000, Label.CHARGEBACK, Label.ABUSE), made(3000, Label.CHARGEBACK)
    for row in range(12, 3000, 24):
        without.set_label(row, None)
        without.doubtful[row] = 1
    sheet = load_sheet()
    one, other = (train(each, sheet, sheet, QUICK) for each in (with_abuse, without))
    assert (one.report.records, one.report.frauds) == (other.report.records, other.report.frauds)
    assert one.report.doubtful == 0


def test_a_single_kind_of_fraud_has_no_score_of_its_own() -> None:
    sheet = load_sheet()
    found = train(made(2400, Label.CHARGEBACK), sheet, sheet, QUICK)
    assert found.sheet.outcomes == ()
    first, second, *_ = found.report.outcomes
    assert first.why.startswith("no other outcome has 50 requests as this one has (200)")
    assert second.why.startswith("0 requests had this outcome, and 50 are needed")
    assert outcomes_text(found.report) == (
        "no scores of single outcomes: at least two need enough labels. There are: "
        "fraudDispute 200, reportedFraud 0, cardTesting 0, abuse 0"
    )


def test_an_outcome_with_few_labels_is_told_and_has_none() -> None:
    examples = made(3000, Label.CHARGEBACK, Label.ABUSE)
    few = LEAST_OF_OUTCOME - 1
    for row in range(0, few * 12, 12):
        examples.set_label(row, fraud=True, outcome=ScoredOutcome.CARD_TESTING)
    sheet = load_sheet()
    found = train(examples, sheet, sheet, QUICK)
    assert [each.outcome for each in found.sheet.outcomes] == ["fraudDispute", "abuse"]
    shares = [each.of_confidence for each in found.sheet.outcomes]
    assert shares[0] > 0.3
    assert shares[1] == 0
    text = outcomes_text(found.report)
    assert "cardTesting: 49 requests had this outcome, and 50 are needed" in text


def test_a_trial_does_not_know_outcomes_that_were_told_later() -> None:
    examples = made(1200, *OUTCOME_OF)
    moment_s = examples.at_s[600]
    for row in range(0, 600, 12):
        kind = list(ScoredOutcome)[row // 12 % 4]
        fraud = None if kind is ScoredOutcome.ABUSE else True
        examples.set_label(row, fraud, moment_s + 1 if row % 24 else None, kind)
    presume(examples, None)
    past = known_at(examples, np.arange(1200), moment_s, 0, presume=True).examples
    assert past.kinds[12] == NO_KIND
    assert past.labels[12] == LEGITIMATE
    assert past.kinds[24] == list(ScoredOutcome).index(ScoredOutcome.CARD_TESTING)
    assert examples.kinds[36] == list(ScoredOutcome).index(ScoredOutcome.ABUSE)
    assert examples.labels[36] == UNKNOWN


def test_a_report_is_read_as_it_was_written_and_earlier_ones_have_no_outcomes(
    trained: Trained,
) -> None:
    report = trained.report
    assert decode_report(encode_report(report)) == report
    earlier = msgspec.json.decode(encode_report(report))
    del earlier["outcomes"]
    assert decode_report(msgspec.json.encode(earlier).decode()).outcomes == ()
    text = outcomes_text(report)
    assert text.splitlines()[1].split()[:3] == ["OUTCOME", "LABELLED", "AUC"]
    assert len(text.splitlines()) == 6


def test_the_made_up_stream_has_all_outcomes_in_order_of_time() -> None:
    orders = list(outcome_stream(1, days=30))
    assert [each.at for each in orders] == sorted(each.at for each in orders)
    assert orders == list(outcome_stream(1, days=30)) != list(outcome_stream(2, days=30))
    assert {each.label for each in orders} == {
        *("chargeback", "fraud", "card_testing", "abuse", "legitimate")
    }
    assert all(each.fraud == (each.label not in ("abuse", "legitimate")) for each in orders)
