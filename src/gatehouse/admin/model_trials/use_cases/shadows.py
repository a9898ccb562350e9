"""A model in shadow: scored beside the one in force, recorded, compared, and never decided by."""

from typing import TYPE_CHECKING, Final

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.model_trials.types import ModelShadow
from gatehouse.admin.models.types import ModelNumber
from gatehouse.admin.models.use_cases.thresholds_in_use import thresholds_in_use
from gatehouse.admin.models.use_cases.versions import (
    get_model,
    list_models,
    model_number,
    usable_scorecard,
)
from gatehouse.core.clock import Moment
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.sentry.scorecard import ScorecardError
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.use_case import use_case
from gatehouse.store.configured import models
from gatehouse.store.configured.configurations import check_versions
from gatehouse.store.configured.models import Shadow
from gatehouse.training.report.trial import ModelTrial

if TYPE_CHECKING:
    from gatehouse.figures.account_columns import AccountColumns

_SCOPE: Final = "manage:models"
_NOT_BESIDE: Final = Phrase(
    "refused.not_beside", "model {version} does not score beside the one in force"
)
UNUSABLE: Final = Phrase("refused.trial_unusable", "model {version} cannot be tried: {why}")


@use_case(
    "POST /models/{version}/shadow",
    scope=_SCOPE,
    permission=Permission.CONFIGURE,
    operation="shadowModel",
    answers="modelShadowResponse",
)
def start_shadow(change: Change, account_id: str, version: ModelNumber) -> ModelShadow:
    """Score with a model beside the one in force.

    From then on each request is scored with both. The second score is recorded with the decision,
    as the signal `sentry.shadowConfidence`, and decides nothing. One model at a time.
    """
    number = model_number(version)
    check_approved(change, account_id, ApprovalKind.MODELS)
    found = models.get(change.connection, account_id, number)
    check_versions(change.signer, [found])
    try:
        usable_scorecard(found)
    except ScorecardError as error:
        raise Conflict(UNUSABLE(version=number, why=said_by(error))) from None
    models.start_shadow(change, account_id, number)
    return ModelShadow(number, Moment(change.now_ms))


@use_case(
    "DELETE /models/{version}/shadow",
    scope=_SCOPE,
    permission=Permission.CONFIGURE,
    operation="stopShadowModel",
    answers="modelShadowResponse",
)
def stop_shadow(change: Change, account_id: str, version: ModelNumber) -> ModelShadow:
    """Stop scoring with a model beside the one in force.

    What was recorded stays with its decisions.
    """
    number = model_number(version)
    check_approved(change, account_id, ApprovalKind.MODELS)
    models.stop_shadow(change, account_id, number)
    return ModelShadow(number, None)


@use_case(
    "GET /models/{version}/shadow",
    scope=_SCOPE,
    permission=Permission.SEE,
    operation="getModelShadow",
    answers="modelShadowResponse",
)
def get_shadow(session: AdminSession, account_id: str, version: ModelNumber) -> ModelShadow:
    """Show whether a model scores beside the one in force.

    How both compare is told by a trial by recorded scores.
    """
    number = model_number(version)
    get_model(session, account_id, number)
    found = shadow_of(session, account_id)
    is_beside = found is not None and found.version == number
    return ModelShadow(number, Moment(found.since_ms) if found and is_beside else None)


def shadow_of(session: AdminSession, account_id: str) -> Shadow | None:
    """Which model scores beside the one in force, if one does."""
    with session.account_reading(account_id) as connection:
        return models.shadow_of(connection, account_id)


def check_shadow(session: AdminSession, account_id: str, version: int) -> Shadow:
    """Since when a model scores beside the one in force; `Conflict` if it does not."""
    found = shadow_of(session, account_id)
    if found is None or found.version != version:
        raise Conflict(_NOT_BESIDE(version=version))
    return found


def compare_shadow(
    session: AdminSession, columns: "AccountColumns", version: int, since_ms: int, until_ms: int
) -> ModelTrial:
    """What a model in shadow said of the requests of a span, beside the one in force."""
    # Servers, which answer about models too, go without the engine of columns.
    from gatehouse.training.shadow_trial import try_shadow

    session.actor.check_reads(columns.account_id)
    with session.account_reading(columns.account_id) as connection:
        in_use = thresholds_in_use(connection, columns.account_id)
    live = next(each.version for each in list_models(session, columns.account_id) if each.live)
    trial = try_shadow(columns, since_ms, until_ms, in_use)
    return msgspec.structs.replace(trial, version=version, live_version=live)
