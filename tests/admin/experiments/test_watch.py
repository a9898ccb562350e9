"""Experiments are counted, and end by themselves when the challenger does harm."""

import dataclasses
from collections.abc import Iterable

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.experiments import use_cases
from gatehouse.admin.experiments.types.asked import ExperimentShown
from gatehouse.admin.experiments.types.result import ExperimentResult
from gatehouse.admin.experiments.types.sequential import MeasureVerdict
from gatehouse.admin.experiments.worker.watch import ExperimentWatch
from gatehouse.core.errors import NotFound
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.pipeline.experiment import Arm, ExperimentEnd
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import FeedbackStatement, LabelReport
from gatehouse.store.tables import DECISIONS
from tests.admin.experiments.test_live import WANTED, account_of, apply
from tests.backtest.material import record, request_id, ruled

MINUTE_MS = 60_000
DAY_MS = 86_400_000


class Trial:
    """An experiment under way, decisions of it, and the watch some time later."""

    def __init__(self, session: AdminSession) -> None:
        self.session = session
        self.account = account_of(session)
        self.shown: ExperimentShown = use_cases.start(session, self.account, WANTED)
        self.later_ms = 10 * MINUTE_MS
        self._watched = dataclasses.replace(
            session, clock=lambda: self.shown.started_at + self.later_ms
        )
        self.watch = ExperimentWatch(self._watched)

    def decide(self, arm: Arm, outcome: str, numbers: Iterable[int], **more: str) -> list[str]:
        """Decisions of an arm, each on a card of its own."""
        at_ms = self.shown.started_at + self.later_ms - 5 * MINUTE_MS
        rows, ids = [], []
        for number in numbers:
            signals = {
                "order.amount": 20.5,
                "order.currency": "USD",
                "card.fingerprint": f"{arm} {more.get('card', number)}",
                "experiment.id": more.get("id", self.shown.id),
                "experiment.arm": arm.value,
            }
            made = record(0, signals, [ruled(outcome)], decision=outcome, at_ms=at_ms)
            named = request_id(2 * number + (arm is Arm.CONTROL), at_ms)
            made["requestId"] = named
            ids.append(named)
            rows.append(
                {
                    "account_id": self.account,
                    "request_id": named,
                    "at_ms": at_ms,
                    "operation": "pipeline",
                    "record": msgspec.json.encode(made).decode(),
                }
            )
        with self.session.database.writing() as connection:
            connection.execute(DECISIONS.insert(), rows)
        return ids

    def label(self, ids: list[str], label: Label) -> None:
        with self.session.database.writing() as connection:
            said = FeedbackStatement(label)
            report = LabelReport(self.account, ids, said, "test", LabelSource.API)
            feedback.record(connection, report, self.session.clock())

    @property
    def result(self) -> ExperimentResult:
        self.watch.look()
        self.later_ms += 10 * MINUTE_MS
        return use_cases.result(self.session, self.account, self.shown.id)

    @property
    def ended_because(self) -> ExperimentEnd | None:
        return use_cases.get_experiment(self.session, self.account, self.shown.id).ended_because


@pytest.fixture
def trial(session: AdminSession) -> Trial:
    return Trial(session)


def test_each_arm_is_counted_with_its_money_and_frauds_that_are_known(trial: Trial) -> None:
    with pytest.raises(NotFound):
        use_cases.result(trial.session, trial.account, trial.shown.id)
    trial.decide(Arm.CONTROL, "ACCEPT", range(30))
    frauds = trial.decide(Arm.CHALLENGER, "ACCEPT", range(20))[:3]
    trial.decide(Arm.CHALLENGER, "DECLINE", range(20, 24), card="one")
    trial.decide(Arm.CHALLENGER, "REVIEW", range(24, 25))
    trial.decide(Arm.CHALLENGER, "DECLINE", range(30, 90), id="exp_of_another")
    trial.label(frauds, Label.FRAUD)
    first = trial.result
    assert (first.control.units, first.control.accepted, first.control.acceptance) == (30, 30, 1)
    challenger = first.challenger
    assert (challenger.units, challenger.decisions, challenger.reviewed) == (22, 25, 1)
    # Four declines of one card are one card that was declined.
    assert (challenger.declined, challenger.declined_units, challenger.fraud_units) == (4, 1, 3)
    assert (challenger.mature, challenger.mature_fraud, challenger.fraud_share) == (0, 0, None)
    [money] = challenger.money
    amounts = (money.accepted.micros, money.declined.micros, money.fraud.micros)
    assert amounts == (410_000_000, 82_000_000, 61_500_000)
    assert not first.enough
    assert first.fraud.needed
    # The next look counts nothing twice, and notices labels that were withdrawn and time.
    trial.label(frauds[:1], Label.WITHDRAWN)
    trial.later_ms += 32 * DAY_MS
    challenger = trial.result.challenger
    assert (challenger.decisions, challenger.fraud_units) == (25, 2)
    assert (challenger.mature, challenger.mature_fraud) == (20, 2)
    with pytest.raises(NotFound):
        use_cases.result(trial.session, account_of(trial.session), trial.shown.id)


def test_a_challenger_that_does_harm_is_ended_and_everybody_is_told(trial: Trial) -> None:
    trial.decide(Arm.CONTROL, "DECLINE", range(10))
    trial.decide(Arm.CHALLENGER, "DECLINE", range(15))
    assert trial.result.declines.verdict is MeasureVerdict.OPEN
    assert trial.ended_because is None
    trial.decide(Arm.CHALLENGER, "DECLINE", range(15, 80))
    assert trial.result.declines.least > 2
    assert trial.ended_because is ExperimentEnd.HARM
    with trial.session.reading() as connection:
        lines = audit.search(connection, trial.account, audit.LineSearch(9, action="experiment."))
    line = lines[0]
    assert line.details["because"] == "harm"
    assert line.actor == str(Actor.system("experiments"))


def test_fewer_declines_are_no_harm_but_more_accepted_fraud_is(trial: Trial) -> None:
    trial.decide(Arm.CONTROL, "DECLINE", range(100))
    frauds = trial.decide(Arm.CHALLENGER, "ACCEPT", range(30))
    assert trial.result.declines.verdict is MeasureVerdict.LOWER
    assert trial.ended_because is None
    trial.label(frauds, Label.FRAUD)
    assert trial.result.fraud.verdict is MeasureVerdict.HIGHER
    assert trial.ended_because is ExperimentEnd.HARM


def test_an_experiment_ends_when_a_rule_set_of_it_was_changed(trial: Trial) -> None:
    apply(trial.session, trial.account, "strict", 500)
    trial.watch.look()
    assert trial.ended_because is ExperimentEnd.CHANGED
