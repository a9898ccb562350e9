"""The models of an account: compared, looked into, trained, promoted and rolled back.

Where the account wants two pairs of eyes, promoting and rolling back propose.
"""

from typing import Any, Final, NamedTuple

import msgspec
from starlette.responses import Response

from gatehouse.admin.accounts.use_cases.costs import terms_of
from gatehouse.admin.approvals.pages import propose, waiting
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind
from gatehouse.admin.approvals.use_cases.proposed import RollBackModel
from gatehouse.admin.configurations.types import VersionReturn
from gatehouse.admin.decisions.use_cases.decisions import first_decision_ms
from gatehouse.admin.drift.types.shown import DriftSearch
from gatehouse.admin.drift.use_cases import list_drift
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import DAY_MS, JobKind
from gatehouse.admin.jobs.use_cases import StoredJob
from gatehouse.admin.models.pages import model_view
from gatehouse.admin.models.types import (
    LabelAuditRequest,
    ModelImport,
    ModelSwitched,
    TrainingRequest,
)
from gatehouse.admin.models.use_cases import model_files, versions
from gatehouse.console.downloads import sent_by_lines
from gatehouse.console.forms.numbers import read_within
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.core.api_values import LONGEST_NOTE
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import ApprovalNeeded, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.training.model_file import MOST_BYTES
from gatehouse.training.report.audit import LabelAudit, read_findings
from gatehouse.training.report.report import judge

_NO_TRAINING: Final = Phrase("refused.no_training", "there is no such training")

_SPANS: Final = ("30", "90", "180", "365", "730")
"""Days of requests that a training can learn from."""
_HOLDOUTS: Final = ("10", "20", "30")
_METHODS: Final = ("auto", "ebm", "logistic")
_USUAL_SPAN: Final = "180"
_USUAL_DELAY: Final = 30
_PAST_OF_DELAY: Final = 10
"""A past is proposed to be at least so many times as long as labels are waited for; what is younger
than that wait is left out, and so much again before what models are measured on.
"""
_LONGEST_DELAY: Final = 365
_LONGEST_REMARKS: Final = 500
_TRAININGS: Final = 5
_KINDS: Final = (JobKind.TRAINING, JobKind.LABEL_AUDIT)
_STEPS: Final = {"reading records": "reading", "queued": "queued"}


class Training(NamedTuple):
    """A training or an audit as people see it."""

    job: StoredJob
    step: str
    version: int | None
    """The model that came of it."""
    audit: LabelAudit | None = None
    """What an audit found."""

    @property
    def is_audit(self) -> bool:
        """Whether labels are only checked."""
        return self.job.kind == JobKind.LABEL_AUDIT

    @property
    def share(self) -> float | None:
        """How much is done; None where nobody knows."""
        job = self.job
        return None if not job.total or job.done is None else min(1.0, job.done / job.total)


def show_models(visit: Visit) -> Response:
    """All versions with their main figures, trainings, and what waits for approval."""
    entries = versions.list_models(*visit.opened)
    live = next(each for each in entries if each.live)
    found = queue.list_jobs(*visit.opened, _KINDS, limit=_TRAININGS)
    trainings = [_training(visit, job) for job in found]
    return visit.render(
        "models/models.html",
        entries=entries,
        live=live,
        figure=model_view.figure,
        judge=judge,
        trainings=trainings,
        is_training=any(not each.job.is_finished for each in trainings),
        spans=_SPANS,
        usual_delay=_USUAL_DELAY,
        fitting=_fitting(visit),
        holdouts=_HOLDOUTS,
        methods=_METHODS,
        longest_note=LONGEST_NOTE,
        drifts=list_drift(*visit.opened, DriftSearch()).drifts,
        **_approval(visit),
    )


class FittingTraining(NamedTuple):
    """What the form of a training proposes, by how far back the account's requests go."""

    days: str
    delay: int
    past_days: int | None


