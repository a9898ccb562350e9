"""What is wrong with the rules of a set, found in what they match together.

Every finding is a pure conclusion from the groups of requests that the same rules match, and from
what other thresholds would match. It names figures, and never changes a rule.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Final, NamedTuple

from gatehouse.backtest.report import CATCHING
from gatehouse.backtest.run import MatchGroup
from gatehouse.backtest.thresholds import ThresholdTally
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import Phrase, number_text
from gatehouse.rules.ruleset import Rule, RuleState
from gatehouse.sentry.costs import WHOLE, CostTerms, loss, micros_of, rounded

_NEVER: Final = Phrase("hygiene.never", "It matches none of {count} requests.")
_COVERED: Final = Phrase(
    "hygiene.covered",
    "{share} of its {count} hits are hits of {other}, too, which decides at least as strictly: "
    "without it, those would be decided alike.",
)
_CONTRADICTS: Final = Phrase(
    "hygiene.contradicts",
    "It accepts {count} requests that {other} stops. The stricter one decides, unless one of them "
    "is final.",
)
_COSTLY: Final = Phrase(
    "hygiene.costly",
    "{precision} of its {count} labelled hits are fraud. Stopping them costs {cost} and "
    "saves {saved}, by the costs of the account.",
)
_THRESHOLD: Final = Phrase(
    "hygiene.threshold",
    "With {signal} {operator} {new} instead of {old} it would hit {fraud} frauds instead of "
    "{fraud_now}, and {legitimate} legitimate orders instead of {legitimate_now}.",
)
FEWEST_HITS: Final = 20
"""With fewer hits, or labels, nothing is concluded."""
COVERED: Final = 0.95
_BETTER: Final = 0.9
"""How many wrong hits a better threshold leaves at most, or how few frauds it finds more."""
_STRICT: Final = {Outcome.ACCEPT: 0, Outcome.REVIEW: 1, Outcome.DECLINE: 2}


class FindingWriter(NamedTuple):
    """How figures are written in the sentences of findings."""

    percent: Callable[[float], str]
    money: Callable[[int, str], str]
    """Of millionths of a currency."""


class FindingKind(StrEnum):
    """What is wrong."""

    NEVER = "never"
    COVERED = "covered"
    CONTRADICTS = "contradicts"
    COSTLY = "costly"
    THRESHOLD = "threshold"


class BetterThreshold(CamelStruct):
    """A number that would do better."""

    signal: str
    operator: str
    old: float
    new: float


class RuleFinding(CamelStruct):
    """One thing that is wrong with a rule."""

    kind: FindingKind
    rule: str
    said: str
    other: str | None = None
    """The other rule that it is about."""
    better: BetterThreshold | None = None


class Overlap(CamelStruct):
    """How many requests two rules both match."""

    rule: str
    other: str
    both: int
    share: float
    """Of the hits of the first."""


class MatchedTogether:
    """How often rules match, alone and in pairs."""

    def __init__(self, rules: Sequence[Rule], groups: Sequence[MatchGroup]) -> None:
        self.rules: Final = rules
        self.requests: Final = sum(group.requests for group in groups)
        self.hits: Final = Counter[int]()
        self.pairs: Final = Counter[tuple[int, int]]()
        """Requests that two rules match, the earlier one first."""
        self.labels: Final = Counter[tuple[int, bool, str]]()
        """Labelled hits of a rule by label and currency."""
        self.micros: Final = Counter[tuple[int, bool, str]]()
        for group in groups:
            places = sorted(group.places)
            for place in places:
                self.hits[place] += group.requests
                if group.fraud is not None:
                    self.labels[place, group.fraud, group.currency] += group.requests
                    self.micros[place, group.fraud, group.currency] += group.micros
            for pair in combinations(places, 2):
                self.pairs[pair] += group.requests

    def both(self, one: int, other: int) -> int:
        """Requests that both match."""
        return self.pairs[min(one, other), max(one, other)]

    def overlaps(self) -> list[Overlap]:
        """Every pair of rules that match something together, from the view of each."""
        names = [rule.name for rule in self.rules]
        return [
            Overlap(names[one], names[other], count, count / self.hits[one])
            for pair, count in sorted(self.pairs.items(), key=lambda each: -each[1])
            for one, other in (pair, pair[::-1])
        ]


def findings(
    together: MatchedTogether,
    thresholds: Sequence[ThresholdTally],
    costs: CostTerms | None,
    write: FindingWriter,
) -> list[RuleFinding]:
    """All that is wrong with the rules that are asked, in the order of the rules."""
    found = [
        *_never(together),
        *_covered(together, write),
        *_contradicting(together),
        *(_costly(together, costs, write) if costs is not None else ()),
        *_better_thresholds(together, thresholds),
    ]
    places = {rule.name: place for place, rule in enumerate(together.rules)}
    return sorted(found, key=lambda each: places[each.rule])


def _never(together: MatchedTogether) -> Iterator[RuleFinding]:
    for place, rule in enumerate(together.rules):
        if not rule.off and not together.hits[place] and together.requests:
            yield RuleFinding(FindingKind.NEVER, rule.name, _NEVER(count=together.requests))


def _covered(together: MatchedTogether, write: FindingWriter) -> Iterator[RuleFinding]:
    rules = together.rules
    for one, rule in enumerate(rules):
        hits = together.hits[one]
        if rule.off or rule.final or hits < FEWEST_HITS:
            continue
        covering = [
            other
            for other, by in enumerate(rules)
            if other != one
            and by.state is RuleState.LIVE
            and _STRICT[by.outcome] >= _STRICT[rule.outcome]
            and together.both(one, other) >= COVERED * hits
            # Of two that match the same, the later one is told.
            and not (_covers(together, one, other) and one < other)
        ]
        if covering:
            widest = max(covering, key=lambda other: together.both(one, other))
            share, name = together.both(one, widest) / hits, rules[widest].name
            said = _COVERED(share=write.percent(share), count=hits, other=name)
            yield RuleFinding(FindingKind.COVERED, rule.name, said, name)


def _covers(together: MatchedTogether, one: int, other: int) -> bool:
    """Whether the first rule covers the second one as well."""
    first, second = together.rules[one], together.rules[other]
    return (
        first.state is RuleState.LIVE
        and not second.final
        and _STRICT[first.outcome] >= _STRICT[second.outcome]
        and together.hits[other] >= FEWEST_HITS
        and together.both(one, other) >= COVERED * together.hits[other]
    )


def _contradicting(together: MatchedTogether) -> Iterator[RuleFinding]:
    for one, rule in enumerate(together.rules):
        for other, by in enumerate(together.rules):
            both = together.both(one, other) if one != other else 0
            opposed = rule.outcome is Outcome.ACCEPT and by.outcome is Outcome.DECLINE
            if both and opposed and not rule.off and not by.off:
                said = _CONTRADICTS(count=both, other=by.name)
                yield RuleFinding(FindingKind.CONTRADICTS, rule.name, said, by.name)


def _costly(
    together: MatchedTogether, costs: CostTerms, write: FindingWriter
) -> Iterator[RuleFinding]:
    """Rules whose stopping costs more than it saves, by what the account says of costs."""
    unit = micros_of(1, costs.currency)
    for place, rule in enumerate(together.rules):
        frauds = together.labels[place, True, costs.currency]
        goods = together.labels[place, False, costs.currency]
        if rule.off or rule.outcome not in CATCHING or frauds + goods < FEWEST_HITS:
            continue
        lost = together.micros[place, True, costs.currency] // unit
        # The loss of all frauds together: the fee of each, and shares of their amounts.
        saved = loss(costs, lost) + (frauds - 1) * costs.chargeback_fee * WHOLE if frauds else 0
        if rule.outcome is Outcome.REVIEW:
            saved = rounded(saved * costs.review_finds, WHOLE * WHOLE)
            spent = costs.review_cost * (frauds + goods)
        else:
            saved = rounded(saved, WHOLE)
            turned_away = together.micros[place, False, costs.currency] // unit
            spent = rounded(costs.margin * turned_away, WHOLE)
        if spent > saved:
            said = _COSTLY(
                precision=write.percent(frauds / (frauds + goods)),
                count=frauds + goods,
                cost=write.money(spent * unit, costs.currency),
                saved=write.money(saved * unit, costs.currency),
            )
            yield RuleFinding(FindingKind.COSTLY, rule.name, said)


def _better_thresholds(
    together: MatchedTogether, tallies: Sequence[ThresholdTally]
) -> Iterator[RuleFinding]:
    for tally in tallies:
        rule, threshold = together.rules[tally.threshold.place], tally.threshold
        new = better_number(tally) if rule.outcome in CATCHING else None
        if new is None:
            continue
        now, then = tally.matched(threshold.number), tally.matched(new)
        said = _THRESHOLD(
            signal=threshold.signal,
            operator=threshold.operator,
            new=number_text(new),
            old=number_text(threshold.number),
            fraud=then[0],
            fraud_now=now[0],
            legitimate=then[1],
            legitimate_now=now[1],
        )
        better = BetterThreshold(threshold.signal, threshold.operator, threshold.number, new)
        yield RuleFinding(FindingKind.THRESHOLD, rule.name, said, better=better)


def better_number(tally: ThresholdTally) -> float | None:
    """A number with clearly fewer wrong hits and no fraud less, or with more frauds for the same.

    None where there is none, or too few labels to say.
    """
    frauds, goods = tally.matched(tally.threshold.number)
    if frauds + goods < FEWEST_HITS or not frauds:
        return None
    known = {each.value: tally.matched(each.value) for each in tally.values}
    fewer = {
        value: (wrong, -right)
        for value, (right, wrong) in known.items()
        if right >= frauds and wrong <= goods * _BETTER and wrong < goods
    }
    if fewer:
        return min(fewer, key=fewer.__getitem__)
    more = {
        value: (-right, wrong)
        for value, (right, wrong) in known.items()
        if wrong <= goods and right * _BETTER >= frauds and right > frauds
    }
    return min(more, key=more.__getitem__) if more else None
