"""Sentry's models over HTTP: listed, shown, trained as a job, promoted and rolled back."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from gatehouse.admin.configurations.types import Note, Version, VersionReturn
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import DAY_MS, JobKind, JobResponse, TrainingOrder
from gatehouse.admin.jobs.use_cases import shown_job
from gatehouse.api.manage.endpoints import ManageCall, ManageEndpoint
from gatehouse.api.manage.messages import Moment
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import NotFound
from gatehouse.core.reading.spans import SinceText, UntilText, read_span
from gatehouse.core.wording.sentences import plain
from gatehouse.store.configured.configurations import check_note

_SCOPE: Final = "manage:models"
_ID: Final = {"version": "Its number; 0 is the scorecard that ships with the service."}
_DEFAULT_DAYS: Final = 180


class TrainingRequest(msgspec.Struct, frozen=True, rename="camel"):
    """What to learn from, and how."""

    since: SinceText = None
    until: UntilText = None
    label_delay_days: Annotated[
        int,
        Meta(
            ge=0,
            le=3650,
            description="How long labels are waited for; newer requests are left out.",
            examples=[30],
        ),
    ] = 30
    holdout: Annotated[
        float,
        Meta(ge=0.05, le=0.5, description="Share of the newest requests to measure on."),
    ] = 0.2
    method: Annotated[
        Literal["auto", "ebm", "logistic"],
        Meta(description="How it is fitted; `auto` depends on how much fraud there is."),
    ] = "auto"
    presume: Annotated[
        bool, Meta(description="Whether requests without a label count as legitimate.")
    ] = True
    note: Note = None


class ModelShown(msgspec.Struct, frozen=True, rename="camel"):
    """A model."""

    version: Version
    live: Annotated[bool, Meta(description="Whether Sentry scores with it.", examples=[True])]
    created_at: Annotated[
        Moment | None, Meta(description="When it was trained (RFC 3339); null for the shipped.")
    ]
    by: Annotated[str | None, Meta(description="Who had it trained.", examples=["cli:ann"])]
    note: Annotated[str | None, Meta(description="Why.")]


class ModelReported(ModelShown, frozen=True, rename="camel"):
    """A model with what was measured when it was trained."""

    report: Annotated[
        dict[str, Any] | None,
        Meta(description="Its figures beside those of the model in force then; null if unknown."),
    ] = None


class ModelPage(msgspec.Struct, frozen=True, rename="camel"):
    """All models of an account."""

    models: Annotated[list[ModelShown], Meta(description="Newest first, the shipped one last.")]


class ModelSwitched(msgspec.Struct, frozen=True, rename="camel"):
    """Which model is live now."""

    version: Version
    before: Annotated[int, Meta(description="The one until now.", examples=[2])]
    remarks: Annotated[
        list[str], Meta(description="How it fits this version of the service.", examples=[[]])
    ]


def _version(call: ManageCall) -> int:
    text = call.path["version"]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NotFound("models are named by their numbers")
    return int(text)


def _listing(call: ManageCall) -> ModelPage:
    from gatehouse.admin.models.use_cases.versions import list_models

    found = list_models(call.session, call.account_id)
    return ModelPage([_shown(ModelShown, each) for each in found])


def _show(call: ManageCall) -> ModelReported:
    from gatehouse.admin.models.use_cases.versions import get_model

    found = get_model(call.session, call.account_id, _version(call))
    report = None if found.report is None else msgspec.to_builtins(found.report, enc_hook=plain)
    shown: ModelReported = _shown(ModelReported, found)
    return msgspec.structs.replace(shown, report=report)


def _shown(kind: Any, entry: Any) -> Any:
    stored = entry.stored
    if stored is None:
        return kind(entry.version, entry.live, None, None, None)
    at = iso_time(stored.created_at_ms)
    return kind(entry.version, entry.live, at, stored.actor, stored.note)


def _train(call: ManageCall) -> JobResponse:
    wanted: TrainingRequest = call.body
    check_note(wanted.note)
    since_ms, until_ms = read_span(wanted.since, wanted.until, call.session.clock(), _DEFAULT_DAYS)
    order = TrainingOrder(
        since_ms=since_ms,
        until_ms=until_ms,
        label_delay_ms=wanted.label_delay_days * DAY_MS,
        holdout=wanted.holdout,
        method=wanted.method,
        presume=wanted.presume,
        note=wanted.note,
    )
    return shown_job(queue.start_job(call.session, call.account_id, JobKind.TRAINING, order))


def _promote(call: ManageCall) -> ModelSwitched:
    from gatehouse.admin.models.use_cases.versions import promote_model

    return _switched(promote_model(call.session, call.account_id, _version(call)))


def _roll_back(call: ManageCall) -> ModelSwitched:
    from gatehouse.admin.models.use_cases.versions import roll_back_model

    return _switched(roll_back_model(call.session, call.account_id, call.body.to))


def _switched(done: Any) -> ModelSwitched:
    return ModelSwitched(done.version, done.before, list(done.remarks))


MODEL_ENDPOINTS: Final = (
    ManageEndpoint(
        method="GET",
        path="/models",
        scope=_SCOPE,
        operation="listModels",
        field="modelsResponse",
        summary="List models",
        about="The account's models, newest first. Version 0 is the scorecard that ships.",
        answer=ModelPage,
        run=_listing,
    ),
    ManageEndpoint(
        method="POST",
        path="/models/trainings",
        scope=_SCOPE,
        operation="startTraining",
        field="jobResponse",
        summary="Train a model",
        about="Starts a job that fits a model to recorded requests and their labels, measures "
        "it beside the one in force, and keeps it as a new version. It is not used until it "
        "is promoted.",
        body=TrainingRequest,
        answer=JobResponse,
        body_example={"note": "With the chargebacks of October"},
        run=_train,
    ),
    ManageEndpoint(
        method="POST",
        path="/models/rollback",
        scope=_SCOPE,
        operation="rollBackModel",
        field="modelLiveResponse",
        summary="Roll the model back",
        about="Goes back to another model, by default to the one that was live before.",
        body=VersionReturn,
        answer=ModelSwitched,
        run=_roll_back,
    ),
    ManageEndpoint(
        method="GET",
        path="/models/{version}",
        scope=_SCOPE,
        operation="getModel",
        field="modelResponse",
        summary="Show a model",
        about="One model with the report of its training.",
        path_examples={"version": "1"},
        path_about=_ID,
        answer=ModelReported,
        run=_show,
    ),
    ManageEndpoint(
        method="POST",
        path="/models/{version}/promote",
        scope=_SCOPE,
        operation="promoteModel",
        field="modelLiveResponse",
        summary="Promote a model",
        about="Has Sentry score with a model from now on.",
        path_examples={"version": "1"},
        path_about=_ID,
        answer=ModelSwitched,
        run=_promote,
    ),
)
