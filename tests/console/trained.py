"""Models and trainings for pages to show, without training anything."""

import msgspec

from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import JobKind, TrainingOrder
from gatehouse.core.job_state import JobState
from gatehouse.sentry.scorecard import encode_sheet, load_sheet
from gatehouse.store import jobs
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.training.report.phrases import OUTCOME_FEW
from gatehouse.training.report.report import (
    ModelReport,
    OrderValue,
    OutcomeScoreReport,
    Threshold,
    encode_report,
)
from tests.training.material import figures, report

_SERVER = "a server"


def _threshold(below: float, stopped: str) -> Threshold:
    def worth(amount: str) -> tuple[OrderValue, ...]:
        return (OrderValue("USD", msgspec.Raw(amount.encode())),)

    return Threshold(below, 40, 0.02, 0.75, 0.5, 0.005, worth(stopped), worth("12.5"))


def full_report() -> ModelReport:
    """A report in which everything could be measured."""
    made = report()
    curves = msgspec.structs.replace(
        made.candidate, thresholds=(_threshold(0.0004, "1234.5"), _threshold(0.4, "2000"))
    )
    outcomes = (
        OutcomeScoreReport("fraudDispute", 300, True, figures(0.93, 0.6), figures(0.81, 0.3)),
        OutcomeScoreReport("abuse", 12, why=OUTCOME_FEW(count=12, least=50)),
    )
    return msgspec.structs.replace(made, candidate=curves, outcomes=outcomes)


def keep_model(session: AdminSession, account_id: str, made: ModelReport, note: str = "") -> int:
    """Keep a model with this report; its version."""
    sheet, document = encode_sheet(load_sheet()), encode_report(made)
    with session.change() as change:
        return models.keep(change, account_id, lambda _: document, lambda _: sheet, note=note)


def keep_trainings(session: AdminSession, account_id: str) -> list[str]:
    """Trainings that succeeded, failed, and are under way, in that order; no server takes them."""
    found = []
    order = TrainingOrder(since_ms=0, until_ms=session.clock(), label_delay_ms=0)
    for state in (JobState.SUCCEEDED, JobState.FAILED, None):
        found.append(queue.start_job(session, account_id, JobKind.TRAINING, order).id)
        with session.database.writing() as connection:
            job = jobs.claim(connection, _SERVER, session.clock())
            assert job is not None
            jobs.report(connection, job.id, _SERVER, done=40, total=100)
        if state is not None:
            told = {"error": "too few orders are labelled"} if state is JobState.FAILED else {}
            with session.change() as change:
                jobs.finish(change, job, _SERVER, state, **told)
    return found
