"""An account's models: list, show, train, promote, roll back.

Version 0 is the scorecard that ships with the package. It is not stored, so it has no author and
no report.
"""

from typing import Final, NamedTuple

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.use_cases.costs import terms_of
from gatehouse.admin.accounts.use_cases.policies import sentry_policy
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.configurations.types import VersionReturn
from gatehouse.admin.jobs.types import DAY_MS, JobKind, JobResponse, LabelAuditOrder, TrainingOrder
from gatehouse.admin.jobs.use_cases import shown_job, start_job
from gatehouse.admin.models.types import (
    LabelAuditRequest,
    ModelNumber,
    ModelPage,
    ModelReported,
    ModelShown,
    ModelSwitched,
    PromotionOptions,
    ThresholdCostShown,
    ThresholdKept,
    TrainingRequest,
)
from gatehouse.admin.models.use_cases.thresholds_in_use import scores_missed, thresholds_in_use
from gatehouse.core.api_values import money
from gatehouse.core.clock import Moment
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.reading.spans import read_span
from gatehouse.core.wording.sentences import Phrase, plain, said_by
from gatehouse.sentry.costs import CostTerms
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import Scorecard, ScorecardError, Sheet, load_sheet
from gatehouse.sentry.spec import SENTRY
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case
from gatehouse.store.configured import models
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.configurations import check_versions
from gatehouse.store.configured.models import SHIPPED, StoredModel, read_program
from gatehouse.training.report.report import ModelReport, decode_report
from gatehouse.training.report.threshold_costs import threshold_costs

# What the store returns, for faces.
__all__ = ["StoredModel"]

_SCOPE: Final = "manage:models"
_SEE: Final = Permission.SEE
_MAY: Final = Permission.CONFIGURE
_DEFAULT_DAYS: Final = 180
_USUAL_PROMOTION: Final = PromotionOptions()

_MODEL_NUMBER: Final = Phrase("refused.model_number", "models are named by their numbers")
_MODEL_UNREADABLE: Final = Phrase(
    "refused.model_unreadable",
    "model {version} is live but cannot be read; servers use the shipped one",
)
_MODEL_UNUSABLE: Final = Phrase(
    "refused.model_unusable", "model {version} cannot be used by this version of gatehouse: {why}"
)
_MODEL_UNKNOWN: Final = Phrase(
    "refused.model_unknown", "signals it does not know count as shipped: {signals}"
)
_MODEL_UNMEASURED: Final = Phrase(
    "refused.model_unmeasured", "it knows signals that are not measured: {signals}"
)
_MEANING_UNKNOWN: Final = Phrase(
    "refused.meaning_unknown",
    "thresholds of {names} were not known when it was trained: they may stop another share of "
    "the requests now",
)
_MEANING_OTHER: Final = Phrase(
    "refused.meaning_other",
    "its scores are told on the scale of {now}, but those until now were on that of {was}: "
    "thresholds may stop another share of the requests now",
)


class ModelEntry(msgspec.Struct, frozen=True):
    """One version that an account can score with."""

    live: bool
    stored: StoredModel | None = None
    """None for the shipped scorecard."""
    report: ModelReport | None = None
    """None for the shipped scorecard, and where a newer version of gatehouse wrote the report."""
    beside: bool = False
    """Whether it scores beside the live one, and decides nothing."""

    @property
    def version(self) -> int:
        """The number by which commands name it."""
        return SHIPPED if self.stored is None else self.stored.version


class LiveModel(msgspec.Struct, frozen=True):
    """The scorecard that an account's servers use."""

    sheet: Sheet
    learned_until: str | None = None
    """The last request that it learned from; None for the shipped scorecard."""
    remarks: tuple[str, ...] = ()


def list_models(session: AdminSession, account_id: str) -> list[ModelEntry]:
    """Every model of the account, newest first, and the shipped scorecard at the end."""
    with session.account_reading(account_id) as connection:
        check_account(connection, session.signer, account_id)
        found = models.listing(connection, account_id)
        beside = models.shadow_of(connection, account_id)
    check_versions(session.signer, found)
    shipped_is_live = not any(each.active for each in found)
    return [*(_entry(each, beside) for each in found), ModelEntry(shipped_is_live)]


def get_model(session: AdminSession, account_id: str, version: int | None = None) -> ModelEntry:
    """One version, without a number the live one; or `NotFound`."""
    with session.account_reading(account_id) as connection:
        live = models.live_program(connection, account_id)
        if version is None:
            version = SHIPPED if live is None else live[0]
        if version == SHIPPED:
            return ModelEntry(live is None)
        check_account(connection, session.signer, account_id)
        found = models.get(connection, account_id, version)
        beside = models.shadow_of(connection, account_id)
    check_versions(session.signer, [found])
    return _entry(found, beside)


@use_case(
    "GET /models", scope=_SCOPE, permission=_SEE, operation="listModels", answers="modelsResponse"
)
def show_models(session: AdminSession, account_id: str) -> ModelPage:
    """List models.

    The account's models, newest first. Version 0 is the scorecard that ships.
    """
    return ModelPage([ModelShown(*_head(each)) for each in list_models(session, account_id)])


