"""The reasons of a decision in words, by their weight, and the sentence that sums them up."""

from typing import Any, Final

import msgspec

from gatehouse.core.stages.outcomes import OnFailure, Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.record import IMPORTED, DecisionRecord, RecordedStage
from gatehouse.explanations.explanation import ExplainedReason
from gatehouse.explanations.in_force import InForce
from gatehouse.explanations.phrases import INCOMPLETE, NOTHING, PAST, show_value
from gatehouse.explanations.replay import own_signals
from gatehouse.rules.ruleset import Rule

_DECIDED: Final = {
    Outcome.ACCEPT: "Accepted",
    Outcome.REVIEW: "Sent to review",
    Outcome.DECLINE: "Declined",
}
_WEIGHTS: Final = {Outcome.DECLINE: 60.0, Outcome.REVIEW: 50.0, Outcome.ACCEPT: 9.0}
_DECISIVE: Final = 100.0
_INCOMPLETE: Final = 55.0
_HEADLINE: Final = 9.0
_LARGEST_EFFECT: Final = 8.0
INCOMPLETE_CODE: Final = "not_completed"
"""The code of the reason that a stage did not complete."""
_MOST_NAMED: Final = 3
_LONGEST_CONDITION: Final = 300
_NOT_KEPT: Final = " What it asked is not kept any more."


def explained_reasons(record: DecisionRecord, in_force: InForce) -> list[ExplainedReason]:
    """What every stage contributed; what was decisive comes first."""
    reader = _ReasonReader(record, in_force)
    found = [reason for stage in record.stages for reason in reader.read(stage)]
    return sorted(found, key=_weight, reverse=True)


def summary(record: DecisionRecord, reasons: list[ExplainedReason]) -> str:
    """What was decided, and by what, in one sentence."""
    if record.operation == IMPORTED:
        return PAST()
    decision = record.decision
    if decision is None:
        return reasons[0].text if reasons else NOTHING()
    decisive = [each for each in reasons if each.decisive]
    if not decisive and _is_strict(decision):
        return f"{_DECIDED[decision]}: what decided is not kept any more."
    if not decisive:
        ran = ", ".join(stage.name for stage in record.stages) or "no stage"
        return f"{_DECIDED[decision]}: no stage decided against it ({ran})."
    rules = [each for each in decisive if _is_rule(each)]
    clauses = [_matched([each.code for each in rules], rules[0].text)] if rules else []
    clauses += [_lower(each.text) for each in decisive if each not in rules]
    return f"{_DECIDED[decision]}: {'; '.join(clauses)}."


def _matched(names: list[str], text: str) -> str:
    if len(names) == 1:
        return _lower(text.partition(" It asks: ")[0].partition(_NOT_KEPT)[0])
    rest = len(names) - _MOST_NAMED
    *first, last = [*names[:_MOST_NAMED], *([f"{rest} more"] if rest > 0 else [])]
    return f"the rules {', '.join(first)} and {last} matched"


def _is_rule(reason: ExplainedReason) -> bool:
    of_rules = reason.stage in REGISTRY and REGISTRY[reason.stage].runs_rule_set
    return of_rules and reason.code != INCOMPLETE_CODE


def _lower(sentence: str) -> str:
    """A sentence that follows a colon; names keep their capitals."""
    text = sentence.removesuffix(".")
    return f"the{text[3:]}" if text.startswith("The ") else text


