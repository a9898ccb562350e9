"""The rules that matched a request, with their text as it was then."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import DecisionRecord, RecordedStage
from gatehouse.explanations.explanation import ExplainedReason
from gatehouse.explanations.in_force import InForce
from gatehouse.rules import ruleset
from gatehouse.rules.ruleset import Rule
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.configurations import RULES, ConfigurationKey, find

_MOST_RULES: Final = 100


class SinceThen(StrEnum):
    """What became of a rule after the decision."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


class MatchedRule(msgspec.Struct, frozen=True):
    """A rule that matched, as it stood then."""

    name: str
    rule_set: str
    version: int
    outcome: Outcome | None
    """None when that version is not kept any more."""
    condition: str | None
    description: str
    tags: tuple[str, ...]
    decisive: bool
    """Whether the decision is what it is because of it."""
    shadow: bool
    """Whether it was only watched."""
    final: bool
    late: bool
    """Whether it was judged after other stages had run."""
    looked_at: Mapping[str, Any]
    """The signals that it asked for, as they were."""
    since: SinceThen | None = None
    """None when it cannot be told."""


def matched_rules(
    session: AdminSession,
    connection: sa.Connection,
    account_id: str,
    record: DecisionRecord,
    told: tuple[InForce, list[ExplainedReason]],
) -> list[MatchedRule]:
    """The rules that matched; `told` is what was in force then, and the reasons in words."""
    session.actor.check_account(account_id)
    in_force, reasons = told
    now: dict[str, dict[str, Rule]] = {}
    found: list[MatchedRule] = []
    for stage in record.stages:
        name = stage.result.get("ruleSet")
        if isinstance(name, str):
            if name not in now:
                now[name] = _rules_now(connection, ConfigurationKey(account_id, RULES, name))
            found += _rules(stage, in_force, reasons, now[name])
    return found[:_MOST_RULES]


def _rules(
    stage: RecordedStage,
    in_force: InForce,
    reasons: list[ExplainedReason],
    now: Mapping[str, Rule],
) -> Iterator[MatchedRule]:
    result, name = stage.result, stage.result["ruleSet"]
    compiled = in_force.rule_sets.get(name)
    then = {} if compiled is None else {rule.name: rule for rule in compiled.rules}
    said = {each.code: each for each in reasons if each.stage == stage.name}
    matched, shadow = result.get("matched", ()), result.get("shadow", ())
    for each in (*matched, *shadow):
        rule, reason = then.get(each), said.get(each)
        yield MatchedRule(
            name=each,
            rule_set=name,
            version=int(result.get("version", 0)),
            outcome=None if rule is None else rule.outcome,
            condition=None if rule is None else rule.condition.text.strip(),
            description="" if rule is None else rule.description.strip(),
            tags=() if rule is None else rule.tags,
            decisive=reason is not None and reason.decisive,
            shadow=each in shadow,
            final=rule is not None and rule.final,
            late=each in result.get("matchedLate", ()),
            looked_at={} if reason is None else reason.signals,
            since=None if rule is None else _since(rule, now),
        )


def _rules_now(connection: sa.Connection, key: ConfigurationKey) -> dict[str, Rule]:
    stored = find(connection, key)
    try:
        rules = () if stored is None else ruleset.decode_program(stored.program).rules
    except msgspec.MsgspecError:
        rules = ()
    return {rule.name: rule for rule in rules}


def _since(then: Rule, now: Mapping[str, Rule]) -> SinceThen:
    today = now.get(then.name)
    if today is None:
        return SinceThen.GONE
    return SinceThen.SAME if today == then else SinceThen.CHANGED
