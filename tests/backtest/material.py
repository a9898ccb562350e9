"""Decision records made by hand, in the shape in which the engine keeps them."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from gatehouse.backtest.judging import ColumnTrial, judge_loaded
from gatehouse.backtest.load import RECORDS, ColumnMaker, load, select_signals
from gatehouse.backtest.report import BacktestReport
from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.nodes import Type
from gatehouse.conditions.parse import read_condition
from gatehouse.core.clock import iso_time
from gatehouse.core.ids import new_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.figures.workspace import open_workspace
from gatehouse.rules.ruleset import Rule, RuleSet
from gatehouse.store.configured.list_reading import ListPast
from gatehouse.store.decisions.records import KeptRecord, RecordSpan

NOW_MS = 1_794_700_000_000
DAY_MS = 86_400_000


def request_id(number: int, at_ms: int = NOW_MS) -> str:
    return new_id("req", at_ms, lambda size: number.to_bytes(size, "big"))


def stage(name: str, result: Mapping[str, Any], *, completed: bool = True) -> dict[str, Any]:
    return {
        "name": name,
        "feeType": name.upper(),
        "feeMicros": 50_000,
        "completed": completed,
        "durationMicroseconds": 120,
        "result": result,
    }


def ruled(
    status: str, matched: Sequence[str] = (), rule_set: str = "shop", version: int = 1
) -> dict[str, Any]:
    found = {"ruleSet": rule_set, "version": version, "status": status}
    return stage("Rules", {**found, "matched": list(matched), "shadow": []})


def record(
    number: int = 0,
    signals: Mapping[str, Any] | None = None,
    stages: Sequence[Mapping[str, Any]] = (),
    *,
    decision: str = "ACCEPT",
    at_ms: int = NOW_MS,
) -> dict[str, Any]:
    return {
        "requestId": request_id(number, at_ms),
        "operation": "pipeline",
        "at": iso_time(at_ms),
        "clientReferenceId": None,
        "card": None,
        "stages": list(stages),
        "authorizedMicros": 100_000,
        "closedMicros": 50_000,
        "signals": {} if signals is None else dict(signals),
        "decision": decision,
        "pipeline": {"id": 1, "version": 1},
    }


def kept(made: Mapping[str, Any], at_ms: int = NOW_MS) -> KeptRecord:
    text = msgspec.json.encode(made).decode()
    return KeptRecord(made["requestId"], at_ms, made["operation"], text)


def rule(
    name: str,
    condition: str,
    outcome: str = "DECLINE",
    *,
    final: bool = False,
    shadow: bool = False,
    inputs: Mapping[str, Type] | None = None,
) -> Rule:
    tree = read_condition(condition, Catalogue(inputs or {}))
    return Rule(name, tree, Outcome(outcome), final=final, shadow=shadow)


def rule_set(*rules: Rule, inputs: Mapping[str, Type] | None = None) -> RuleSet:
    return RuleSet("shop", "", dict(inputs or {}), rules)


def judged(
    rules: RuleSet,
    records: Sequence[Mapping[str, Any] | KeptRecord],
    labels: Mapping[str, bool] | None = None,
    past: Mapping[str, ListPast] | None = None,
    examples: int = 5,
) -> BacktestReport:
    """Try a rule set on records that are handed over directly."""
    batch = [one if isinstance(one, KeptRecord) else kept(one) for one in records]
    trial = ColumnTrial(rules, RecordSpan("", 0, NOW_MS), past or {}, examples)
    with open_workspace() as workspace:
        columns = ColumnMaker(select_signals(rules), labels or {})
        parts = columns.parts(batch[n : n + 50] for n in range(0, len(batch), 50))
        loaded = load(workspace, columns.types, parts)
        return judge_loaded(workspace, trial, RECORDS, loaded)


def ignore(done: int) -> None:
    pass
