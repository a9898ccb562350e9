"""Pipelines of an account: checked, applied, listed, shown and rolled back."""

from collections.abc import Mapping
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.accounts import Account
from gatehouse.access.rights import Right
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind
from gatehouse.admin.configurations.types import VersionApplied
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import (
    ConfigurationType,
    ConfigurationVersion,
    NewVersion,
)
from gatehouse.billing.fees import offered
from gatehouse.conditions.catalogue import kinds_for
from gatehouse.connectors.definition import Function
from gatehouse.connectors.definition import decode_program as decode_connectors
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import Phrase
from gatehouse.gateway.operating import OperationKind
from gatehouse.operations.connectors import APPLIED
from gatehouse.pipeline.authoring import Surroundings, read_pipeline
from gatehouse.pipeline.definition import PipelineDefinition, decode_program, encode_program
from gatehouse.pipeline.diff import differences, title
from gatehouse.pipeline.stage_conditions import rules_after_payment, rules_without_results
from gatehouse.rules.ruleset import RuleSet
from gatehouse.rules.ruleset import decode_program as decode_rule_set
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts
from gatehouse.store.accounts.price_list import fees_of
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations as stored_configurations
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.configurations import CONNECTORS_KEY, PIPELINE, RULES, active

_STAGE_LIST: Final = Phrase(
    "refused.stage_list",
    "stage {number}, {stage}: there is no list {name} on which {signal} can be looked up",
)
_NO_FEE_NAME: Final = Phrase(
    "refused.no_fee_name",
    "stage {number}, {stage}: no special fee {name} is offered for it; offered are: {offered}",
)
_FEE_AMOUNT: Final = Phrase(
    "refused.fee_amount",
    "stage {number}, {stage}: only an operator writes a fee as an amount; leave it out, or name a "
    "special fee that is offered: {offered}",
)
_NO_VERDICT: Final = Phrase(
    "refused.no_verdict",
    "no stage of this pipeline has a verdict, so that it always decides ACCEPT",
)
_STAGE_LINE: Final = Phrase("refused.stage_line", "stage {index}, {stage}: {line}")

RuleSetsByName = Mapping[str, RuleSet | None]


class PipelineView(msgspec.Struct, frozen=True):
    """One version of a pipeline, with its account and the fee of each stage."""

    stored: ConfigurationVersion[PipelineDefinition]
    account: Account
    fees: list[int]


def apply(session: AdminSession, account_id: str, new: NewVersion) -> VersionApplied:
    """Make a file the next version of its pipeline."""
    return configurations.apply(session, account_id, PIPELINES, new)


def _read(
    session: AdminSession, account_id: str, content: bytes
) -> tuple[PipelineDefinition, list[str]]:
    with session.account_reading(account_id) as connection:
        # Only the rule sets that the file can mean are decoded.
        rule_sets = {
            stored.name: decode_rule_set(stored.program)
            if stored.name.encode() in content
            else None
            for stored in active(connection, account_id, RULES)
        }
        kinds = list_reading.kinds(connection, account_id)
        without_capture = _without_capture(session.settings, connection, account_id)
    inputs = {name: found.inputs if found else {} for name, found in rule_sets.items()}
    definition = read_pipeline(content, Surroundings(inputs, kinds, without_capture))
    return definition, warnings(definition, rule_sets)


def _without_capture(
    settings: Settings, connection: sa.Connection, account_id: str
) -> tuple[str, ...]:
    """The applied connectors that take payments of the account and cannot capture them."""
    applied = settings.gateway == APPLIED
    in_force = stored_configurations.find(connection, CONNECTORS_KEY) if applied else None
    if in_force is None:
        return ()
    configuration = decode_connectors(in_force.program)
    used: dict[str, None] = {}
    for route in configuration.routes.get(Function.GATEWAY, ()):
        if route.accounts and account_id not in route.accounts:
            continue
        used |= dict.fromkeys(route.use)
        if not (route.brands or route.bins or route.countries):
            break  # It takes all payments of the account.
    connectors = configuration.connectors
    return tuple(
        name for name in used if OperationKind.CAPTURE not in connectors[name].operations()
    )


def get(
    session: AdminSession, account_id: str, number: int, version: int | None = None
) -> PipelineView:
    """One version of a pipeline, without a number the one in force."""
    stored = configurations.get(session, account_id, PIPELINES, str(number), version)
    with session.account_reading(account_id) as connection:
        account = accounts.get(connection, account_id)
    schedule = fees_of(session.settings, account, session.clock())
    fees = [stage.fee(schedule) for stage in stored.definition.stages]
    return PipelineView(stored, account, fees)


def _problems(
    session: AdminSession,
    connection: sa.Connection,
    account_id: str,
    definition: PipelineDefinition,
) -> list[str]:
    kinds = list_reading.kinds(connection, account_id)
    problems = [
        _STAGE_LIST(number=number, stage=title(stage), name=name, signal=signal)
        for number, stage in enumerate(definition.stages, start=1)
        for condition in (stage.skip_when, stage.stop_when)
        for signal, name in (condition.lists if condition else ())
        if kinds.get(name) not in kinds_for(signal)
    ]
    account = accounts.get(connection, account_id)
    fees = fees_of(session.settings, account, session.clock())
    for number, stage in enumerate(definition.stages, start=1):
        names = offered(fees, REGISTRY[stage.stage].fee_type)
        about = {"number": number, "stage": title(stage), "offered": ", ".join(names) or "-"}
        if stage.fee_name is not None and stage.fee_name not in names:
            problems.append(_NO_FEE_NAME(name=stage.fee_name, **about))
        if stage.fee_micros is not None and not session.actor.may(Right.PRICES):
            problems.append(_FEE_AMOUNT(**about))
    return list(dict.fromkeys(problems))


def warnings(definition: PipelineDefinition, rule_sets: RuleSetsByName) -> list[str]:
    """What the author of a pipeline should know, given the rule sets that it can mean."""
    stages = [stage.stage for stage in definition.stages]
    found: list[str] = []
    if not set(stages) & set(definition.deciders):
        found.append(_NO_VERDICT())
    for index, stage in enumerate(definition.stages):
        rule_set = rule_sets.get(stage.rule_set) if stage.rule_set else None
        rules = [(rule.name, rule.condition.signals) for rule in rule_set.rules] if rule_set else []
        lines = [
            about(stages, index, rules) for about in (rules_without_results, rules_after_payment)
        ]
        found += [
            _STAGE_LINE(index=index + 1, stage=title(stage), line=line) for line in lines if line
        ]
    return found


PIPELINES: Final = ConfigurationType(
    kind=PIPELINE,
    label="pipeline",
    read=_read,
    name_of=lambda definition: str(definition.number),
    parts=lambda definition: len(definition.stages),
    encode=encode_program,
    decode=decode_program,
    problems=_problems,
    differences=differences,
    approval=ApprovalKind.PIPELINES,
)
