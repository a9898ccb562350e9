"""The reasons of a decision in words, by their weight, and the sentence that sums them up."""

from collections.abc import Iterable
from typing import Any, Final

from gatehouse.conditions.catalogue import CUSTOM
from gatehouse.core.outcomes import Outcome
from gatehouse.core.stage import StageFinding
from gatehouse.core.stage_registry import REGISTRY
from gatehouse.decisions.record import DecisionRecord, RecordedStage
from gatehouse.decisions.signal_layout import everything
from gatehouse.explanations.alternatives import show_value
from gatehouse.explanations.explanation import ExplainedReason
from gatehouse.explanations.replay import InForce
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
_INCOMPLETE_CODE: Final = "not_completed"
_MOST_NAMED: Final = 3
_LONGEST_CONDITION: Final = 300


def explained_reasons(record: DecisionRecord, in_force: InForce) -> list[ExplainedReason]:
    """What every stage contributed; what was decisive comes first."""
    pipeline = in_force.pipeline
    deciders = REGISTRY.deciding if pipeline is None else pipeline.deciders
    values = _values(record)
    found: list[ExplainedReason] = []
    for stage in record.stages:
        counts = stage.name in deciders or not stage.completed
        if "matched" in stage.result:
            found += _of_rules(record, stage, in_force, values, counts=counts)
        else:
            found += _of_stage(record, stage, in_force, counts=counts)
    return sorted(found, key=_weight, reverse=True)


def summary(record: DecisionRecord, reasons: list[ExplainedReason]) -> str:
    """What was decided, and by what, in one sentence."""
    decision = record.decision
    if decision is None:
        return reasons[0].text if reasons else "Nothing was found."
    decisive = [each for each in reasons if each.decisive]
    if not decisive:
        ran = ", ".join(stage.name for stage in record.stages) or "no stage"
        return f"{_DECIDED[decision]}: nothing that ran spoke against it ({ran})."
    rules = [each for each in decisive if each.signals or (each.code and _is_rule(each))]
    clauses = [_matched([each.code for each in rules], rules[0].text)] if rules else []
    clauses += [_lower(each.text) for each in decisive if each not in rules]
    return f"{_DECIDED[decision]}: {'; '.join(clauses)}."


def _matched(names: list[str], text: str) -> str:
    if len(names) == 1:
        return _lower(text.partition(" It asks: ")[0])
    rest = len(names) - _MOST_NAMED
    *first, last = [*names[:_MOST_NAMED], *([f"{rest} more"] if rest > 0 else [])]
    return f"the rules {', '.join(first)} and {last} matched"


def _is_rule(reason: ExplainedReason) -> bool:
    return reason.stage in REGISTRY and REGISTRY[reason.stage].runs_rule_set


def _lower(sentence: str) -> str:
    """A sentence that follows a colon; names keep their capitals."""
    text = sentence.removesuffix(".")
    return f"the{text[3:]}" if text.startswith("The ") else text


def _of_rules(
    record: DecisionRecord,
    stage: RecordedStage,
    in_force: InForce,
    values: dict[str, Any],
    *,
    counts: bool,
) -> list[ExplainedReason]:
    """The rules that matched, as they stood then."""
    result = stage.result
    name, status, final_by = result.get("ruleSet"), result.get("status"), result.get("finalBy")
    compiled = in_force.rule_sets.get(str(name))
    rules = {} if compiled is None else {rule.name: rule for rule in compiled.rules}
    which = f"of rule set {name}, version {result.get('version')},"
    found = []
    for each in result.get("matched", ()):
        rule = rules.get(each)
        outcome = None if rule is None else rule.outcome
        decided = each == final_by if final_by else outcome == status
        alone = " and decided alone" if final_by == each else ""
        decisive = (
            counts and decided and status == record.decision and bool(alone or _is_strict(status))
        )
        found.append(
            ExplainedReason(
                f"The rule {each} {which} matched{alone}{_about(rule, values)}",
                stage.name,
                each,
                decisive and (bool(alone) or _is_strict(status)),
                outcome,
                signals={} if rule is None else _looked_at(rule, values),
            )
        )
    if not stage.completed:
        found.append(_not_completed(record, stage, counts=counts))
    return found


def _is_strict(status: Any) -> bool:
    return status in (Outcome.REVIEW, Outcome.DECLINE)


def _about(rule: Rule | None, values: dict[str, Any]) -> str:
    if rule is None:
        return ". What it asked is not kept any more."
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


def _of_stage(
    record: DecisionRecord, stage: RecordedStage, in_force: InForce, *, counts: bool
) -> list[ExplainedReason]:
    told = REGISTRY[stage.name].explanation if stage.name in REGISTRY else None
    found: list[ExplainedReason] = []
    if not stage.completed:
        found.append(_not_completed(record, stage, counts=counts))
    if told is None:
        return found
    signals = REGISTRY.signals_of(stage.name, stage.result, completed=stage.completed)
    verdict = None if told.verdict is None else told.verdict(signals)
    version = None if told.model is None else told.model(stage.result)
    program = None if version is None else in_force.models.get(version)
    decided = counts and verdict is not None and _is_strict(verdict) and verdict == record.decision
    findings: Iterable[StageFinding] = told.findings(stage.result, program)
    for place, each in enumerate(findings):
        first = place == 0
        found.append(
            ExplainedReason(
                each.text,
                stage.name,
                each.code,
                decided and first,
                verdict if first else None,
                each.effect,
            )
        )
    return found


def _not_completed(
    record: DecisionRecord, stage: RecordedStage, *, counts: bool
) -> ExplainedReason:
    return ExplainedReason(
        f"{stage.name} did not complete: whom it asks failed or was late.",
        stage.name,
        _INCOMPLETE_CODE,
        counts and record.decision is Outcome.REVIEW,
    )


def _weight(reason: ExplainedReason) -> float:
    """What a stage says first comes before what it adds to that."""
    if reason.effect is not None:
        return min(abs(reason.effect), _LARGEST_EFFECT)
    if reason.code == _INCOMPLETE_CODE:
        weight = _INCOMPLETE
    elif reason.outcome is not None:
        weight = _WEIGHTS[reason.outcome]
    else:
        weight = 0.0 if reason.code else _HEADLINE
    return weight + (_DECISIVE if reason.decisive else 0.0)


def _values(record: DecisionRecord) -> dict[str, Any]:
    """Every signal by name, as it was in the end."""
    own = record.signals or {}
    values = {name: value for name, value in own.items() if name.startswith(CUSTOM)}
    values |= everything().flat(own)
    for stage in record.stages:
        values |= REGISTRY.signals_of(stage.name, stage.result, completed=stage.completed)
    return values
