"""How the rules of a set are put in order on their page: sorted, grouped, some left out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from gatehouse.admin.figures.use_cases.rule_figures import RuleHits, RuleSetHits
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.ruleset import Rule, RuleSet, RuleState

GROUPS: Final = ("", "outcome", "state")
STATES: Final = ("", *(each.value for each in RuleState))


class RuleRow(msgspec.Struct, frozen=True):
    """A rule with its figures; one that the set does not have any more has figures alone."""

    name: str
    rule: Rule | None
    figures: RuleHits | None

    @property
    def hits(self) -> int:
        """Requests that it matched, also while it only watched."""
        return 0 if self.figures is None else self.figures.hits + self.figures.shadow_hits


class RuleOrder(msgspec.Struct, frozen=True):
    """What was chosen for the list."""

    sort: str = ""
    group: str = ""
    state: str = ""
    hit_only: bool = False

    @classmethod
    def chosen(cls, query: Mapping[str, str]) -> "RuleOrder":
        """What the query names; anything else is as usual."""

        def one_of(name: str, known: Sequence[str]) -> str:
            return query.get(name, "") if query.get(name, "") in known else ""

        sort, group = one_of("sort", SORTS), one_of("group", GROUPS)
        return cls(sort, group, one_of("state", STATES), bool(query.get("hit")))


def _largest(amounts: Mapping[str, int]) -> int:
    return max(amounts.values(), default=0)


_KEYS: Final[Mapping[str, Callable[[RuleRow], Any]]] = {
    "name": lambda row: row.name.lower(),
    "hits": lambda row: -row.hits,
    "precision": lambda row: -(row.figures.precision or 0) if row.figures else 0,
    "caught": lambda row: -_largest(row.figures.caught) if row.figures else 0,
    "held_up": lambda row: -_largest(row.figures.held_up) if row.figures else 0,
}
SORTS: Final = ("", *_KEYS)


def arranged(
    rule_set: RuleSet, hits: RuleSetHits | None, order: RuleOrder
) -> list[tuple[str, list[RuleRow]]]:
    """The rules in groups, each with its name; those that only figures know come last."""
    rules = {rule.name: rule for rule in rule_set.rules}
    figures = {} if hits is None else {each.name: each for each in hits.rules}
    rows = [RuleRow(name, rules.get(name), figures.get(name)) for name in {**rules, **figures}]
    if order.state:
        rows = [row for row in rows if row.rule is not None and row.rule.state == order.state]
    if order.hit_only and hits is not None:
        rows = [row for row in rows if row.hits]
    if order.sort:
        rows.sort(key=_KEYS[order.sort])
    if not order.group:
        return [("", rows)]
    names = tuple(Outcome) if order.group == "outcome" else tuple(RuleState)
    groups = [
        (name.value, [row for row in rows if row.rule and getattr(row.rule, order.group) is name])
        for name in names
    ]
    groups.append(("gone", [row for row in rows if row.rule is None]))
    return [(name, found) for name, found in groups if found]
