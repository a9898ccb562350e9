"""Explains one decision: what decided, why, and what would have changed it."""

from typing import Final

import msgspec

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import all_of, any_of
from gatehouse.decisions.record import DecisionRecord
from gatehouse.explanations import phrases
from gatehouse.explanations.explanation import ExplainedChange, Explanation
from gatehouse.explanations.in_force import InForce
from gatehouse.explanations.reasons import explained_reasons, summary
from gatehouse.explanations.replay import DecisionReplay, JudgedAgain, NotReplayable
from gatehouse.explanations.search import ChangeSearch, FoundChange, SearchResult
from gatehouse.pipeline.definition import without_payment

MOST_REASONS: Final = 50
_MOST_RESULTS: Final = 5


def explain(record: DecisionRecord, in_force: InForce) -> Explanation:
    """The decision in sentences, as far as the record and what was in force then can tell."""
    reasons = explained_reasons(record, in_force)
    changes, notes = _changes(record, in_force)
    if len(reasons) > MOST_REASONS:
        notes = [*notes, phrases.FEW_REASONS(most=MOST_REASONS, count=len(reasons))]
    return Explanation(summary(record, reasons), reasons[:MOST_REASONS], changes, notes)


def _changes(record: DecisionRecord, in_force: InForce) -> tuple[list[ExplainedChange], list[str]]:
    """What would have changed the decision, and what cannot be told."""
    alone = record.decision is None and all(not _decides(each.name) for each in record.stages)
    if alone and record.erased_at is None:
        return _other_results(record, in_force), []
    problems = list(in_force.missing)
    if record.erased_at is not None:
        problems = [phrases.ERASED()]
    if not problems:
        try:
            replay, base = _replay(record, in_force)
        except NotReplayable as error:
            problems = [error.reason]
        else:
            return _found(record, ChangeSearch(replay, base, in_force), base)
    return [], [phrases.CANNOT_TELL(problem=each) for each in problems]


def _decides(name: str) -> bool:
    return name in REGISTRY.deciding


def _replay(record: DecisionRecord, in_force: InForce) -> tuple[DecisionReplay, JudgedAgain]:
    """The request judged again as it was; refused when it does not come out as it did."""
    replay = DecisionReplay(record, in_force)
    base = replay.judge()
    stages, pipeline = replay.definition.stages, in_force.pipeline
    unasked = [each.stage for each in stages if each.stage in base.not_asked]
    paying = bool(unasked) and all(REGISTRY[name].pays for name in unasked)
    if pipeline is not None and paying and record.stages:
        # At that time nobody took payments.
        replay = DecisionReplay(
            record, msgspec.structs.replace(in_force, pipeline=without_payment(pipeline))
        )
        base = replay.judge()
    matched = {
        place: tuple(stage.result.get("matched", ()))
        for place, stage in replay.recorded.items()
        if replay.definition.stages[place].rule_set is not None
    }
    same = base.decision is (record.decision or base.decision) and not base.not_asked
    if not same or matched != base.matched:
        raise NotReplayable(phrases.DIFFERENT())
    return replay, base


def _found(
    record: DecisionRecord, search: ChangeSearch, base: JudgedAgain
) -> tuple[list[ExplainedChange], list[str]]:
    if base.decision is not Outcome.ACCEPT:
        result = search.weaker()
        return [_change(each, base) for each in result.found], _how_far(result)
    if record.decision is None:
        return [], []
    result = search.nearest()
    note = phrases.NEAREST if result.found else phrases.NOTHING_NEAR
    return [_change(each, base) for each in result.found], [note()]


def _how_far(result: SearchResult) -> list[str]:
    """What was tried in vain."""
    if any(each.judged.decision is Outcome.ACCEPT for each in result.found):
        return []
    if result.exhausted:
        every = phrases.NONE_ACCEPTS if result.found else phrases.NONE_CHANGES
        return [every(singles=result.singles)]
    tried = phrases.NONE_TRIED_ACCEPTS if result.found else phrases.NONE_TRIED_CHANGES
    return [tried(singles=result.singles, pairs=result.pairs)]


def _change(found: FoundChange, base: JudgedAgain) -> ExplainedChange:
    judged = found.judged
    said = all_of(found.conditions)
    for part in found.parts:
        if part.consequence:
            said = phrases.WITH_RESULT(conditions=said, consequence=part.consequence)
    more = [
        name
        for place, names in judged.matched.items()
        for name in names
        if name not in base.matched.get(place, ())
    ]
    if more and base.decision is Outcome.ACCEPT:
        said = phrases.WITH_RULE(conditions=said, rule=more[0])
    unless = [name for name in judged.not_asked if all(name != part.key for part in found.parts)]
    if unless:
        said = phrases.UNLESS(conditions=said, stages=any_of(unless))
    signals = {
        name: value for part in found.parts for name, value in part.difference.signals.items()
    }
    lists = {
        name: listed for part in found.parts for (name, _), listed in part.difference.listed.items()
    }
    text = phrases.WOULD_BE(decision=phrases.OUTCOMES[judged.decision](), conditions=said)
    return ExplainedChange(text, judged.decision, signals, lists, unless)


def _other_results(record: DecisionRecord, in_force: InForce) -> list[ExplainedChange]:
    """What would have changed the result of a stage that decides nothing."""
    found = []
    for stage in record.stages:
        told, program = in_force.told_of(stage)
        if told is None or told.changes is None:
            continue
        for each in told.changes(stage.result, program):
            if each.parts == 1 and each.consequence:
                text = phrases.OTHER_RESULT.worded(
                    f"{each.consequence[0].upper()}{each.consequence[1:]} if {each.condition}.",
                    consequence=each.consequence,
                    condition=each.condition,
                )
                found.append(ExplainedChange(text, None, dict(each.signals)))
    return found[:_MOST_RESULTS]
