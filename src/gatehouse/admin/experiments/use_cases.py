"""What can be done with live experiments: start one, look, and end it."""

from typing import Any, Final

import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.experiments import queries
from gatehouse.admin.experiments.types.asked import (
    ExperimentId,
    ExperimentPage,
    ExperimentShown,
    ExperimentWanted,
)
from gatehouse.admin.experiments.types.result import ExperimentResult
from gatehouse.admin.models.use_cases.versions import usable_scorecard
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment, moment
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.filling import filled
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.intel.places import minor_digits
from gatehouse.operations.hold_out import may_be_tried
from gatehouse.pipeline.definition import decode_program
from gatehouse.pipeline.experiment import (
    Experiment,
    ExperimentEnd,
    ExperimentKind,
    HoldOutCaps,
)
from gatehouse.rules.ruleset import decode_program as decode_rule_set
from gatehouse.sentry.scorecard import ScorecardError
from gatehouse.sentry.spec import SENTRY
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case
from gatehouse.store.configured import configurations, experiments, models
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.configurations import (
    PIPELINE,
    RULES,
    ConfigurationKey,
    check_versions,
)
from gatehouse.store.configured.signing import Signer

_SAME: Final = Phrase(
    "refused.experiment_same", "both arms would decide by {what}; name another challenger"
)
_CURRENCY: Final = Phrase("refused.hold_out_currency", "no currency {currency}")
_NOTHING_TRIED: Final = Phrase(
    "refused.hold_out_nothing",
    "no rule of {name} declines anything that may be let through: not by lists, block feeds, known "
    "fraud nearby, or what others answered",
)
_LET_THROUGH: Final = Phrase(
    "experiment.let_through",
    "at most {orders:,} declined orders and {amount:,} minor units ({currency}) a day let through",
)
_UNUSED: Final = Phrase(
    "refused.experiment_unused", "no pipeline asks Sentry, so that no request would take part"
)
_UNUSABLE: Final = Phrase(
    "refused.experiment_model", "model {version} cannot be used by this version: {why}"
)
_UNCOUNTED: Final = Phrase(
    "refused.experiment_uncounted", "nothing was counted yet; running servers count every minute"
)
_RULE_SET: Final = Phrase("experiment.rule_set", "{name} v{version}")
_MODEL: Final = Phrase("experiment.model", "model {version}")
_SHIPPED: Final = Phrase("experiment.shipped", "the shipped scorecard")
_SEE: Final[dict[str, Any]] = {"scope": "manage:rules", "permission": Permission.SEE}
_MAY: Final[dict[str, Any]] = {**_SEE, "permission": Permission.CONFIGURE}


@use_case("GET /experiments", answers="experimentsResponse", **_SEE)
def list_experiments(reading: Reading, account_id: str) -> ExperimentPage:
    """List live experiments.

    All experiments of the account, newest first; one is under way at most.
    """
    found = experiments.listing(reading.connection, reading.session.signer, account_id)
    return ExperimentPage([shown(each) for each in found])


@use_case(
    "POST /experiments",
    operation="startExperiment",
    answers="experimentResponse",
    example={"name": "Stricter on new cards", "kind": "rules", "percent": 50},
    **_MAY,
)
def start(change: Change, account_id: str, given: ExperimentWanted) -> ExperimentShown:
    """Start a live experiment.

    From now on a random share of cards or users is decided by the challenger: another rule set or
    another model. The same card or user always gets the same arm. It ends when somebody ends it,
    when the challenger does harm, or when what an arm decides by is changed.
    """
    check_approved(change, account_id, approval_of(given.kind))
    experiment = Experiment(
        id=change.new_id("exp"),
        name=recordable(given.name.strip()) or given.kind.value,
        kind=given.kind,
        assigned_by=given.assigned_by,
        percent=given.percent,
        started_at_ms=change.now_ms,
        maturity_days=given.maturity_days,
        most_declined_percent=given.most_declined_percent,
        most_fraud_percent=given.most_fraud_percent,
        **_arms(change.connection, change.signer, account_id, given),
    )
    experiments.start(change, account_id, experiment)
    return shown(experiment)


@use_case(
    "GET /experiments/{experimentId}",
    answers="experimentResponse",
    **_SEE,
)
def get_experiment(
    reading: Reading, account_id: str, experiment_id: ExperimentId
) -> ExperimentShown:
    """Show a live experiment."""
    signer = reading.session.signer
    return shown(experiments.get(reading.connection, signer, account_id, experiment_id))


