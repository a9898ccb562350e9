"""What the rules of a set decide together about one request."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from gatehouse.conditions.compile_python import Lists, Matcher, compile_conditions
from gatehouse.core.stages.outcomes import Outcome, strongest
from gatehouse.rules.response import Matched
from gatehouse.rules.ruleset import RuleSet

_MOST_REMEMBERED: Final = 2048
"""Which rules match is seldom new, so what follows from it is worked out once."""


class Judgement(msgspec.Struct, frozen=True):
    """What a rule set says: the decision, and every rule that had a part in it or was watched."""

    status: Outcome
    matched: tuple[Matched, ...]
    shadow: tuple[Matched, ...]
    tags: tuple[str, ...]
    word: str
    """The decision as records have it."""
    names: list[str]
    """Of the rules that matched."""
    shadow_names: list[str]
    final_by: str | None = None
    """The rule that decided alone, if one did."""


class CompiledRuleSet:
    """A rule set made ready to judge requests."""

    def __init__(self, rule_set: RuleSet, version: int) -> None:
        self.name = rule_set.name
        self.version = version
        self.rules = rule_set.rules
        asked = [place for place, rule in enumerate(self.rules) if not rule.off]
        self._matching = self._compiled(asked)
        self._matched = [
            Matched(rule.name, rule_set.name, version, rule.outcome, rule.tags)
            for rule in rule_set.rules
        ]
        self._remembered: dict[tuple[int, ...], Judgement] = {}
        self._parts: dict[tuple[int, ...], Matcher] = {}

    def judge(self, signals: Mapping[str, Any], lists: Lists, at_ms: int) -> Judgement:
        """The decision about one request, and the rules that matched, in their order."""
        return self.conclude(tuple(self._matching(signals, lists, at_ms)))

    def matching(self, places: Sequence[int]) -> Matcher:
        """Asks the rules at these places of the set, ascending, and returns those that match."""
        if len(places) == len(self.rules):
            return self._matching
        key = tuple(places)
        known = self._parts.get(key)
        if known is None:
            known = self._parts[key] = self._compiled([p for p in key if not self.rules[p].off])
        return known

    def _compiled(self, places: Sequence[int]) -> Matcher:
        return compile_conditions([self.rules[place].condition for place in places], places)

    def conclude(self, which: tuple[int, ...]) -> Judgement:
        """What follows from the rules that matched, by their places in the set, ascending."""
        known = self._remembered.get(which)
        if known is None:
            known = self._conclude(which)
            if len(self._remembered) < _MOST_REMEMBERED:
                self._remembered[which] = known
        return known

    def _conclude(self, which: tuple[int, ...]) -> Judgement:
        live = [index for index in which if not self.rules[index].shadow]
        deciding = next((self.rules[index] for index in live if self.rules[index].final), None)
        outcomes = [self.rules[index].outcome for index in live]
        shadow = [index for index in which if self.rules[index].shadow]
        status = strongest(outcomes) if deciding is None else deciding.outcome
        return Judgement(
            status,
            tuple([self._matched[index] for index in live]),
            tuple([self._matched[index] for index in shadow]),
            tuple(dict.fromkeys(tag for index in live for tag in self.rules[index].tags)),
            status.value,
            [self.rules[index].name for index in live],
            [self.rules[index].name for index in shadow],
            None if deciding is None else deciding.name,
        )
