"""Training uses what would have been known, measures on what came later, and says what it found."""

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pytest

from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.recorded_event import RecordedEvent
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import Scorecard, confidence, load_sheet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.records import RecordSpan, stream
from gatehouse.store.feedback.feedback_history import KnownLabel
from gatehouse.store.tables import DECISIONS
from gatehouse.training import model_training
from gatehouse.training.evaluation import risk_of
from gatehouse.training.examples import LEGITIMATE, UNKNOWN, Examples
from gatehouse.training.metrics import measure
from gatehouse.training.model_fitting import FitOptions, Fitted
from gatehouse.training.model_training import TrainingOptions, gather, settled, train
from gatehouse.training.presuming import presume
from gatehouse.training.report.report import ModelReport, decode_report, encode_report
from gatehouse.training.report.text import summary
from tests.backtest.material import DAY_MS, NOW_MS, record, request_id, stage
from tests.training.material import merchant

QUICK = FitOptions(method="logistic")
OPTIONS = TrainingOptions(QUICK, label_delay_ms=10 * DAY_MS)


def _examples(
    requests: int = 1500, rate: float = -3.0, *, days: int = 100, labelled: float = 1.0
) -> Examples:
    examples, dice = Examples(tuple(BY_CODE)), random.Random(3)
    for number, (signals, fraud) in enumerate(merchant(requests, rate=rate)):
        row = examples.add((NOW_MS + number * days * DAY_MS // requests) / 1000, signals)
        # Somebody reports from the first on, or nobody does.
        if fraud or dice.random() < labelled or number == 0 < labelled:
            examples.set_label(row, fraud)
    return examples


def _train(examples: Examples, options: TrainingOptions = OPTIONS) -> ModelReport:
    sheet = load_sheet()
    return train(examples, sheet, sheet, options).report


@pytest.fixture(scope="module")
def ordinary() -> model_training.Trained:
    sheet = load_sheet()
    return train(_examples(labelled=0.1), sheet, sheet, OPTIONS)


def test_a_trained_sheet_can_be_used_for_all_signals(ordinary: model_training.Trained) -> None:
    card = Scorecard(ordinary.sheet, BY_CODE.keys())
    assert card.version == "learned"
    assert card.score({"IP_VPN": 1.0}).confidence < card.score({}).confidence


def test_a_report_counts_what_was_learned_from(ordinary: model_training.Trained) -> None:
    report = ordinary.report
    frauds = sum(fraud for _, fraud in merchant(1500, rate=-3.0))
    assert (report.records, report.frauds, report.method) == (1500, frauds, "logistic")
    assert 0.85 < report.presumed / (1500 - frauds) < 0.95
    assert report.since == iso_time(NOW_MS)
    assert report.until == iso_time(NOW_MS + 1499 * 100 * DAY_MS // 1500)
    assert report.current_version == load_sheet().version
    assert report.label_delay_ms == 10 * DAY_MS
    assert report.warnings == ()
    assert decode_report(encode_report(report)) == report


def test_both_models_are_measured_on_the_newest_requests_alone(
    ordinary: model_training.Trained,
) -> None:
    report = ordinary.report
    candidate, current = report.figures.candidate, report.figures.current
    assert candidate is not None
    assert current is not None
    assert candidate.events == current.events == report.holdout.records == 300
    assert candidate.frauds == current.frauds == report.holdout.frauds
    assert candidate.auc is not None
    assert current.auc is not None
    assert candidate.auc > current.auc
    for curves in (report.candidate, report.current):
        assert sum(events for _, _, events in curves.calibration) == 300
        assert curves.precision_recall[-1][2] == 1.0


def test_the_current_model_is_measured_by_what_it_would_have_answered() -> None:
    examples, sheet = _examples(), load_sheet()
    report = train(examples, sheet, sheet, OPTIONS).report
    card, requests = Scorecard(sheet, BY_CODE.keys()), merchant(1500, rate=-3.0)[1200:]
    risks = np.array([1 - round(card.score(signals).confidence, 4) for signals, _ in requests])
    fraud = np.array([fraud for _, fraud in requests])
    expected, found = measure(fraud, risks.round(4)), report.figures.current
    assert found is not None
    assert found.auc == pytest.approx(expected.auc, abs=1e-6)
    assert found.average_precision == pytest.approx(expected.average_precision, abs=1e-6)
    assert found.ece == pytest.approx(expected.ece, abs=1e-4)


def test_the_trial_model_learns_only_from_labels_that_were_known_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[np.ndarray] = []

    def fit(examples: Examples, rows: Any, *others: Any) -> Fitted:
        seen.append(rows)
        return Fitted(load_sheet(), "logistic", 1, 1, ())

    monkeypatch.setattr(model_training, "fit", fit)
    # Requests are not always added in order of time.
    ordered, examples = _examples(), Examples(tuple(BY_CODE))
    for row in random.Random(5).sample(range(1500), 1500):
        examples.set_label(examples.add(ordered.at_s[row], {}), bool(ordered.labels[row]))
    report = _train(examples)
    everything, known = seen
    assert sorted(everything) == list(range(1500))
    times = np.array(examples.at_s)
    begin = np.sort(times)[1200]
    assert sorted(known) == list(np.flatnonzero(times < begin - 10 * 86_400))
    assert len(known) == 1050
    assert report.training is not None
    assert report.training.records == 1050
    assert report.training.until < report.holdout.since
    assert all(first <= second for first, second in pairwise(times[everything]))


def test_requests_of_the_moment_at_which_time_is_split_are_all_measured_on() -> None:
    examples = Examples(tuple(BY_CODE))
    for number, (signals, fraud) in enumerate(merchant(1500, rate=-3.0)):
        # Four hundred at a time, as a nightly job of a merchant would date them.
        day = NOW_MS + number // 400 * 20 * DAY_MS
        examples.set_label(examples.add(day / 1000, signals), fraud)
    report = _train(examples)
    assert (report.holdout.records, report.holdout.since) == (300, iso_time(NOW_MS + 60 * DAY_MS))
    assert _train(examples, TrainingOptions(QUICK, 0, 0.4)).holdout.records == 700


def _refusing(requests: int) -> Examples:
    """A merchant whose rules refuse whoever tries many cards in a visit, and that hears no more."""
    examples = _examples(requests, labelled=0.1)
    for row in range(0, requests, 10):
        tried = {"ORDER_PLAUSIBLE": 1.0, "VEL_SESSION_CARDS": 12.0}
        examples.add(examples.at_s[row], tried, doubtful=True)
    return examples


def test_what_was_refused_is_not_taken_for_legitimate() -> None:
    sheet = load_sheet()
    trained = train(_refusing(1500), sheet, sheet, OPTIONS)
    report = trained.report
    assert (report.records, report.doubtful, report.early) == (1500, 150, 0)
    shipped, learned = (
        next(term for term in each.terms if term.code == "VEL_SESSION_CARDS")
        for each in (sheet, trained.sheet)
    )
    assert learned == shipped
    assert "150 more have no label and were left out, because they were refused" in summary(report)


def test_what_was_refused_and_labelled_is_learned_from() -> None:
    examples = _refusing(1500)
    for row in range(1500, 1650):
        examples.set_label(row, fraud=True)
    report = _train(examples)
    assert (report.records, report.doubtful) == (1650, 0)


def test_nothing_is_presumed_of_the_time_before_anything_was_reported() -> None:
    def examples() -> Examples:
        made = _examples(1500)
        for row in range(500):
            made.set_label(row, None)
        return made

    alone = _train(examples())
    assert (alone.records, alone.presumed, alone.early) == (1000, 0, 500)
    assert alone.since == iso_time(NOW_MS + 500 * 100 * DAY_MS // 1500)
    assert "500 more were left out, because they came before" in summary(alone)
    # Something was reported of the 200th, and taken back.
    sheet, since_s = load_sheet(), examples().at_s[200]
    report = train(examples(), sheet, sheet, OPTIONS, since_s).report
    assert (report.records, report.presumed, report.early) == (1300, 300, 200)


def _reported_after(days: float) -> Examples:
    examples = _examples(2000, labelled=0.05)
    for row, label in enumerate(examples.labels):
        if label != -1:
            examples.set_label(row, bool(label), examples.at_s[row] + days * 86_400)
    return examples


def test_the_trial_model_knows_only_what_had_been_reported_then() -> None:
    at_once, late = _train(_reported_after(0)), _train(_reported_after(45))
    assert at_once.training is not None
    assert late.training is not None
    # All that is not known yet is presumed to be legitimate, as it would have been.
    assert late.training.records == at_once.training.records == 1400
    assert late.records == at_once.records
    assert late.frauds == at_once.frauds
    assert 10 < late.training.frauds < 0.7 * at_once.training.frauds
    assert late.holdout == at_once.holdout
    assert at_once.warnings == ()
    [warning] = late.warnings
    assert "half of the frauds were reported 45 days after their request or later" in warning
    assert "labels are waited for 10 days" in warning


def test_what_was_refused_and_reported_later_is_unknown_to_the_trial_model() -> None:
    examples = _refusing(1500)
    for row in range(1500, 1650):
        examples.set_label(row, True, examples.at_s[row] + 200 * 86_400)
    report = _train(examples)
    assert report.records == 1650
    assert report.training is not None
    assert 1000 < report.training.records < 1060


def test_labels_that_were_all_imported_at_the_end_are_known_to_the_trial_and_that_is_told() -> None:
    examples = _reported_after(200)
    report, at_once = _train(examples), _train(_reported_after(0))
    assert report.training == at_once.training
    assert report.figures == at_once.figures
    [warning] = report.warnings
    assert "0 had been reported when the requests began" in warning
    assert "(when)" in warning


@pytest.mark.parametrize(("fraud", "word"), [(False, "none"), (True, "all")])
def test_a_part_with_only_one_kind_to_measure_on_is_told(fraud: bool, word: str) -> None:
    examples = _examples()
    for row in range(1190, 1500):
        examples.set_label(row, fraud)
    report = _train(examples)
    assert report.figures.candidate is not None
    assert report.figures.candidate.auc is None
    said = [each for each in report.warnings if f"{word} of the newest 300 requests" in each]
    assert len(said) == 1
    assert not any("the figures mean little" in each for each in report.warnings)


def test_the_newest_requests_do_not_set_the_confidence_when_only_fraud_is_reported_lately() -> None:
    examples = _examples(2000)
    for row in range(1500, 2000):
        examples.set_label(row, fraud=True)
    options = msgspec.structs.replace(OPTIONS, presume=False)
    sheet = load_sheet()
    trained = train(examples, sheet, sheet, options)
    assert any("its confidence was set by all requests" in one for one in trained.report.warnings)
    ordinary = Scorecard(trained.sheet, BY_CODE.keys()).score(merchant(1)[0][0])
    assert ordinary.confidence > 0.5


def test_without_presuming_only_labelled_requests_are_used() -> None:
    options = msgspec.structs.replace(OPTIONS, presume=False)
    report = _train(_examples(labelled=0.3), options)
    assert report.presumed == 0
    assert report.records < 800
    assert any("of the requests it learned from are fraud" in each for each in report.warnings)


def test_few_frauds_to_measure_on_are_warned_of() -> None:
    report = _train(_examples(rate=-5.5))
    assert report.holdout.frauds < 20
    assert any("the figures mean little" in warning for warning in report.warnings)


def test_a_model_that_could_not_be_tried_is_made_and_has_no_figures() -> None:
    options = msgspec.structs.replace(OPTIONS, label_delay_ms=79 * DAY_MS)
    report = _train(_examples(), options)
    assert report.training is None
    assert report.figures.candidate is None
    assert report.figures.current is not None
    assert report.candidate.calibration == ()
    assert any("was not measured" in warning for warning in report.warnings)


def test_a_trial_by_another_method_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fit(examples: Examples, rows: Any, *others: Any) -> Fitted:
        method = "ebm" if len(rows) == len(examples) else "logistic"
        return Fitted(load_sheet(), method, 1, 1, ())

    monkeypatch.setattr(model_training, "fit", fit)
    report = _train(_examples())
    assert report.method == "ebm"
    assert any("trial model fitted with logistic" in warning for warning in report.warnings)


@pytest.mark.parametrize(
    ("examples", "presume", "says"),
    [
        (Examples(("IP_VPN",)), True, "no requests older than 10 days"),
        (_examples(50, rate=-50, labelled=0), False, "none of the 50 requests"),
        (_examples(500, rate=-50), True, "too little to learn from"),
    ],
    ids=["no requests", "no labels", "no fraud"],
)
def test_too_little_to_learn_from_is_refused_with_what_to_do(
    examples: Examples, presume: bool, says: str
) -> None:
    with pytest.raises(InvalidInput, match=says):
        _train(examples, msgspec.structs.replace(OPTIONS, presume=presume))


def test_terms_tell_how_many_requests_have_which_effect(ordinary: model_training.Trained) -> None:
    terms = {term.code: term for term in ordinary.report.terms}
    assert list(terms) == [term.code for term in ordinary.sheet.terms]
    requests = [signals for signals, _ in merchant(1500, rate=-3.0)]
    pace, vpn, tor = terms["VEL_IP_EVENTS"], terms["IP_VPN"], terms["IP_TOR_EXIT"]
    assert (pace.source, pace.requests) == ("learned", 1500)
    first = sum(signals["VEL_IP_EVENTS"] < pace.cuts[0] for signals in requests)
    assert pace.shares[0] == pytest.approx(first / 1500, abs=1e-6)
    assert sum(pace.shares) == pytest.approx(1, abs=1e-4)
    assert vpn.requests == sum("IP_VPN" in signals for signals in requests)
    assert (tor.source, tor.requests, tor.shares) == ("shipped", 0, ())


def test_risk_is_what_an_answer_would_leave_to_certainty() -> None:
    totals = np.array([-20.0, -1.5, 0.0, 2.0, 2.0 + 1e-9, 20.0])
    assert risk_of(totals) == pytest.approx([1 - round(confidence(one), 4) for one in totals])
    assert len(set(risk_of(totals))) == 5


Keep = Callable[[int, str, str, int], str]


@pytest.fixture
def keep(sqlite_session: AdminSession) -> Keep:
    """Keeps a record of the day that is so many days ago."""

    def kept(number: int, operation: str, text: str, days_ago: int = 50) -> str:
        at_ms = NOW_MS - days_ago * DAY_MS
        row = {"account_id": "acct_1", "request_id": request_id(number, at_ms), "at_ms": at_ms}
        with sqlite_session.database.writing() as connection:
            connection.execute(DECISIONS.insert(), {**row, "operation": operation, "record": text})
        return request_id(number, at_ms)

    return kept


def _text(*stages: dict[str, Any]) -> str:
    return msgspec.json.encode(record(stages=stages)).decode()


def _judged(value: float = 1.0, *, completed: bool = True) -> dict[str, Any]:
    return stage("Sentry", {"signals": {"IP_VPN": value, "GONE": 2}}, completed=completed)


def _gather(sqlite_session: AdminSession, labels: dict[str, bool], until_ms: int = NOW_MS) -> Any:
    told: list[int] = []
    known = {
        name: KnownLabel(Label.FRAUD if fraud else Label.LEGITIMATE, NOW_MS)
        for name, fraud in labels.items()
    }
    span = RecordSpan("acct_1", NOW_MS - 90 * DAY_MS, NOW_MS)
    wanted = settled(span, until_ms, OPTIONS)
    database, fingerprints = sqlite_session.database, sqlite_session.fingerprints
    examples, counts = gather(stream(database, wanted, fingerprints, told.append), known)
    assert counts.looked_at == (told[-1] if told else 0)
    return examples, counts


def test_what_sentry_measured_is_gathered_from_whoever_asked_it(
    sqlite_session: AdminSession, keep: Keep
) -> None:
    fraud = keep(1, "sentry", _text(_judged(0.25)), 50)
    honest = keep(2, "pipeline", _text(stage("Rules", {"signals": {}}), _judged(0.5)), 40)
    keep(3, "sentry", _text(_judged(0.75)), 30)
    keep(4, "sentry", _text(_judged(completed=False)), 30)
    keep(5, "pipeline", _text(stage("Rules", {})), 30)
    keep(6, "rules", _text(_judged()), 30)
    keep(7, "sentry", _text(stage("Sentry", {})), 30)
    keep(8, "sentry", "{", 30)
    keep(9, "sentry", _text(stage("Sentry", {"signals": {"IP_VPN": "x"}})), 30)
    examples, told = _gather(sqlite_session, {fraud: True, honest: False})
    assert list(examples.labels) == [1, 0, -1]
    assert list(examples.known_s)[:2] == [NOW_MS / 1000] * 2
    assert list(examples.doubtful) == [0, 0, 0]
    assert list(examples.at_s) == [(NOW_MS - days * DAY_MS) / 1000 for days in (50, 40, 30)]
    column = examples.codes.index("IP_VPN")
    assert list(examples.matrix(np.arange(3))[:, column]) == [0.25, 0.5, 0.75]
    assert (told.records, told.skipped, told.unreadable, told.looked_at) == (3, 4, 2, 9)


def _event(*, counted: bool = True, declined: bool = False) -> RecordedEvent:
    return RecordedEvent(NOW_MS / 1000, counted, None, None, None, declined, [], [])


def test_abuse_is_neither_fraud_nor_presumed_to_be_legitimate(
    sqlite_session: AdminSession, keep: Keep
) -> None:
    abused = keep(1, "sentry", _text(_judged()), 50)
    keep(2, "sentry", _text(_judged()), 40)
    span = RecordSpan("acct_1", NOW_MS - 90 * DAY_MS, NOW_MS)
    batches = stream(sqlite_session.database, span, sqlite_session.fingerprints, lambda _: None)
    examples, _ = gather(batches, {abused: KnownLabel(Label.ABUSE, NOW_MS)})
    presumed = presume(examples, 0)
    assert list(examples.labels) == [UNKNOWN, LEGITIMATE]
    assert (presumed.legitimates, presumed.doubtful) == (1, 0)


@pytest.mark.parametrize(
    ("changes", "event", "doubtful"),
    [
        ({}, _event(), False),
        ({"decision": "DECLINE"}, _event(), True),
        ({"decision": "REVIEW"}, _event(), True),
        ({}, _event(counted=False), True),
        ({}, _event(declined=True), True),
        ({"event": _event(declined=True)}, None, True),
        ({"event": _event(counted=False)}, None, True),
        ({"event": _event()}, None, False),
        ({}, None, False),
    ],
)
def test_a_request_that_nobody_would_complain_of_is_doubtful(
    sqlite_session: AdminSession, keep: Keep, changes: Any, event: Any, doubtful: bool
) -> None:
    judged = stage("Sentry", {"signals": {"IP_VPN": 1.0}, "event": event})
    text = msgspec.json.encode({**record(stages=[judged]), **changes}).decode()
    keep(1, "pipeline", text, 50)
    examples, _ = _gather(sqlite_session, {})
    assert list(examples.doubtful) == [doubtful]


def test_an_order_counts_at_the_time_it_was_made_and_not_when_it_was_recorded(
    sqlite_session: AdminSession, keep: Keep
) -> None:
    made_s = NOW_MS / 1000 - 55 * 86_400
    event = msgspec.structs.replace(_event(), at=made_s)
    keep(1, "sentry", _text(stage("Sentry", {"signals": {}, "event": event})), 50)
    keep(2, "sentry", _text(_judged()), 52)
    examples, _ = _gather(sqlite_session, {})
    assert sorted(examples.at_s) == [made_s, (NOW_MS - 52 * DAY_MS) / 1000]


def test_a_request_in_which_nothing_was_measured_is_an_example_too(
    sqlite_session: AdminSession, keep: Keep
) -> None:
    keep(1, "sentry", _text(stage("Sentry", {"signals": {}})), 50)
    examples, _ = _gather(sqlite_session, {})
    assert len(examples) == 1
    assert np.isnan(examples.matrix(np.arange(1))).all()


def test_requests_wait_until_their_labels_are_in(sqlite_session: AdminSession, keep: Keep) -> None:
    keep(1, "sentry", _text(_judged()), 11)
    young = keep(2, "sentry", _text(_judged()), 10)
    assert len(_gather(sqlite_session, {young: True})[0]) == 1
    assert len(_gather(sqlite_session, {young: True}, NOW_MS + DAY_MS)[0]) == 2
    assert len(_gather(sqlite_session, {young: True}, NOW_MS - 300 * DAY_MS)[0]) == 0