@use_case(
    "GET /experiments/{experimentId}/result",
    rights=OF_DECISIONS,
    operation="getExperimentResult",
    answers="experimentResultResponse",
    **_SEE,
)
def result(reading: Reading, account_id: str, experiment_id: ExperimentId) -> ExperimentResult:
    """Show what a live experiment has shown.

    Decisions, acceptance, fraud and money of each arm as counted by the last minute, and a
    sequential test, which may be looked at as often as anybody likes.
    """
    experiments.get(reading.connection, reading.session.signer, account_id, experiment_id)
    found = queries.result(reading.connection, experiment_id)
    if found is None:
        raise NotFound(_UNCOUNTED())
    return found


@use_case(
    "POST /experiments/{experimentId}/end",
    operation="endExperiment",
    answers="experimentResponse",
    **_MAY,
)
def end(change: Change, account_id: str, experiment_id: ExperimentId) -> ExperimentShown:
    """End a live experiment.

    Everything is decided as without it again, by what is in force. This needs no second person.
    """
    return shown(experiments.end(change, account_id, experiment_id, ExperimentEnd.STOPPED))


def approval_of(kind: ExperimentKind) -> ApprovalKind:
    """What needs two pairs of eyes where this does: it decides as an applied version would."""
    return ApprovalKind.MODELS if kind is ExperimentKind.MODEL else ApprovalKind.RULES


def check_startable(session: AdminSession, account_id: str, given: ExperimentWanted) -> None:
    """Refuse what could not run anyway, before it is proposed."""
    with session.account_reading(account_id) as connection:
        _arms(connection, session.signer, account_id, given)


def shown(each: Experiment) -> ExperimentShown:
    """An experiment as faces show it."""
    return filled(
        ExperimentShown,
        each,
        control=_called(each.rule_set, each.rule_set_version, each.model),
        challenger=_LET_THROUGH(
            orders=each.caps.orders, amount=each.caps.minor_units, currency=each.caps.currency
        )
        if each.caps is not None
        else _called(
            each.challenger_rule_set, each.challenger_rule_set_version, each.challenger_model
        ),
        started_at=Moment(each.started_at_ms),
        ended_at=moment(each.ended_at_ms),
    )


def _called(rule_set: str | None, version: int | None, model: int | None) -> str:
    if rule_set is not None:
        return _RULE_SET(name=rule_set, version=version)
    return _MODEL(version=model) if model else _SHIPPED()


def _arms(
    connection: sa.Connection, signer: Signer, account_id: str, given: ExperimentWanted
) -> dict[str, Any]:
    """What the arms decide by now, by the fields of an experiment."""
    check_account(connection, signer, account_id)
    if given.kind is ExperimentKind.MODEL:
        return _models(connection, signer, account_id, given.challenger_model or models.SHIPPED)
    if given.kind is ExperimentKind.HOLD_OUT:
        return _hold_out(connection, signer, account_id, given)
    one, other = given.rule_set or "", given.challenger_rule_set or ""
    if one == other:
        raise InvalidInput(_SAME(what=recordable(one)))
    found = [
        configurations.get(connection, ConfigurationKey(account_id, RULES, name))
        for name in (one, other)
    ]
    check_versions(signer, found)
    return {
        "rule_set": one,
        "rule_set_version": found[0].version,
        "challenger_rule_set": other,
        "challenger_rule_set_version": found[1].version,
    }


def _hold_out(
    connection: sa.Connection, signer: Signer, account_id: str, given: ExperimentWanted
) -> dict[str, Any]:
    name, currency = given.rule_set or "", given.currency or ""
    stored = configurations.get(connection, ConfigurationKey(account_id, RULES, name))
    check_versions(signer, [stored])
    if minor_digits(currency) is None:
        raise InvalidInput(_CURRENCY(currency=currency))
    if not any(may_be_tried(rule) for rule in decode_rule_set(stored.program).rules):
        raise InvalidInput(_NOTHING_TRIED(name=name))
    caps = HoldOutCaps(given.orders_per_day or 0, given.minor_units_per_day or 0, currency)
    return {"rule_set": name, "rule_set_version": stored.version, "caps": caps}


def _models(
    connection: sa.Connection, signer: Signer, account_id: str, challenger: int
) -> dict[str, Any]:
    live = models.live_program(connection, account_id)
    version = models.SHIPPED if live is None else live[0]
    if version == challenger:
        raise InvalidInput(_SAME(what=_called(None, None, challenger)))
    if challenger != models.SHIPPED:
        stored = models.get(connection, account_id, challenger)
        check_versions(signer, [stored])
        try:
            usable_scorecard(stored)
        except ScorecardError as error:
            raise Conflict(_UNUSABLE(version=challenger, why=said_by(error))) from None
    pipelines = configurations.active(connection, account_id, PIPELINE)
    stages = [stage.stage for each in pipelines for stage in decode_program(each.program).stages]
    if SENTRY.name not in stages:
        raise InvalidInput(_UNUSED())
    return {"model": version, "challenger_model": challenger}
