"""Finds the smallest changes that would have changed a decision, by judging again with each.

The search is bounded: single changes first, then pairs of them, up to a number of judgements.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import Final, NamedTuple

from gatehouse.conditions.nodes import Condition
from gatehouse.core.stages.outcomes import Outcome, is_weaker
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.explanations.alternatives import (
    EXEMPTED,
    Alternative,
    RequestFacts,
    Thresholds,
    alternatives,
)
from gatehouse.explanations.bounds import Bound, bound_words, numbers_beyond
from gatehouse.explanations.in_force import InForce
from gatehouse.explanations.phrases import COMPLETED
from gatehouse.explanations.replay import DecisionReplay, Difference, JudgedAgain
from gatehouse.rules.ruleset import Rule

MOST_JUDGEMENTS: Final = 1500
MOST_SINGLE: Final = 300
MOST_PAIRED: Final = 40
_FEW: Final = 6
_MOST_SHOWN: Final = 5
_MOST_NEAR: Final = 3
_MOST_MILDER: Final = 2
_MOST_THRESHOLDS: Final = 20

Tried = tuple[Alternative, JudgedAgain]
"""An alternative, and what it would have led to."""


class FoundChange(NamedTuple):
    """One or two alternatives, and what they would have led to."""

    parts: tuple[Alternative, ...]
    judged: JudgedAgain
    conditions: tuple[str, ...]
    """In words."""


class SearchResult(NamedTuple):
    """What was found, and how far it was looked for."""

    found: list[FoundChange]
    singles: int
    pairs: int
    exhausted: bool
    """Whether everything that was to be tried was tried."""


class ChangeSearch:
    """Looks for what would have changed one decision."""

    def __init__(self, replay: DecisionReplay, base: JudgedAgain, in_force: InForce) -> None:
        self._replay = replay
        self._base = base
        self._in_force = in_force
        self._judgements = 0
        self._recorded = RequestFacts(replay.values, replay.is_listed)

    @cached_property
    def _thresholds(self) -> Thresholds:
        sets = self._replay.rule_sets.values()
        every = [rule.condition for each in sets for rule in each.rules]
        return Thresholds().note([*every, *self._of_stages()])

    def weaker(self) -> SearchResult:
        """What would have led to a milder decision."""
        tried, whole = self._singles()
        found: list[FoundChange] = []
        for one, judged in sorted(tried, key=lambda each: (each[0].parts, each[0].distance)):
            milder = is_weaker(judged.decision, self._base.decision)
            if milder and not any(_says_more(each, one, judged) for each in found):
                found.append(self._single(one, judged))
        accepting = [each for each in found if _accepts(each)]
        others = [each for each in found if not _accepts(each)]
        # An exemption says nothing about the request, so pairs are still of interest.
        real = [each for each in accepting if each.parts[0].distance < EXEMPTED]
        exempted = [each for each in accepting if each not in real]
        before = self._judgements
        pairs, all_pairs = ([], True) if real else self._pairs(tried)
        shown = [*real, *others[:_MOST_MILDER], *pairs, *exempted]
        whole, number = whole and all_pairs, self._judgements - before
        return SearchResult(shown[:_MOST_SHOWN], len(tried), number, whole)

    def _singles(self) -> tuple[list[Tried], bool]:
        """Single changes with what they lead to, and whether none was left out."""
        tried: list[Tried] = []
        whole = True
        for group in self._groups():
            if self._judgements >= MOST_SINGLE:
                return tried, False
            if len(group) <= _FEW:
                tried += self._try(group)
            elif self._is_milder(farthest := self._try(group[-1:])[0]):
                tried += [farthest, *self._bisected(group, farthest[1].decision)]
            else:
                # Where the farthest number changes nothing, nearer ones seldom do.
                tried += [farthest, *self._try(group[: _FEW // 2])]
                whole = False
        return tried, whole

    def _groups(self) -> list[list[Alternative]]:
        """Alternatives, those apart that differ in how far they go, nearest first.

        What most of the rules look at comes first: it can stop the most of them.
        """
        conditions = self._looked_at()
        named = Counter(name for each in conditions for name in each.signals)
        groups: dict[tuple[str, object], list[Alternative]] = {}
        found = [*self._of_results(), *alternatives(conditions, self._recorded)]
        for one in sorted(found, key=lambda each: each.distance):
            which = one.condition if one.bound is None else one.bound.upwards
            groups.setdefault((one.key, which), []).append(one)
        return sorted(groups.values(), key=lambda group: -named.get(group[0].key, len(conditions)))

    def _bisected(self, group: list[Alternative], decision: Outcome) -> list[Tried]:
        """The nearest of a group that leads to this decision, if farther ones do so, too."""
        tried, low, high = [], 0, len(group) - 1
        while low < high:
            middle = (low + high) // 2
            tried += self._try(group[middle : middle + 1])
            if tried[-1][1].decision is decision:
                high = middle
            else:
                low = middle + 1
        return tried

    def _try(self, some: Iterable[Alternative]) -> list[Tried]:
        return [(one, self._judge(one.difference)) for one in some]

    def _is_milder(self, tried: Tried) -> bool:
        return is_weaker(tried[1].decision, self._base.decision)

    def nearest(self) -> SearchResult:
        """The numbers that came closest to a stricter decision."""
        rules = [
            rule.condition
            for place, matched in self._base.matched.items()
            for rule in self._rules_at(place)
            if rule.name not in matched and not rule.shadow and rule.outcome is not Outcome.ACCEPT
        ]
        proposed = [
            one for one in alternatives(rules, self._recorded) if one.bound and one.distance < 1
        ]
        proposed.sort(key=lambda one: one.distance)
        found: list[FoundChange] = []
        for one in proposed[:MOST_SINGLE]:
            if len(found) == _MOST_NEAR:
                break
            if not any(_covers(each, one) for each in found):
                judged = self._judge(one.difference)
                if is_weaker(self._base.decision, judged.decision):
                    found.append(self._single(one, judged))
        return SearchResult(found, len(proposed), 0, len(proposed) <= MOST_SINGLE)

    def _looked_at(self) -> list[Condition]:
        """What decided, and what could have decided alone or ended the pipeline."""
        rules = [
            rule.condition
            for place, matched in self._base.matched.items()
            for rule in self._rules_at(place)
            if not rule.shadow and (rule.name in matched or rule.final)
        ]
        return [*rules, *self._of_stages()]

    def _of_stages(self) -> list[Condition]:
        """The conditions by which stages of the pipeline stop or are skipped."""
        pairs = [(each.skip_when, each.stop_when) for each in self._replay.definition.stages]
        return [each for pair in pairs for each in pair if each is not None]

    def _of_results(self) -> Iterable[Alternative]:
        """What stages say themselves that they could have found."""
        for place, stage in self._replay.recorded.items():
            spec = REGISTRY[self._replay.definition.stages[place].stage]
            if not stage.completed:
                done = {f"{spec.signals.prefix}.completed": True}
                yield Alternative(spec.name, COMPLETED(stage=spec.name), Difference(done))
                continue
            told, program = self._in_force.told_of(stage)
            if told is not None and told.changes is not None:
                for each in told.changes(stage.result, program):
                    changed = Difference(each.signals)
                    yield Alternative(
                        spec.name,
                        each.condition,
                        changed,
                        consequence=each.consequence,
                        parts=each.parts,
                    )

    def _pairs(self, tried: Sequence[Tried]) -> tuple[list[FoundChange], bool]:
        """Pairs of changes that lead to ACCEPT; those first that stop most rules together."""
        single = [
            (one, judged)
            for one, judged in tried
            if one.parts == 1 and judged.decision is not Outcome.ACCEPT
        ]
        stopped = [(one, self._stopped(judged)) for one, judged in single]
        stopped.sort(key=lambda each: -len(each[1]))
        some = stopped[:MOST_PAIRED]
        pairs = [pair for pair in combinations(some, 2) if _are_apart(pair[0][0], pair[1][0])]
        pairs.sort(
            key=lambda pair: (
                -len(pair[0][1] | pair[1][1]),
                pair[0][0].distance + pair[1][0].distance,
            )
        )
        found: list[FoundChange] = []
        for (one, _), (other, _) in pairs:
            if self._judgements >= MOST_JUDGEMENTS or len(found) == _MOST_NEAR:
                return found, len(found) == _MOST_NEAR
            if any(_covers(each, one) and _covers(each, other) for each in found):
                continue
            judged = self._judge(one.difference.with_more(other.difference))
            if judged.decision is Outcome.ACCEPT:
                found.append(FoundChange((one, other), judged, (one.condition, other.condition)))
        return found, len(some) == len(stopped)

    def _stopped(self, judged: JudgedAgain) -> frozenset[tuple[int, str]]:
        """The rules, and the stages with another verdict, that a change alone takes away."""
        rules = {
            (place, name)
            for place, names in self._base.matched.items()
            for name in set(names) - set(judged.matched.get(place, ()))
        }
        for place, vote in self._base.votes.items():
            if is_weaker(judged.votes.get(place, Outcome.ACCEPT), vote):
                rules.add((place, ""))
        return frozenset(rules)

    def _single(self, one: Alternative, judged: JudgedAgain) -> FoundChange:
        words = one.condition
        if one.bound is not None and self._holds_beyond(one.bound, judged):
            words = bound_words(one.bound, exact=False)
        return FoundChange((one,), judged, (words,))

    def _holds_beyond(self, bound: Bound, judged: JudgedAgain) -> bool:
        """Whether every number beyond a bound would have led to the same."""
        thresholds = self._thresholds.numbers.get(bound.signal, set())
        if bound.signal in self._thresholds.elsewhere or len(thresholds) > _MOST_THRESHOLDS:
            return False
        return all(
            _same(self._judge(Difference({bound.signal: number})), judged)
            for number in numbers_beyond(bound, thresholds)
        )

    def _rules_at(self, place: int) -> Sequence[Rule]:
        name = self._replay.definition.stages[place].rule_set
        return () if name is None else self._replay.rule_sets[name].rules

    def _judge(self, difference: Difference) -> JudgedAgain:
        self._judgements += 1
        return self._replay.judge(difference)


def _same(one: JudgedAgain, other: JudgedAgain) -> bool:
    return (one.decision, one.not_asked) == (other.decision, other.not_asked)


def _accepts(found: FoundChange) -> bool:
    return found.judged.decision is Outcome.ACCEPT


def _are_apart(one: Alternative, other: Alternative) -> bool:
    """Whether two alternatives can both be so."""
    both = one.difference.signals.keys() & other.difference.signals.keys()
    return one.key != other.key and not both


def _says_more(found: FoundChange, one: Alternative, judged: JudgedAgain) -> bool:
    """Whether a smaller change leads at least as far."""
    return _covers(found, one) and not is_weaker(judged.decision, found.judged.decision)


def _covers(found: FoundChange, one: Alternative) -> bool:
    """Whether a change that was found says as much as an alternative that is larger."""
    for part in found.parts:
        if part.key != one.key:
            continue
        if part.bound is not None and one.bound is not None:
            return part.bound.upwards == one.bound.upwards
        return one.parts > part.parts or part.key in one.difference.signals
    return False
