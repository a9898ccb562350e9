"""Finds what an account had configured when a request was decided: versions are kept for ever."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final, TypeVar

import msgspec
import sqlalchemy as sa

from gatehouse.conditions.nodes import Condition
from gatehouse.core.errors import ConfigurationRefused
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord
from gatehouse.explanations.in_force import InForce
from gatehouse.explanations.phrases import CHANGED, GONE, LIST_CHANGED
from gatehouse.pipeline import definition
from gatehouse.pipeline.definition import PipelineDefinition
from gatehouse.pipeline.experiment import Arm, decode_experiment
from gatehouse.rules import ruleset
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.lists import AccountLists
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations, experiments, list_reading, models
from gatehouse.store.configured.configurations import (
    PIPELINE,
    RULES,
    ConfigurationKey,
    check_versions,
)

T = TypeVar("T")
_CALLED: Final = {
    kind: Phrase(f"explained.version.{kind}", f"version {{version}} of {called} {{name}}")
    for kind, called in (
        *((PIPELINE, "pipeline"), (RULES, "rule set"), (models.KIND, "model")),
        (experiments.KIND, "experiment"),
    )
}


def load_in_force(session: AdminSession, account_id: str, record: DecisionRecord) -> InForce:
    """What the record's request was decided with; what is gone is named."""
    with session.account_reading(account_id) as connection:
        versions = _Versions(session, connection, account_id)
        pipeline = None
        if record.pipeline is not None:
            wanted = (str(record.pipeline.id), record.pipeline.version)
            pipeline = versions.read(PIPELINE, *wanted, definition.decode_program)
            if pipeline is not None:
                pipeline = _with_arm(versions, record, pipeline)
        rule_sets = _rule_sets(versions, record)
        programs = _models(versions, record)
        asked = _asked(_conditions(pipeline, rule_sets), record.signals or {})
        lists = versions.read_lists(asked)
    return InForce(pipeline, rule_sets, lists, programs, tuple(dict.fromkeys(versions.missing)))


class _Versions:
    """Reads versions and lists, and notes what is gone."""

    def __init__(
        self,
        session: AdminSession,
        connection: sa.Connection,
        account_id: str,
    ) -> None:
        self._session = session
        self._connection = connection
        self._account_id = account_id
        self.missing: list[str] = []
        """In words."""

    def read_lists(self, asked: dict[str, list[str]]) -> AccountLists:
        """When the values that are asked for were on the lists."""
        names, signer = list(asked), self._session.signer
        try:
            return list_reading.history_of(self._connection, self._account_id, names, signer, asked)
        except ConfigurationRefused:
            self.missing.append(LIST_CHANGED())
            return AccountLists({})

    def read(self, kind: str, name: str, version: int, decode: Callable[[str], T]) -> T | None:
        """One version as it was kept; None when it is gone, or not as it was stored."""
        key = ConfigurationKey(self._account_id, kind, name)
        stored = configurations.find(self._connection, key, version)
        what = _CALLED[kind](version=version, name=name)
        if stored is None:
            self.missing.append(GONE(what=what))
            return None
        try:
            check_versions(self._session.signer, [stored])
            return decode(stored.program)
        except (ConfigurationRefused, ValueError):
            self.missing.append(CHANGED(what=what))
            return None


# To compile 500 rules takes 0.15 s, and a version never changes.
@lru_cache(maxsize=8)
def _compiled(version: int, program: str) -> CompiledRuleSet:
    return CompiledRuleSet(ruleset.decode_program(program), version)


def _rule_sets(versions: _Versions, record: DecisionRecord) -> dict[str, CompiledRuleSet]:
    found: dict[str, CompiledRuleSet] = {}
    for stage in record.stages:
        name, version = stage.result.get("ruleSet"), stage.result.get("version")
        if isinstance(name, str) and isinstance(version, int) and name not in found:
            read = versions.read(RULES, name, version, partial(_compiled, version))
            if read is not None:
                found[name] = read
    return found


def _with_arm(
    versions: _Versions, record: DecisionRecord, pipeline: PipelineDefinition
) -> PipelineDefinition:
    """The pipeline as the arm of an experiment had it: with another rule set in one's place."""
    signals = record.signals or {}
    if signals.get("experiment.arm") != Arm.CHALLENGER:
        return pipeline
    named = str(signals.get("experiment.id"))
    found = versions.read(experiments.KIND, named, 1, decode_experiment)
    if found is None or found.challenger_rule_set is None:
        return pipeline
    stages = tuple(
        msgspec.structs.replace(each, rule_set=found.challenger_rule_set)
        if each.rule_set == found.rule_set
        else each
        for each in pipeline.stages
    )
    return msgspec.structs.replace(pipeline, stages=stages)


def _models(versions: _Versions, record: DecisionRecord) -> dict[int, str]:
    """The programs of the account's own models that stages used, by version."""
    found: dict[int, str] = {}
    for stage in record.stages:
        told = REGISTRY[stage.name].explanation if stage.name in REGISTRY else None
        version = told.model(stage.result) if told is not None and told.model else None
        if version is not None:
            program = versions.read(models.KIND, models.NAME, version, str)
            if program is not None:
                found[version] = program
    return found


def _conditions(
    pipeline: PipelineDefinition | None, rule_sets: dict[str, CompiledRuleSet]
) -> list[Condition]:
    found = [rule.condition for each in rule_sets.values() for rule in each.rules]
    for stage in pipeline.stages if pipeline else ():
        found += [each for each in (stage.skip_when, stage.stop_when) if each is not None]
    return found


def _asked(conditions: list[Condition], signals: dict[str, Any]) -> dict[str, list[str]]:
    """The values that conditions look up, by list."""
    asked: dict[str, list[str]] = {}
    for signal, name in [each for condition in conditions for each in condition.lists]:
        value = signals.get(signal)
        values = asked.setdefault(name, [])
        if isinstance(value, str) and value not in values:
            values.append(value)
    return asked
