"""A model that learned from an archive is the one that would have learned from the database."""

import random
from pathlib import Path

from gatehouse.admin.archive.use_cases.archive import archive_decisions
from gatehouse.admin.models.use_cases.training import TrainingJob, train_model
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.record import DecisionRecord, RecordedStage, encode
from gatehouse.decisions.recorded_event import RecordedEvent
from gatehouse.sentry.records.features import recorded_features
from gatehouse.store.configured import models
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.tables import DECISIONS
from gatehouse.training.model_fitting import FitOptions
from gatehouse.training.model_training import TrainingOptions
from gatehouse.training.report.report import encode_report
from tests.archive.test_backtests import FIRST_MS
from tests.figures.shops import DAY_MS, Shop
from tests.training.material import merchant

DAYS = 4


class Silent:
    """Is told how a training gets on, and does not mind."""

    def reading(self, done: int, total: int) -> None:
        assert done <= total

    def checking(self, lines: int) -> None: ...
    def replaying(self, done: int, total: int) -> None: ...
    def learning(self, requests: int) -> None: ...


def _fill(shop: Shop, count: int) -> None:
    """Requests that Sentry measured, some of them refused or repeated, some with labels."""
    chance, rows = random.Random(2), []
    frauds: list[str] = []
    honest: list[str] = []
    for number, (measured, fraud) in enumerate(merchant(count, rate=-2.5)):
        at_ms = FIRST_MS + number * DAYS * DAY_MS // count
        text = '{"stages":5}' if number % 100 == 50 else _text(chance, at_ms, measured)
        row = shop._row(at_ms, text, "pipeline" if number % 2 else "sentry")
        rows.append(row)
        if number > count // 10 and (fraud or number % 7 == 0):
            (frauds if fraud else honest).append(row["request_id"])
    with shop.session.database.writing() as connection:
        connection.execute(DECISIONS.insert(), rows)
    shop.label(*frauds[::2])
    shop.label(*frauds[1::2], found=Label.CARD_TESTING)
    shop.label(*honest[::4], found=Label.ABUSE)
    shop.label(*(each for place, each in enumerate(honest) if place % 4), found=Label.LEGITIMATE)


def _text(chance: random.Random, at_ms: int, measured: dict[str, float]) -> str:
    amount, currency = round(chance.lognormvariate(3, 1), 2), chance.choice(("USD", "EUR"))
    counted, declined = chance.random() < 0.95, chance.random() < 0.05
    at_s = at_ms / 1000 - chance.randrange(900)
    event = RecordedEvent(at_s, counted, amount, currency, None, declined, [], [])
    result = {"requestConfidence": 0.5, "reasons": {}, "model": "shipped"}
    result |= {"signals": recorded_features(measured)}
    completed = chance.random() < 0.97
    stages = [RecordedStage("Sentry", "SENTRY", 1, completed, 100, result)]
    return encode(DecisionRecord("req_1", "sentry", "", None, None, stages, 1, 1, event=event))


def test_a_model_learns_the_same_from_an_archive(shop: Shop, tmp_path: Path) -> None:
    _fill(shop, 1500)
    to = str(tmp_path / "archive")
    span = RecordSpan(shop.account_id, FIRST_MS, FIRST_MS + DAYS * DAY_MS)
    archive_decisions(shop.session, span, to, lambda *_: None)
    options = TrainingOptions(FitOptions(method="logistic"), label_delay_ms=DAY_MS)
    here = train_model(shop.session, TrainingJob(span, options), Silent())
    there = train_model(shop.session, TrainingJob(span, options, archive=to), Silent())
    assert encode_report(there.report) == encode_report(here.report)
    assert here.report.records > 1000
    assert here.report.frauds > 50
    assert here.report.presumed
    assert here.report.early
    assert here.report.doubtful
    assert [each.labelled > 20 for each in here.report.outcomes] == [False, True, True, True]
    with shop.session.reading() as connection:
        first, second = (models.get(connection, shop.account_id, each) for each in (1, 2))
    assert first.program.replace("learned-1", "learned-2") == second.program