class _ReasonReader:
    """Reads the reasons that the stages of one decision give."""

    def __init__(self, record: DecisionRecord, in_force: InForce) -> None:
        pipeline = in_force.pipeline
        self._decision = record.decision
        self._in_force = in_force
        self._deciders = REGISTRY.deciding if pipeline is None else pipeline.deciders
        self._on_failure = {
            each.stage: each.on_failure for each in (pipeline.stages if pipeline else ())
        }
        self._values = _values(record)

    def read(self, stage: RecordedStage) -> list[ExplainedReason]:
        """The reasons of one stage."""
        found = [] if stage.completed else [self._not_completed(stage)]
        if "matched" in stage.result:
            return [*found, *self._of_rules(stage)]
        return [*found, *self._of_findings(stage)]

    def _counts(self, stage: RecordedStage) -> bool:
        """Whether the verdict of a stage is part of the decision."""
        if stage.completed:
            return stage.name in self._deciders
        return self._on_failure.get(stage.name, OnFailure.STOP) is OnFailure.STOP

    def _not_completed(self, stage: RecordedStage) -> ExplainedReason:
        ignored = self._on_failure.get(stage.name) is OnFailure.CONTINUE
        return ExplainedReason(
            INCOMPLETE(stage=stage.name),
            stage.name,
            INCOMPLETE_CODE,
            self._decision is Outcome.REVIEW and not ignored,
        )

    def _of_rules(self, stage: RecordedStage) -> list[ExplainedReason]:
        """The rules that matched, as they stood then."""
        result = stage.result
        name, status, final_by = result.get("ruleSet"), result.get("status"), result.get("finalBy")
        compiled = self._in_force.rule_sets.get(str(name))
        rules = {} if compiled is None else {rule.name: rule for rule in compiled.rules}
        which = f"of rule set {name}, version {result.get('version')},"
        counts = self._counts(stage) and status == self._decision
        found = []
        for each in result["matched"]:
            rule, alone = rules.get(each), each == final_by
            outcome = None if rule is None else rule.outcome
            decided = alone or (
                final_by is None and outcome in (None, status) and _is_strict(status)
            )
            matched = "matched and decided alone" if alone else "matched"
            found.append(
                ExplainedReason(
                    f"The rule {each} {which} {matched}{_about(rule, self._values)}",
                    stage.name,
                    each,
                    counts and decided,
                    outcome,
                    signals={} if rule is None else _looked_at(rule, self._values),
                )
            )
        return found

    def _of_findings(self, stage: RecordedStage) -> list[ExplainedReason]:
        told, program = self._in_force.told_of(stage)
        if told is None:
            return []
        signals = REGISTRY.signals_of(stage.name, stage.result, completed=stage.completed)
        verdict = REGISTRY[stage.name].verdict_of(signals, self._deciders)
        decided = self._counts(stage) and _is_strict(verdict) and verdict is self._decision
        first, *others = [
            ExplainedReason(each.text, stage.name, each.code, effect=each.effect)
            for each in told.findings(stage.result, program)
        ]
        first = msgspec.structs.replace(first, decisive=decided, outcome=verdict)
        return [first, *others]


def _is_strict(status: Any) -> bool:
    return status in (Outcome.REVIEW, Outcome.DECLINE)


def _about(rule: Rule | None, values: dict[str, Any]) -> str:
    if rule is None:
        return f".{_NOT_KEPT}"
    text = " ".join(rule.condition.text.split())
    if len(text) > _LONGEST_CONDITION:
        text = f"{text[:_LONGEST_CONDITION]}…"
    seen = ", ".join(f"{n} was {_shown(v)}" for n, v in _looked_at(rule, values).items())
    described = f": {rule.description.strip().removesuffix('.')}." if rule.description else "."
    return f"{described} It asks: {text}." + (f" Then {seen}." if seen else "")


def _shown(value: Any) -> str:
    return "not known" if value is None else show_value(value)


def _looked_at(rule: Rule, values: dict[str, Any]) -> dict[str, Any]:
    names = (*rule.condition.signals, *(signal for signal, _ in rule.condition.lists))
    return {name: values.get(name) for name in dict.fromkeys(names)}


def _weight(reason: ExplainedReason) -> float:
    """What a stage says first comes before what it adds to that."""
    if reason.effect is not None:
        return min(abs(reason.effect), _LARGEST_EFFECT)
    if reason.code == INCOMPLETE_CODE:
        weight = _INCOMPLETE
    elif reason.outcome is not None:
        weight = _WEIGHTS[reason.outcome]
    else:
        weight = 0.0 if reason.code else _HEADLINE
    return weight + (_DECISIVE if reason.decisive else 0.0)


def _values(record: DecisionRecord) -> dict[str, Any]:
    """Every signal by name, as it was in the end."""
    values = own_signals(record)
    for stage in record.stages:
        values |= REGISTRY.signals_of(stage.name, stage.result, completed=stage.completed)
    return values
