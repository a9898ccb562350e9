"""How `gatehouse rules test` prints what a rule set says about one case."""

from typing import TYPE_CHECKING, Any

from gatehouse.cli.output import table

if TYPE_CHECKING:
    from gatehouse.admin.rule_trial import RuleTrial, TrialResult


def trial_data(rule_set: str, result: "TrialResult") -> dict[str, Any]:
    """Everything, for scripts."""
    return {
        "ruleSet": rule_set,
        "status": result.status,
        "finalBy": result.final_by,
        "tags": result.tags,
        "rules": [
            {
                **{"name": each.rule.name, "matches": each.matches},
                **{"outcome": each.rule.outcome, "final": each.rule.final},
                "shadow": each.rule.shadow,
                "signals": each.signals,
                "lists": [answer._asdict() for answer in each.lists],
            }
            for each in result.rules
        ],
    }


def trial_text(result: "TrialResult", *, every: bool) -> str:
    """The decision and a table of the rules, for people."""
    head = f"{result.status}" + (f", decided by {result.final_by}" if result.final_by else "")
    if not any(each.matches for each in result.rules):
        head += ", no rule matches"
    rows = [
        (each.rule.name, "yes" if each.matches else "no", _outcome(each), _values(each))
        for each in result.rules
        if every or each.matches
    ]
    if not rows:
        return head
    return f"{head}\n\n{table(('RULE', 'MATCHES', 'OUTCOME', 'LOOKED AT'), rows)}"


def _outcome(each: "RuleTrial") -> str:
    mark = " (final)" if each.rule.final else " (shadow)" if each.rule.shadow else ""
    return f"{each.rule.outcome}{mark}"


def _values(each: "RuleTrial") -> str:
    shown = [f"{name} = {_literal(value)}" for name, value in each.signals.items()]
    shown += [
        f"{answer.signal} {'on' if answer.listed else 'not on'} {answer.list}"
        for answer in each.lists
        if answer.listed is not None
    ]
    return ", ".join(shown)


def _literal(value: Any) -> str:
    from gatehouse.admin.rule_trial import shortened

    if value is None or value != value:  # noqa: PLR0124  # NaN
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, list | tuple):
        return shortened("[" + ", ".join(map(str, value)) + "]")
    return shortened(f"'{value}'") if isinstance(value, str) else repr(value).removesuffix(".0")
