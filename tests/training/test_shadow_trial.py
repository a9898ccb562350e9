"""Recorded scores of a model in shadow beside those of the live one, as a recount finds them."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gatehouse.core.wording.labels import Label
from gatehouse.decisions.record import RecordedStage
from gatehouse.sentry.score_mapping import PARTS
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.training.metrics import measure
from gatehouse.training.report.report import ThresholdInUse
from gatehouse.training.report.trial import TrialShift
from gatehouse.training.shadow_trial import try_shadow
from gatehouse.training.trial import equal_share
from tests.figures.shops import HOUR_MS, NOW_MS, Shop

LOW = ThresholdInUse("rule", "starter", "sentry-low", 0.4)
HIGH = ThresholdInUse("pipeline", "1", "Sentry", 0.8)
Scored = tuple[float, float, bool | None]


@pytest.fixture
def shop(sqlite_session: AdminSession, tmp_path: Path) -> Iterator[Shop]:
    made = Shop(sqlite_session, tmp_path / "copies")
    yield made
    made.copies.close()


def keep(shop: Shop, number: int, live: float, beside: float | None) -> str:
    result = {"requestConfidence": live, "reasons": {}}
    if beside is not None:
        result["shadow"] = {"model": "learned-2", "requestConfidence": beside}
    stage = RecordedStage("Sentry", "SENTRY", 50_000, True, 300, result)
    return shop.keep(NOW_MS - number * HOUR_MS - 1, stages=[stage])


def scored(shop: Shop, count: int) -> list[Scored]:
    """Requests that both models scored, a third of them labelled, with scores that often draw."""
    chance, found = random.Random(5), []
    for number in range(count):
        live, beside = [round(chance.betavariate(3, 1), 2) for _ in range(2)]
        request_id = keep(shop, number, live, beside)
        fraud: bool | None = None
        if number % 3 == 0:
            fraud = chance.random() > beside
            shop.label(request_id, found=Label.FRAUD if fraud else Label.LEGITIMATE)
        found.append((live, beside, fraud))
    return found


def shifted(these: list[Scored]) -> TrialShift:
    frauds = [fraud for *_, fraud in these]
    return TrialShift(len(these), frauds.count(True), frauds.count(False))


def test_it_finds_what_a_recount_of_both_scores_finds(shop: Shop) -> None:
    rows = scored(shop, 90)
    keep(shop, 91, 0.1, None)
    keep(shop, 200, 0.1, 0.9)
    trial = try_shadow(shop.columns(), NOW_MS - 100 * HOUR_MS, NOW_MS, [LOW, HIGH])
    assert (trial.requests, trial.labelled) == (90, 30)
    assert trial.frauds == sum(bool(fraud) for *_, fraud in rows) > 5
    assert trial.agreement == round(sum(abs(a - b) <= 0.05 + 1e-9 for a, b, _ in rows) / 90, 6)

    def place(score: float) -> int:
        return (score >= 0.4) + (score >= 0.8)

    assert trial.stricter == shifted([each for each in rows if place(each[1]) < place(each[0])])
    assert trial.milder == shifted([each for each in rows if place(each[1]) > place(each[0])])
    both = [each[0] for each in rows], [each[1] for each in rows]
    beside = np.array([round(each * PARTS) for each in both[1]])
    for one, cut in zip(trial.thresholds, (0.4, 0.8), strict=True):
        below = [sum(score < cut for score in scores) for scores in both]
        assert (one.before, one.after) == tuple(round(each / 90, 6) for each in below)
        assert one.newly_below == shifted([each for each in rows if each[1] < cut <= each[0]])
        assert one.no_longer_below == shifted([each for each in rows if each[0] < cut <= each[1]])
        assert one.equal_share == equal_share(beside, below[0]) / PARTS
    fraud = np.array([fraud for *_, fraud in rows if fraud is not None])
    for figures, which in ((trial.figures.current, 0), (trial.figures.candidate, 1)):
        risk = 1 - np.array([each[which] for each in rows if each[2] is not None])
        expected = measure(fraud, risk)
        assert figures is not None
        assert figures.auc == pytest.approx(expected.auc)
        assert figures.average_precision == pytest.approx(expected.average_precision)


def test_without_requests_labels_or_thresholds_there_is_nothing_to_say(shop: Shop) -> None:
    keep(shop, 1, 0.1, None)
    none = try_shadow(shop.columns(), 0, NOW_MS, [LOW])
    assert (none.requests, none.agreement, none.thresholds[0].equal_share) == (0, 0, 0)
    assert none.figures.candidate is None
    shop.label(keep(shop, 2, 0.5, 0.5))
    frauds_alone = try_shadow(shop.columns(), 0, NOW_MS, []).figures.candidate
    assert frauds_alone is not None
    assert (frauds_alone.frauds, frauds_alone.auc) == (1, None)