def _fitting(visit: Visit) -> FittingTraining:
    first_ms = first_decision_ms(*visit.opened)
    if first_ms is None:
        return FittingTraining(_USUAL_SPAN, _USUAL_DELAY, None)
    past = max(0, visit.now_ms - first_ms) // DAY_MS
    days = next((each for each in _SPANS if past < int(each)), _SPANS[-1])
    days = min(days, _USUAL_SPAN, key=int)
    return FittingTraining(days, min(_USUAL_DELAY, -(-past // _PAST_OF_DELAY)), past)


def show_model(visit: Visit) -> Response:
    """The report of one version."""
    entry = _entry(visit)
    report = entry.report
    shown: dict[str, Any] = {}
    if report is not None:
        costs = terms_of(*visit.opened)
        shown = {
            "cost_currency": None if costs is None else costs.currency,
            "verdict": judge(report),
            "figures": model_view.figure_rows(visit, report),
            "charts": model_view.charts(visit, report),
            "thresholds": model_view.threshold_rows(visit, report, costs),
            "currencies": model_view.currencies(report),
            "meanings": model_view.meaning_rows(visit, report),
            "outcomes": model_view.outcome_rows(visit, report),
        }
    entries = versions.list_models(*visit.opened)
    return visit.render(
        "models/model.html",
        entry=entry,
        entries=entries,
        live=next(each for each in entries if each.live),
        report=report,
        **shown,
        **_approval(visit),
    )


def show_features(visit: Visit) -> Response:
    """What each feature is worth to one version, and the shape of one of them."""
    entry = _entry(visit)
    shapes = model_view.shapes(entry)
    wanted = visit.query["signal"]
    chosen = next((each for each in shapes if each.code == wanted), shapes[0] if shapes else None)
    learned = [each for each in shapes if each.source == "learned"]
    return visit.render(
        "models/features.html",
        entry=entry,
        learned=learned,
        shipped=[each for each in shapes if each.source != "learned"],
        chosen=chosen,
        shape=None if chosen is None else model_view.shape_chart(visit, chosen),
        weights=model_view.weights_chart(visit, learned) if learned else None,
        meaning=model_view.meaning,
        signed=model_view.signed,
    )


def show_training(visit: Visit) -> Response:
    """How far a training is; htmx asks for the part again and again."""
    template = "models/job.html" if visit.is_fragment else "models/training.html"
    return visit.render(template, training=_training(visit, _job(visit)))


def train(visit: Visit) -> Response:
    """Queue a training; a server takes it within seconds."""
    form, asked = visit.form, _asked(visit)
    if form.get("method") not in _METHODS:
        raise visit.refuse("method", "models.problems.method")
    note = form.get("note", "").strip()
    if len(note) > LONGEST_NOTE:
        raise visit.refuse("note", "models.problems.note", most=LONGEST_NOTE)
    given = TrainingRequest(
        since=asked.since,
        label_delay_days=asked.delay_days,
        holdout=asked.holdout,
        method=form["method"],  # type: ignore[arg-type]  # one of the methods, as was checked
        presume=asked.presume,
        note=note or None,
    )
    job = versions.start_training(*visit.opened, given)
    return visit.redirect("training", job=job.job_id, notice="models.notices.started")


def audit(visit: Visit) -> Response:
    """Queue an audit of what such a training would learn from."""
    given = LabelAuditRequest(*_asked(visit))
    job = versions.start_label_audit(*visit.opened, given)
    return visit.redirect("training", job=job.job_id, notice="models.notices.audit_started")


class _AskedLabels(NamedTuple):
    """Which labels a form is about, in the order of an audit."""

    since: str
    until: None
    delay_days: int
    holdout: float
    presume: bool


def _asked(visit: Visit) -> _AskedLabels:
    form = visit.form
    days = form.get("days", "")
    delay = read_within(form.get("delay", "").strip(), 0, _LONGEST_DELAY)
    if days not in _SPANS:
        raise visit.refuse("days", "models.problems.days")
    if delay is None:
        raise visit.refuse("delay", "models.problems.delay", most=_LONGEST_DELAY)
    if form.get("holdout") not in _HOLDOUTS:
        raise visit.refuse("holdout", "models.problems.holdout")
    since = iso_time(visit.now_ms - int(days) * DAY_MS)
    return _AskedLabels(since, None, delay, int(form["holdout"]) / 100, bool(form.get("presume")))


def import_file(visit: Visit) -> Response:
    """Keep the model of a file that was sent."""
    upload = visit.upload("file")
    if upload is None or not upload.content:
        raise visit.refuse("file", "models.problems.file")
    text = upload.content.decode(errors="replace")
    given = ModelImport(text, visit.form.get("trust") == "yes")
    done = model_files.import_model(*visit.opened, given)
    return visit.redirect("model", version=str(done.version), notice="models.notices.imported")


def export_file(visit: Visit) -> Response:
    """The file of a model."""
    told = model_files.export_model(*visit.opened, visit.place("version"))
    name = f"model-{told.version}.json"
    return sent_by_lines(iter([told.file.encode()]), name, "application/json")


def cancel(visit: Visit) -> Response:
    """End a training before it is done."""
    job = _job(visit)
    queue.cancel_job(*visit.opened, job.id)
    return visit.redirect("training", job=job.id, notice="models.notices.canceled")


def roll_back(visit: Visit) -> Response:
    """Go back to another version, by default to the one before, or propose to."""
    sent = visit.form["to"]
    to = versions.model_number(sent) if sent else None
    try:
        done = versions.roll_back_model(*visit.opened, VersionReturn(to))
    except ApprovalNeeded:
        return propose(visit, RollBackModel(to))
    return switched(visit, done)


def _entry(visit: Visit) -> versions.ModelEntry:
    version = versions.model_number(visit.place("version"))
    return versions.get_model(*visit.opened, version)


def _job(visit: Visit) -> StoredJob:
    """The training or audit of the path; other jobs are no business of this page."""
    job = queue.get_job(*visit.opened, visit.place("job"))
    if job.kind not in _KINDS:
        raise NotFound(_NO_TRAINING())
    return job


def _training(visit: Visit, job: StoredJob) -> Training:
    step = _STEPS.get(job.step or "queued", "learning")
    doing = visit.text(f"models.doing.{step}")
    if job.kind == JobKind.LABEL_AUDIT:
        found = msgspec.json.decode(job.result, type=LabelAudit) if job.result else None
        return Training(job, doing, None, read_findings(found))
    result = msgspec.json.decode(job.result) if job.result else {}
    return Training(job, doing, result.get("version"))


def _approval(visit: Visit) -> dict[str, Any]:
    """Whether two pairs of eyes are wanted, and what waits for the second."""
    wanted = approvals.wanted(*visit.opened)
    return {
        "needs_approval": ApprovalKind.MODELS in wanted,
        "waiting": waiting(visit, ApprovalKind.MODELS),
    }


def switched(visit: Visit, done: ModelSwitched) -> Response:
    """Lead to the models, and say which is live now."""
    if not done.version:
        return visit.redirect("models", notice="models.notices.shipped")
    said = Notice("models.notices.switched", {"version": done.version})
    if done.remarks:
        remarks = "; ".join(map(visit.said, done.remarks))[:_LONGEST_REMARKS]
        values: dict[str, str | int] = {"version": done.version, "remarks": remarks}
        said = Notice("models.notices.switched_but", values, "hint")
    return visit.redirect("models", notice=said)


_ROOT: Final = "/a/{account}/models"
_ONE: Final = f"{_ROOT}/{{version}}"
_JOB: Final = f"{_ROOT}/training/{{job}}"

PAGES: Final[Declarations] = (
    Page(_ROOT, "models", show_models, does=versions.show_models),
    Page(_ONE, "model", show_model, does=versions.show_model),
    Page(f"{_ONE}/features", "model-features", show_features, does=versions.show_model),
    Page(_JOB, "training", show_training, does=versions.show_models),
    Page(f"{_ONE}/file", "model-file", export_file, does=model_files.export_model),
    Action(
        f"{_ROOT}/import",
        "model-import",
        import_file,
        again=show_models,
        does=model_files.import_model,
        most_bytes=2 * MOST_BYTES,
        takes_files=True,
    ),
    Action(f"{_ROOT}/train", "model-train", train, again=show_models, does=versions.start_training),
    Action(
        f"{_ROOT}/audit", "model-audit", audit, again=show_models, does=versions.start_label_audit
    ),
    Action(
        f"{_ROOT}/roll-back",
        "model-roll-back",
        roll_back,
        again=show_models,
        does=versions.roll_back_model,
    ),
    Action(f"{_JOB}/cancel", "training-cancel", cancel, does=versions.start_training),
)
