"""Makes the experiment of an account ready to run, from what the account has in force.

Where an arm is not what it was at the beginning, there is no experiment: all requests are decided
by what is in force, until somebody says that the experiment has ended.
"""

from typing import Protocol

import msgspec
import sqlalchemy as sa

from gatehouse.core.stages.stage import Stage
from gatehouse.operations.hold_out import DailyCaps, HoldOutStage
from gatehouse.operations.ready_pipeline import Pipeline
from gatehouse.pipeline.definition import PipelineDefinition
from gatehouse.pipeline.experiment import Experiment, ExperimentKind, decode_experiment
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.lists import AccountLists
from gatehouse.rules.stage import RulesStage
from gatehouse.sentry.stage import SentryStage
from gatehouse.store.configured import configurations, models
from gatehouse.store.configured.configurations import ConfigurationKey, StoredVersion
from gatehouse.store.configured.models import SHIPPED
from gatehouse.store.configured.signing import Signer


class LiveExperiment(msgspec.Struct, frozen=True):
    """A live experiment of an account, ready to run."""

    experiment: Experiment
    pipelines: dict[int, Pipeline]
    """What the challenger makes of the pipelines that it concerns."""
    ruling: dict[str, Stage] = {}
    """What it makes of Rules alone, by the name of the rule set that was asked for."""


class ExperimentParts(msgspec.Struct, frozen=True):
    """What an account has in force, of which an experiment is made."""

    account_id: str
    rule_sets: dict[str, CompiledRuleSet]
    lists: AccountLists
    sentry: SentryStage
    model: int
    """The version in force; 0 is the one that ships."""
    stored_pipelines: list[StoredVersion]
    pipelines: dict[int, Pipeline]
    challenger: tuple[int, str] | None = None
    """The challenger's version and scorecard, where one is kept."""


class PipelineMaker(Protocol):
    """Makes pipelines ready to run."""

    def sentry(self, account_id: str, live: tuple[int, str] | None) -> SentryStage:
        """Sentry with the scorecard of a model; without one, as it ships."""

    def pipelines(
        self,
        account_id: str,
        stored: list[StoredVersion],
        rule_sets: dict[str, CompiledRuleSet],
        lists: AccountLists,
        sentry: SentryStage,
    ) -> dict[int, Pipeline]:
        """The pipelines by number."""


def live_experiment(
    maker: PipelineMaker,
    experiment: Experiment,
    parts: ExperimentParts,
    caps: DailyCaps,
) -> LiveExperiment | None:
    """The experiment, ready to run; None when an arm is not what it was at the beginning."""
    rule_sets, sentry, ruling = parts.rule_sets, parts.sentry, dict[str, Stage]()
    if not holds(experiment, _versions(rule_sets), parts.model):
        return None
    if experiment.kind is ExperimentKind.MODEL:
        if experiment.challenger_model != SHIPPED and parts.challenger is None:
            return None
        sentry = maker.sentry(parts.account_id, parts.challenger)
    elif experiment.kind is ExperimentKind.HOLD_OUT:
        return _hold_out(experiment, parts, caps)
    else:
        replaced, other = experiment.rule_set or "", experiment.challenger_rule_set or ""
        rule_sets = {**rule_sets, replaced: rule_sets[other]}
        ruling[replaced] = RulesStage(rule_sets[other], parts.lists)
    made = maker.pipelines(parts.account_id, parts.stored_pipelines, rule_sets, parts.lists, sentry)
    concerned = {
        number: each for number, each in made.items() if _concerns(experiment, each.definition)
    }
    return LiveExperiment(experiment, concerned, ruling)


def _hold_out(experiment: Experiment, parts: ExperimentParts, caps: DailyCaps) -> LiveExperiment:
    """The pipelines in force, with stages that let some of what they decline through.

    A rule set of which rules are judged late, after a payment, is left as it is.
    """
    name, found = experiment.rule_set or "", dict[int, Pipeline]()
    for number, each in parts.pipelines.items():
        late = {part.position for step in each.steps for part in step.late_parts}
        steps = tuple(
            msgspec.structs.replace(step, stage=HoldOutStage(step.stage, experiment, caps))
            if isinstance(step.stage, RulesStage)
            and each.definition.stages[step.position].rule_set == name
            and step.position not in late
            else step
            for step in each.steps
        )
        if steps != each.steps:
            found[number] = msgspec.structs.replace(each, steps=steps, priced={})
    alone = RulesStage(parts.rule_sets[name], parts.lists)
    return LiveExperiment(experiment, found, {name: HoldOutStage(alone, experiment, caps)})


def holds(experiment: Experiment, rule_sets: dict[str, int], model: int) -> bool:
    """Whether the arms are what they were at the beginning, by the versions in force."""
    if experiment.kind is ExperimentKind.MODEL:
        return model == experiment.model
    is_same = rule_sets.get(experiment.rule_set or "") == experiment.rule_set_version
    if experiment.kind is ExperimentKind.HOLD_OUT:
        return is_same
    return (
        is_same
        and rule_sets.get(experiment.challenger_rule_set or "")
        == experiment.challenger_rule_set_version
    )


def running_experiment(stored: list[StoredVersion]) -> Experiment | None:
    """The experiment under way, if there is one."""
    found = [decode_experiment(each.program) for each in stored]
    return next((each for each in found if each.is_running), None)


def challenger_program(
    connection: sa.Connection, signer: Signer, account_id: str, experiment: Experiment | None
) -> tuple[int, str] | None:
    """The model that challenges the one in force, if it is as it was stored."""
    version = None if experiment is None else experiment.challenger_model
    if not version:
        return None
    key = ConfigurationKey(account_id, models.KIND, models.NAME)
    program = configurations.program_of(signer, connection, key, version)
    return None if program is None else (version, program)


def _versions(rule_sets: dict[str, CompiledRuleSet]) -> dict[str, int]:
    return {name: each.version for name, each in rule_sets.items()}


def _concerns(experiment: Experiment, definition: PipelineDefinition) -> bool:
    if experiment.kind is ExperimentKind.MODEL:
        return any(each.stage == SentryStage.name for each in definition.stages)
    return any(each.rule_set == experiment.rule_set for each in definition.stages)