@use_case(
    "POST /models/trainings",
    scope=_SCOPE,
    permission=_MAY,
    rights=OF_DECISIONS,
    answers="jobResponse",
    example={"note": "With the chargebacks of October"},
)
def start_training(session: AdminSession, account_id: str, given: TrainingRequest) -> JobResponse:
    """Train a model.

    Starts a job that fits a model to recorded requests and their labels, measures it beside the
    one in force, and keeps it as a new version. It is not used until it is promoted.
    """
    since_ms, until_ms = read_span(given.since, given.until, session.clock(), _DEFAULT_DAYS)
    order = TrainingOrder(
        since_ms=since_ms,
        until_ms=until_ms,
        label_delay_ms=given.label_delay_days * DAY_MS,
        holdout=given.holdout,
        method=given.method,
        presume=given.presume,
        note=given.note,
    )
    return shown_job(start_job(session, account_id, JobKind.TRAINING, order))


@use_case(
    "POST /models/audits",
    scope=_SCOPE,
    permission=_MAY,
    rights=OF_DECISIONS,
    operation="auditLabels",
    answers="jobResponse",
    example={"labelDelayDays": 30},
)
def start_label_audit(
    session: AdminSession, account_id: str, given: LabelAuditRequest
) -> JobResponse:
    """Audit the labels.

    Starts a job that checks recorded requests and their labels for what flatters or spoils a
    model: ten findings, each with a level, figures, and what to do. Nothing is trained or changed.
    """
    since_ms, until_ms = read_span(given.since, given.until, session.clock(), _DEFAULT_DAYS)
    order = LabelAuditOrder(
        since_ms=since_ms,
        until_ms=until_ms,
        label_delay_ms=given.label_delay_days * DAY_MS,
        holdout=given.holdout,
        presume=given.presume,
    )
    return shown_job(start_job(session, account_id, JobKind.LABEL_AUDIT, order))


@use_case(
    "POST /models/rollback",
    scope=_SCOPE,
    permission=_MAY,
    answers="modelLiveResponse",
)
def roll_back_model(change: Change, account_id: str, given: VersionReturn) -> ModelSwitched:
    """Roll the model back.

    Goes back to another model, by default to the one that was live before.
    """
    check_approved(change, account_id, ApprovalKind.MODELS)
    before, after = models.rollback(change, account_id, given.to)
    if after is None:
        remarks = scores_missed(change.connection, account_id, None)
    else:
        remarks = remarks_on(change, account_id, after)
    return ModelSwitched(after or SHIPPED, before, remarks)


@use_case(
    "GET /models/{version}",
    scope=_SCOPE,
    permission=_SEE,
    operation="getModel",
    answers="modelResponse",
)
def show_model(session: AdminSession, account_id: str, version: ModelNumber) -> ModelReported:
    """Show a model.

    One model with the report of its training.
    """
    found = get_model(session, account_id, model_number(version))
    encoded = msgspec.json.encode(found.report, enc_hook=plain)
    report = msgspec.json.decode(encoded)
    costs = terms_of(session, account_id)
    shown = None if costs is None else shown_costs(found.report, costs)
    return ModelReported(*_head(found), report, shown)


@use_case(
    "POST /models/{version}/promote",
    scope=_SCOPE,
    permission=_MAY,
    answers="modelLiveResponse",
)
def promote_model(
    change: Change,
    account_id: str,
    version: ModelNumber,
    how: PromotionOptions = _USUAL_PROMOTION,
) -> ModelSwitched:
    """Promote a model.

    Has Sentry score with a model from now on. Its scores are told so that thresholds in use keep
    the share of requests that was below them, unless they are to be told as they are.
    """
    number = model_number(version)
    check_approved(change, account_id, ApprovalKind.MODELS)
    live = models.live_program(change.connection, account_id)
    was = _meaning_of(change, account_id, live)
    before = models.promote(change, account_id, number, how.note)
    remarks = remarks_on(change, account_id, number)
    policy = sentry_policy(change.connection, account_id)
    if policy.raw_scores is not how.raw_scores:
        chosen = msgspec.structs.replace(policy, raw_scores=how.raw_scores)
        accounts.set_policy(change, account_id, SENTRY.name, msgspec.to_builtins(chosen))
    kept = _kept_thresholds(change, account_id, number, raw=how.raw_scores)
    remarks += _doubts(kept, was, _meaning_of(change, account_id, (number, kept.program)))
    return ModelSwitched(number, before or SHIPPED, remarks, kept.mapped, kept.thresholds)


def shown_costs(report: ModelReport | None, costs: CostTerms) -> list[ThresholdCostShown]:
    """What the thresholds of a report would have cost."""
    worked_out = () if report is None else threshold_costs(report, costs)
    return [
        ThresholdCostShown(each.below, money(costs.currency, each.micros), list(each.best_for))
        for each in worked_out
    ]


