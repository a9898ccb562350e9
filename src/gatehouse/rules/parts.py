"""Which rules of a set are judged when: at the place of their stage, or after later stages.

A rule is judged as soon as everything that it names is known. What follows from rules that were
judged at different times is the same as if all had been judged at the end.
"""

from collections.abc import Callable, Iterable

import msgspec

from gatehouse.conditions.compile_python import Matcher
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.rules.decide import CompiledRuleSet


class RulesPart(msgspec.Struct, frozen=True):
    """Rules of one set that are judged at the same time."""

    after: int
    """The place of the stage that they waited for, or of their own stage."""
    matching: Matcher
    overruled_by: int | None = None
    """The first `final` rule that is judged later, and can still overrule what is decided now."""
    names_rules: bool = False
    """Whether one of them speaks of what earlier Rules stages decided."""


def split(
    compiled: CompiledRuleSet,
    place: int,
    judged_after: Callable[[Iterable[str]], int],
    counts_until: int,
) -> tuple[RulesPart, ...]:
    """The parts of a set whose stage is at `place`, the first one for that place itself.

    `judged_after` says when signals are known. From the place `counts_until` on, a payment may
    have been made: a rule that is judged later cannot hold back what was decided before.
    """
    places: dict[int, list[int]] = {place: []}
    for number, rule in enumerate(compiled.rules):
        condition = rule.condition
        names = (*condition.signals, *(signal for signal, _ in condition.lists))
        places.setdefault(judged_after(names), []).append(number)
    return tuple(
        RulesPart(
            after,
            compiled.matching(numbers),
            _first_final(compiled, places, after, counts_until),
            any(_names_rules(compiled, number) for number in numbers),
        )
        for after, numbers in sorted(places.items())
    )


def _first_final(
    compiled: CompiledRuleSet, places: dict[int, list[int]], after: int, counts_until: int
) -> int | None:
    later = [
        number
        for other, numbers in places.items()
        if after < other < counts_until
        for number in numbers
        if compiled.rules[number].final
    ]
    return min(later, default=None)


def _names_rules(compiled: CompiledRuleSet, number: int) -> bool:
    specs = map(REGISTRY.leaving, compiled.rules[number].condition.signals)
    return any(spec is not None and spec.runs_rule_set for spec in specs)
