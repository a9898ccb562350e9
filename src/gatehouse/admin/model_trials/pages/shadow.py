"""A model in shadow, started and stopped, and what it says of live traffic beside the live one."""

from collections.abc import Callable
from typing import Any, Final

from starlette.responses import Response

from gatehouse.admin.approvals.pages import propose, waiting
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind
from gatehouse.admin.approvals.use_cases.proposed import ShadowModel
from gatehouse.admin.model_trials.types import ModelShadow
from gatehouse.admin.model_trials.use_cases import shadows
from gatehouse.admin.models.pages import model_view
from gatehouse.admin.models.use_cases import versions
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ApprovalNeeded
from gatehouse.figures.engine import FiguresNotReady
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.models import Shadow
from gatehouse.training.report.trial import ModelTrial


def show(visit: Visit) -> Response:
    """What both models said of the same requests since the model scores beside the one in force."""
    entry = versions.get_model(*visit.opened, versions.model_number(visit.place("version")))
    found = shadows.shadow_of(*visit.opened)
    trial, ready = None, True
    if found is not None and entry.beside:
        try:
            trial = _compared(visit, found)
        except FiguresNotReady:
            ready = False
    return visit.render(
        "trials/shadow.html",
        entry=entry,
        other=None if found is None or entry.beside else found.version,
        shadow=found,
        trial=trial,
        ready=ready,
        figure=model_view.figure,
        needs_approval=ApprovalKind.MODELS in approvals.wanted(*visit.opened),
        waiting=waiting(visit, ApprovalKind.MODELS),
    )


def _compared(visit: Visit, found: Shadow) -> ModelTrial:
    columns = visit.columns
    since_ms, until_ms = found.compared_since_ms, visit.now_ms + 1
    return shadows.compare_shadow(visit.session, columns, found.version, since_ms, until_ms)


def start(visit: Visit) -> Response:
    """Score with the model beside the one in force, or propose to."""
    return _change(visit, shadows.start_shadow, starts=True)


def stop(visit: Visit) -> Response:
    """Score with the one in force alone, or propose to."""
    return _change(visit, shadows.stop_shadow, starts=False)


def _change(
    visit: Visit, use_case: Callable[[AdminSession, str, str], ModelShadow], *, starts: bool
) -> Response:
    version = visit.place("version")
    try:
        use_case(*visit.opened, version)
    except ApprovalNeeded:
        return propose(visit, ShadowModel(versions.model_number(version), starts))
    notice = "trials.notices.started" if starts else "trials.notices.stopped"
    return visit.redirect("model-shadow", version=version, notice=notice)


_ONE: Final = "/a/{account}/models/{version}/shadow"
_SHOWN: Final[dict[str, Any]] = {"again": show}

PAGES: Final[Declarations] = (
    Page(_ONE, "model-shadow", show, does=shadows.get_shadow),
    Action(f"{_ONE}/start", "model-shadow-start", start, does=shadows.start_shadow, **_SHOWN),
    Action(f"{_ONE}/stop", "model-shadow-stop", stop, does=shadows.stop_shadow, **_SHOWN),
)
