"""What promoting a model would change: the page on which it is decided or proposed."""

from typing import Any, Final

from starlette.responses import Response

from gatehouse.admin.approvals.pages import propose, waiting
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind
from gatehouse.admin.approvals.use_cases.proposed import PromoteModel
from gatehouse.admin.model_trials.types import TrialOfModel
from gatehouse.admin.model_trials.use_cases.trials import newest_trial, show_trial, start_trial
from gatehouse.admin.models.pages import model_view
from gatehouse.admin.models.pages.models import switched
from gatehouse.admin.models.types import PromotionOptions
from gatehouse.admin.models.use_cases import versions
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import ApprovalNeeded
from gatehouse.training.report.report import Verdict, judge, judge_figures


def show(visit: Visit) -> Response:
    """What would change, by the newest trial; while one runs, htmx asks again for its part."""
    number = versions.model_number(visit.place("version"))
    entry = versions.get_model(*visit.opened, number)
    found = newest_trial(*visit.opened, number)
    entries = versions.list_models(*visit.opened)
    return visit.render(
        "trials/part.html" if visit.is_fragment else "trials/promotion.html",
        entry=entry,
        live=next(each for each in entries if each.live),
        report=entry.report,
        verdicts=_verdicts(visit, number),
        job=None if found is None else found.job,
        trial=None if found is None else found.trial,
        figure=model_view.figure,
        needs_approval=ApprovalKind.MODELS in approvals.wanted(*visit.opened),
        waiting=waiting(visit, ApprovalKind.MODELS),
    )


def try_model(visit: Visit) -> Response:
    """Queue a trial; a server takes it within seconds."""
    version = visit.place("version")
    start_trial(*visit.opened, version, TrialOfModel())
    return visit.redirect("model-promotion", version=version)


def promote(visit: Visit) -> Response:
    """Put the model into use, or propose to; one that is not better is asked about twice."""
    version = visit.place("version")
    number = versions.model_number(version)
    is_doubtful = Verdict.NOT_BETTER in _verdicts(visit, number).values()
    if is_doubtful and not visit.form.get("sure"):
        raise visit.refuse("sure", "trials.problems.sure")
    note = recordable(visit.entered("note")) or None
    how = PromotionOptions(bool(visit.form.get("raw_scores")), note)
    try:
        done = versions.promote_model(*visit.opened, version, how)
    except ApprovalNeeded:
        return propose(visit, PromoteModel(number, how.raw_scores, note))
    return switched(visit, done)


def _verdicts(visit: Visit, number: int) -> dict[str, Verdict]:
    """What its training said of it, and what the newest trial says."""
    report = versions.get_model(*visit.opened, number).report
    found = newest_trial(*visit.opened, number)
    verdicts = {} if report is None else {"training": judge(report)}
    if found is not None and found.trial is not None:
        verdicts["trial"] = judge_figures(found.trial.figures)
    return verdicts


_ONE: Final = "/a/{account}/models/{version}"
_SHOWN: Final[dict[str, Any]] = {"again": show}

PAGES: Final[Declarations] = (
    Page(f"{_ONE}/promotion", "model-promotion", show, does=show_trial),
    Action(f"{_ONE}/trials", "model-try", try_model, does=start_trial, **_SHOWN),
    Action(f"{_ONE}/promote", "model-promote", promote, does=versions.promote_model, **_SHOWN),
)
