"""Rule sets for tests, written as authors write them."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from gatehouse.conditions.catalogue import VELOCITY
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.ruleset import RuleSet


class Listed:
    """Lists by name."""

    def __init__(self, lists: Mapping[str, set[str]] | None = None) -> None:
        self._lists = lists or {}

    def has(self, name: str, value: str, at_ms: int) -> bool:
        return value in self._lists.get(name, ())


NO_LISTS = Listed()


# To read a condition takes milliseconds, and many tests write the same ones.
@lru_cache(maxsize=64)
def rules(*lines: str, more: str = "") -> RuleSet:
    """A rule set with a rule for each line: name, outcome, marks, a colon and the condition."""
    entries = []
    for line in lines:
        head, _, condition = line.partition(": ")
        name, outcome, *marks = head.split()
        options = "".join(f", {mark}: true" for mark in marks)
        entries.append(
            f"  - {{name: {name}, outcome: {outcome}{options}, condition: '{condition}'}}"
        )
    listed = "\n".join(entries)
    return read_rule_set(f"rule_set: mine\n{more}\nrules:\n{listed}\n".encode())


def compiled(*lines: str) -> CompiledRuleSet:
    return CompiledRuleSet(rules(*lines), 7)


def velocity(group: str, **measures: float) -> dict[str, Any]:
    """The signals of one group; what is not given is 0."""
    layout = VELOCITY[group]
    assert measures.keys() <= set(layout)
    return {f"velocity.{group}": [measures.get(name, 0) for name in layout]}
