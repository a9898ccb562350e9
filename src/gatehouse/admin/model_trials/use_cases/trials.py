"""Try a model on live traffic beside the one in force, and show what the newest trial found."""

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.jobs.types import JobKind, JobResponse, ModelTrialOrder
from gatehouse.admin.jobs.use_cases import StoredJob, list_jobs, shown_job, start_job
from gatehouse.admin.model_trials.types import ModelTrialShown, TrialOfModel
from gatehouse.admin.model_trials.use_cases.shadows import UNUSABLE, check_shadow, compare_shadow
from gatehouse.admin.models.types import ModelNumber
from gatehouse.admin.models.use_cases.versions import (
    get_model,
    list_models,
    model_number,
    usable_scorecard,
)
from gatehouse.core.clock import Moment
from gatehouse.core.errors import Conflict
from gatehouse.core.reading.spans import read_span
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.sentry.scorecard import ScorecardError, load_sheet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case
from gatehouse.training.extra_packages import require_extra
from gatehouse.training.report.trial import ModelTrial

if TYPE_CHECKING:
    from gatehouse.admin.models.use_cases.training import TrainingWatcher

_SCOPE: Final = "manage:models"
_DEFAULT_DAYS: Final = 14
_LOOKED_AT: Final = 50
"""Jobs among which the newest trial of a model is looked for."""
_IS_LIVE: Final = Phrase(
    "refused.trial_of_live", "model {version} is live: there is nothing to compare it with"
)


class FinishedTrial(NamedTuple):
    """The newest trial of a model that has come to an end, or the one under way."""

    job: StoredJob
    trial: ModelTrial | None
    """None while it runs, and where it failed."""


@use_case(
    "POST /models/{version}/trials",
    scope=_SCOPE,
    permission=Permission.CONFIGURE,
    rights=OF_DECISIONS,
    operation="tryModel",
    answers="jobResponse",
    example={"since": "2026-11-01T00:00:00Z"},
)
def start_trial(
    session: AdminSession, account_id: str, version: ModelNumber, given: TrialOfModel
) -> JobResponse:
    """Try a model on live traffic.

    Starts a job that scores recorded requests with a model and with the one in force, by what was
    measured when each came; or that compares what both said then, where the model scored beside
    the one in force. Requests are not touched, and nothing is changed.
    """
    number = model_number(version)
    entry = get_model(session, account_id, number)
    if entry.live:
        raise Conflict(_IS_LIVE(version=number))
    since_ms, until_ms = read_span(given.since, given.until, session.clock(), _DEFAULT_DAYS)
    if given.recorded:
        compared = check_shadow(session, account_id, number).compared_since_ms
        since_ms = compared if given.since is None else max(since_ms, compared)
        until_ms = max(since_ms, until_ms)
    order = ModelTrialOrder(number, since_ms, until_ms, given.recorded)
    return shown_job(start_job(session, account_id, JobKind.MODEL_TRIAL, order))


@use_case(
    "GET /models/{version}/trial",
    scope=_SCOPE,
    permission=Permission.SEE,
    rights=OF_DECISIONS,
    operation="getModelTrial",
    answers="modelTrialResponse",
)
def show_trial(session: AdminSession, account_id: str, version: ModelNumber) -> ModelTrialShown:
    """Show a model's trial.

    What the newest trial of a model found: agreement, decisions that would differ, figures, and
    thresholds with one of equal share.
    """
    number = model_number(version)
    get_model(session, account_id, number)
    found = newest_trial(session, account_id, number)
    if found is None or found.trial is None:
        return ModelTrialShown(number, None, is_current=False, trial=None)
    live = next(each.version for each in list_models(session, account_id) if each.live)
    ended = found.job.finished_at_ms
    return ModelTrialShown(
        number,
        None if ended is None else Moment(ended),
        is_current=found.trial.live_version == live,
        trial=msgspec.to_builtins(found.trial),
    )


def newest_trial(session: AdminSession, account_id: str, version: int) -> FinishedTrial | None:
    """The newest trial of a model that succeeded; else the newest one at all."""
    jobs = list_jobs(session, account_id, (JobKind.MODEL_TRIAL,), limit=_LOOKED_AT)
    ours = [
        each
        for each in jobs
        if msgspec.json.decode(each.parameters, type=ModelTrialOrder).version == version
    ]
    if not ours:
        return None
    newest = ours[0]
    done = next((each for each in ours if each.result is not None), None)
    if done is None or not newest.is_finished:
        return FinishedTrial(newest, None)
    return FinishedTrial(done, msgspec.json.decode(done.result or "", type=ModelTrial))


def carry_out(
    session: AdminSession, account_id: str, order: ModelTrialOrder, watcher: "TrainingWatcher"
) -> ModelTrial:
    """Score the requests of a span with a model and with the one in force."""
    if order.recorded:
        from gatehouse.admin.figures.use_cases.opening import columns_for_now

        home, since_ms = session.settings.home, order.since_ms
        with columns_for_now(session, account_id, home, since_ms) as columns:
            return compare_shadow(session, columns, order.version, since_ms, order.until_ms)
    require_extra()
    from gatehouse.admin.models.use_cases.training import TrainingJob, in_use, read_past
    from gatehouse.admin.models.use_cases.versions import live_model
    from gatehouse.store.decisions.records import RecordSpan
    from gatehouse.training.model_fitting import FitOptions
    from gatehouse.training.model_training import TrainingOptions
    from gatehouse.training.trial import try_model

    entry = get_model(session, account_id, order.version)
    try:
        sheet = load_sheet() if entry.stored is None else usable_scorecard(entry.stored).sheet
    except ScorecardError as error:
        raise Conflict(UNUSABLE(version=order.version, why=said_by(error))) from None
    live = next(each.version for each in list_models(session, account_id) if each.live)
    span = RecordSpan(account_id, order.since_ms, order.until_ms)
    options = TrainingOptions(FitOptions(), label_delay_ms=0)
    found = read_past(session, TrainingJob(span, options), watcher)
    watcher.learning(len(found.examples))
    current = live_model(session, account_id).sheet
    trial = try_model(found.examples, current, sheet, in_use(session, account_id))
    return msgspec.structs.replace(
        trial,
        version=order.version,
        live_version=live,
        since_ms=order.since_ms,
        until_ms=order.until_ms,
        unreadable=found.counts.unreadable,
    )
