"""What other thresholds of a rule would match, counted on requests with a label.

A threshold is a number that a signal is compared with, alone or beside conditions that must hold,
too. Values are put together at two significant digits, as people write thresholds, towards the
side on which the comparison stays exact.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from gatehouse.conditions.compile_sql import quoted, to_sql
from gatehouse.conditions.nodes import Both, Compare, Condition, Literal, Node, Signal, Type
from gatehouse.rules.ruleset import RuleSet

_MOST: Final = 24
"""Thresholds of a rule set that are looked at; each is a question to all labelled requests."""
_MOST_VALUES: Final = 2000
_ORDERED: Final = frozenset({"<", "<=", ">", ">="})
_UP: Final = frozenset({">", "<="})
"""Comparisons that stay exact when values are rounded up; for others they are rounded down."""
_LABELLED: Final = "labelled_requests"


class RuleThreshold(NamedTuple):
    """A number in the condition of a rule."""

    place: int
    """Of the rule in its set."""
    signal: str
    operator: str
    number: float


class LabelledValue(NamedTuple):
    """How many requests have this value of a signal, where the rest of the condition holds."""

    value: float
    fraud: int
    legitimate: int


class ThresholdTally(NamedTuple):
    """A threshold with the values that there were, ascending."""

    threshold: RuleThreshold
    values: tuple[LabelledValue, ...]

    def matched(self, number: float) -> tuple[int, int]:
        """How many frauds and legitimate requests it would match at another number."""
        operator = self.threshold.operator
        hit = [each for each in self.values if _holds(each.value, operator, number)]
        return sum(each.fraud for each in hit), sum(each.legitimate for each in hit)


def thresholds_of(rule_set: RuleSet) -> Iterator[tuple[RuleThreshold, list[Node]]]:
    """The thresholds of rules that are asked, each with the rest of its condition."""
    for place, rule in enumerate(rule_set.rules):
        root = rule.condition.root
        parts = list(root.parts) if isinstance(root, Both) else [root]
        for number, part in enumerate(parts):
            match part:
                case Compare(
                    sign, Signal(name, Type.NUMBER), Literal(float() | int() as value)
                ) if sign in _ORDERED and not rule.off:
                    rest = [each for other, each in enumerate(parts) if other != number]
                    yield RuleThreshold(place, name, sign, float(value)), rest


def tally_thresholds(
    ask: Callable[[str], list[tuple[Any, ...]]], requests: str, rule_set: RuleSet
) -> list[ThresholdTally]:
    """What every threshold of a rule set could match among the requests that a query finds."""
    found = list(thresholds_of(rule_set))[:_MOST]
    if not found:
        return []
    ask(
        f"CREATE TEMP TABLE {_LABELLED} AS SELECT * FROM ({requests}) "  # noqa: S608
        "WHERE fraud IS NOT NULL"
    )
    return [ThresholdTally(each, tuple(_values(ask, each, rest))) for each, rest in found]


def _values(
    ask: Callable[[str], list[tuple[Any, ...]]], threshold: RuleThreshold, rest: list[Node]
) -> Iterator[LabelledValue]:
    value = quoted(threshold.signal)
    holds = [to_sql(Condition("", each, ())) for each in rest]
    rounded = _two_digits(value, "ceil" if threshold.operator in _UP else "floor")
    rows = ask(
        f"SELECT {rounded} AS value, count(*) FILTER (WHERE fraud), "  # noqa: S608  # checked trees
        f"count(*) FILTER (WHERE NOT fraud) FROM {_LABELLED} "
        f"WHERE {' AND '.join((f'isfinite({value})', *holds))} "
        f"GROUP BY 1 ORDER BY 1 LIMIT {_MOST_VALUES}"
    )
    return (LabelledValue(*row) for row in rows)


def _two_digits(value: str, side: str) -> str:
    """A value at two significant digits, next above it or below it."""
    unit = f"pow(10, floor(log10(abs({value}))) - 1)"
    # What is a multiple of the unit already must not move by an error of the division.
    parts = f"round({value} / {unit}, 9)"
    return f"CASE WHEN {value} = 0 THEN 0 ELSE round({side}({parts}) * {unit}, 12) END"


def _holds(value: float, operator: str, number: float) -> bool:
    if operator[0] == ">":
        return value >= number if operator == ">=" else value > number
    return value <= number if operator == "<=" else value < number