class _KeptMeaning(NamedTuple):
    """What becomes of the thresholds in use with a model."""

    program: str
    mapped: bool
    thresholds: list[ThresholdKept]


def _kept_thresholds(change: Change, account_id: str, version: int, *, raw: bool) -> _KeptMeaning:
    model = models.get(change.connection, account_id, version)
    report, mapping = _report(model), read_program(model.program).sheet.mapping
    mapped = mapping is not None and not raw
    if report is None or report.meaning is None:
        # It was trained by a version that did not look at thresholds.
        return _KeptMeaning(model.program, mapped, [])
    known = {each.in_use: each for each in report.meaning.thresholds}
    found = []
    for each in thresholds_in_use(change.connection, account_id):
        one, place = known.get(each), msgspec.structs.asdict(each)
        told = {} if one is None else msgspec.structs.asdict(one)
        told.pop("in_use", None)
        if raw and one is not None:
            told |= {"after": one.unmapped, "changed": one.changed_unmapped}
        found.append(ThresholdKept(**place, **told))
    return _KeptMeaning(model.program, mapped, found)


def _meaning_of(change: Change, account_id: str, live: tuple[int, str] | None) -> str:
    """The scorecard whose scores are meant by what a model tells."""
    if live is None:
        return load_sheet().version
    try:
        sheet = read_program(live[1]).sheet
    except ScorecardError:
        # Servers use the shipped one in its place.
        return load_sheet().version
    raw = sentry_policy(change.connection, account_id).raw_scores
    return sheet.version if sheet.mapping is None or raw else sheet.mapping.meaning


def _doubts(kept: _KeptMeaning, was: str, now: str) -> list[str]:
    """What may mean something else from now on, although nobody asked for it."""
    if not kept.thresholds:
        return []
    found: list[str] = []
    unknown = [each.name for each in kept.thresholds if each.after is None]
    if unknown:
        found.append(_MEANING_UNKNOWN(names=", ".join(dict.fromkeys(unknown))))
    elif kept.mapped and was != now:
        found.append(_MEANING_OTHER(now=now, was=was))
    return found


def model_number(text: str) -> int:
    """The number by which somebody names a model; or `NotFound`."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NotFound(_MODEL_NUMBER())
    return int(text)


def live_model(session: AdminSession, account_id: str) -> LiveModel:
    """The scorecard that servers use for the account, also where they fall back to the shipped."""
    session.actor.check_account(account_id)
    try:
        with session.reading() as connection:
            check_account(connection, session.signer, account_id)
            live = models.get(connection, account_id)
            raw = sentry_policy(connection, account_id).raw_scores
        check_versions(session.signer, [live])
    except NotFound:
        return LiveModel(load_sheet())
    try:
        sheet = usable_scorecard(live).sheet
        if raw:
            sheet = msgspec.structs.replace(sheet, mapping=None)
        return LiveModel(sheet, learned_until(live))
    except ScorecardError:
        remark = _MODEL_UNREADABLE(version=live.version)
        return LiveModel(load_sheet(), None, (remark,))


def usable_scorecard(model: StoredModel) -> Scorecard:
    """The model's scorecard; `ScorecardError` when this version of gatehouse cannot use it."""
    return Scorecard(read_program(model.program).sheet, BY_CODE.keys())


def learned_until(model: StoredModel) -> str | None:
    """The last request that a model learned from, if its report can be read."""
    report = _report(model)
    return None if report is None else report.until


def _entry(model: StoredModel, beside: models.Shadow | None) -> ModelEntry:
    is_beside = beside is not None and beside.version == model.version
    return ModelEntry(model.active, model, _report(model), is_beside)


def _report(model: StoredModel) -> ModelReport | None:
    try:
        return decode_report(model.document)
    except InvalidInput:
        return None


def _head(entry: ModelEntry) -> tuple[int, bool, bool, Moment | None, str | None, str | None]:
    """Which model it is, whether it is live or in shadow, and when, by whom and why it was made."""
    which, stored = (entry.version, entry.live, entry.beside), entry.stored
    if stored is None:
        return *which, None, None, None
    return *which, Moment(stored.created_at_ms), stored.actor, stored.note


def remarks_on(change: Change, account_id: str, version: int) -> list[str]:
    """How a model differs from what is measured here; `Conflict` if servers could not use it."""
    model = models.get(change.connection, account_id, version)
    check_versions(change.signer, [model])
    try:
        usable_scorecard(model)
    except ScorecardError as error:
        raise Conflict(_MODEL_UNUSABLE(version=model.version, why=said_by(error))) from None
    read = read_program(model.program)
    remarks = scores_missed(change.connection, account_id, read.sheet)
    if read.added:
        remarks.append(_MODEL_UNKNOWN(signals=", ".join(read.added)))
    if read.dropped:
        remarks.append(_MODEL_UNMEASURED(signals=", ".join(read.dropped)))
    return remarks
