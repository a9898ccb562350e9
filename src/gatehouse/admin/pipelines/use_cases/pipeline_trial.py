"""Tries a pipeline on a recorded request: which of its stages would run, and what it decides.

Nobody outside is asked and nothing is paid: what stages found then stands for what they would find.
"""

from functools import partial
from typing import Any

import msgspec
import sqlalchemy as sa

from gatehouse.admin.configurations.use_cases.configurations import check_usable
from gatehouse.admin.decisions.use_cases.decisions import get_decision
from gatehouse.admin.pipelines.use_cases.pipelines import PIPELINES
from gatehouse.admin.rule_sets.use_cases.rule_trial import NO_SIGNALS
from gatehouse.conditions.nodes import Condition
from gatehouse.core.errors import InvalidInput
from gatehouse.core.reading.unread_fields import FieldWarning
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import said_by
from gatehouse.decisions.record import DecisionRecord, RecordedStage
from gatehouse.explanations.in_force import InForce
from gatehouse.explanations.replay import DecisionReplay, JudgedAgain, NotReplayable
from gatehouse.pipeline.authoring import Surroundings, read_pipeline
from gatehouse.pipeline.definition import PipelineDefinition, StageDefinition
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.ruleset import decode_program
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.configurations import RULES, active, check_versions


class TriedStage(msgspec.Struct, frozen=True):
    """What a stage of the draft would do."""

    definition: StageDefinition
    ran: bool
    assumed: bool = False
    """Whether the record knows nothing of it, so that it is taken to find nothing."""
    vote: Outcome | None = None
    matched: tuple[str, ...] = ()
    """The rules that matched, of a stage with rules."""
    skipped: bool = False
    """Whether a condition left it out, as far as that is known."""
    stopped: bool = False
    """Whether the pipeline ended with it."""
    failed: bool = False
    """Whether it could not complete."""
    answer: str | None = None
    """What it answered, as JSON; of a request that was written for the trial."""


class PipelineTrial(msgspec.Struct, frozen=True):
    """What a draft would have decided about a request."""

    request_id: str | None
    """None for a request that was written for the trial."""
    before: Outcome | None
    """What was decided then."""
    after: Outcome
    stages: list[TriedStage]
    warnings: tuple[FieldWarning, ...] = ()
    """Fields of the request that nothing reads."""


def read_draft(session: AdminSession, account_id: str, content: bytes) -> PipelineDefinition:
    """The pipeline of a document, checked against the rule sets and lists in force."""
    with session.account_reading(account_id) as connection:
        check_account(connection, session.signer, account_id)
        return _Around(connection, session, account_id).read(content)


def try_pipeline(
    session: AdminSession, account_id: str, content: bytes, request_id: str
) -> PipelineTrial:
    """Run a recorded request through a draft, with the rule sets in force and the lists of then."""
    record = get_decision(session, account_id, request_id)
    if record.signals is None:
        raise InvalidInput(NO_SIGNALS())
    with session.account_reading(account_id) as connection:
        check_account(connection, session.signer, account_id)
        around = _Around(connection, session, account_id)
        definition = around.read(content)
        used = {each.rule_set for each in definition.stages}
        compiled = {
            each.name: CompiledRuleSet(around.rule_sets[each.name], each.version)
            for each in around.stored
            if each.name in used
        }
        names = _lists(definition, compiled)
        lists = list_reading.history_of(connection, account_id, names, session.signer)
    try:
        replay = DecisionReplay(_fitted(record, definition), InForce(definition, compiled, lists))
    except NotReplayable as error:
        raise InvalidInput(said_by(error)) from None
    judged = replay.judge()
    stages = [_tried(place, each, judged) for place, each in enumerate(definition.stages)]
    return PipelineTrial(record.request_id, record.decision, judged.decision, stages)


class _Around:
    """The rule sets and lists that a pipeline can name."""

    def __init__(self, connection: sa.Connection, session: AdminSession, account_id: str) -> None:
        self.stored = active(connection, account_id, RULES)
        check_versions(session.signer, self.stored)
        self.rule_sets = {each.name: decode_program(each.program) for each in self.stored}
        self._kinds = list_reading.kinds(connection, account_id)
        self._check = partial(check_usable, session, connection, PIPELINES, account_id)

    def read(self, content: bytes) -> PipelineDefinition:
        inputs = {name: each.inputs for name, each in self.rule_sets.items()}
        definition = read_pipeline(content, Surroundings(inputs, self._kinds))
        self._check(definition)
        return definition


def _fitted(record: DecisionRecord, definition: PipelineDefinition) -> DecisionRecord:
    """The record with those of its stages that the draft has, in the draft's order."""
    left = list(record.stages)
    kept: list[RecordedStage] = []
    for stage in definition.stages:
        found = next((each for each in left if _is_of(each.name, each.result, stage)), None)
        if found is not None:
            left.remove(found)
            kept.append(found)
    return msgspec.structs.replace(record, stages=kept)


def _is_of(name: str, result: dict[str, Any], stage: StageDefinition) -> bool:
    return name == stage.stage and stage.rule_set in (None, result.get("ruleSet"))


def _tried(place: int, stage: StageDefinition, judged: JudgedAgain) -> TriedStage:
    if place not in judged.votes:
        return TriedStage(stage, ran=False)
    return TriedStage(
        stage,
        ran=True,
        assumed=stage.stage in judged.not_asked,
        vote=judged.votes[place],
        matched=judged.matched.get(place, ()),
    )


def _lists(definition: PipelineDefinition, rule_sets: dict[str, CompiledRuleSet]) -> list[str]:
    conditions: list[Condition | None] = [
        rule.condition for each in rule_sets.values() for rule in each.rules
    ]
    for stage in definition.stages:
        conditions += [stage.skip_when, stage.stop_when]
    return sorted({name for each in conditions if each is not None for _, name in each.lists})
