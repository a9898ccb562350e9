"""Counts how often each rule of a rule set matched, and what came of it."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Final

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.stages.outcomes import Outcome, strongest
from gatehouse.figures.account_columns import DECISIONS, AccountColumns, Coverage
from gatehouse.figures.buckets import Borders, Bucket, FigureSpan, Part
from gatehouse.figures.engine import ColumnConnection
from gatehouse.figures.kept_parts import Rows, parts_of
from gatehouse.figures.span_parts import within_parts
from gatehouse.figures.workspace import text
from gatehouse.rules.ruleset import Rule, RuleSet

_STOPPED: Final = (Outcome.REVIEW, Outcome.DECLINE)


class RuleHits(CamelStruct):
    """What one rule did in a span."""

    name: str
    outcome: Outcome | None
    """None for a rule that the rule set does not have any more."""
    final: bool
    shadow: bool
    """Whether it only watches by now."""
    hits: int
    shadow_hits: int
    """Requests that it matched while it only watched."""
    trend: tuple[int, ...]
    """Hits of both kinds for each part of the span."""
    outcomes: dict[str, int]
    """How the requests that it matched were decided in the end."""
    fraud: int
    legitimate: int
    would_change: int
    """Requests that it would have decided more strictly, had it not only watched."""
    caught: dict[str, int]
    """Amounts of labelled fraud that it stopped, in millionths by currency."""
    held_up: dict[str, int]
    """Amounts of legitimate orders that it stopped; of a shadow, both are what it would stop."""

    @property
    def precision(self) -> float | None:
        """The share of fraud among what it matched and has a label."""
        labelled = self.fraud + self.legitimate
        return self.fraud / labelled if labelled else None


class RuleSetHits(CamelStruct):
    """What the rules of a rule set did in a span."""

    rule_set: str
    since_ms: int
    until_ms: int
    bucket: Bucket
    starts_ms: tuple[int, ...]
    """Where the parts of the span begin."""
    coverage: Coverage
    judged: int
    """Requests that the rule set judged."""
    rules: tuple[RuleHits, ...]


class _Tally:
    """What is counted for one rule."""

    def __init__(self) -> None:
        self.hits: Counter[bool] = Counter()
        """By whether it only watched."""
        self.trend: Counter[int] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.labels: Counter[bool | None] = Counter()
        self.watched: Counter[str | None] = Counter()
        """How requests were decided where it only watched."""
        self.money: defaultdict[tuple[bool, bool], Counter[str]] = defaultdict(Counter)
        """Amounts of what was stopped, or would be, by whether it watched and was fraud."""

    def add(self, start: int, row: tuple[Any, ...]) -> None:
        shadow, outcome, decided, fraud, currency, amount, count = row
        self.hits[shadow] += count
        self.trend[start] += count
        self.outcomes[outcome or "-"] += count
        self.labels[fraud] += count
        if shadow:
            self.watched[decided] += count
        if fraud is not None and amount and (shadow or decided in _STOPPED):
            self.money[shadow, fraud][currency or ""] += int(amount * MICROS_PER_UNIT)


def count_hits(
    columns: AccountColumns, rule_set: RuleSet, span: FigureSpan, bucket: Bucket | None = None
) -> RuleSetHits:
    """What the rules did; those that are not in the rule set any more come last."""
    bucket = bucket or span.usual_bucket
    borders = Borders(span, bucket)
    tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
    parts, changes, judged = parts_of(span, bucket), columns.parts.changes, 0
    with columns.reading() as asking:
        coverage = columns.coverage
        found = columns.parts.rows(
            ("hits", rule_set.name), parts, changes, lambda some: _hits(asking, rule_set.name, some)
        )
    for (start_ms, _), rows in found.items():
        start = borders.starts[bisect_right(borders.starts, start_ms) - 1]
        for name, *row in rows:
            if name is None:
                judged += row[-1]
            else:
                tallies[name].add(start, tuple(row))
    rules = {rule.name: rule for rule in rule_set.rules}
    names = [*rules, *sorted(set(tallies) - set(rules))]
    return RuleSetHits(
        rule_set=rule_set.name,
        since_ms=span.since_ms,
        until_ms=span.until_ms,
        bucket=bucket,
        starts_ms=tuple(borders.starts),
        coverage=coverage,
        judged=judged,
        rules=tuple(_figures(each, rules.get(each), tallies[each], borders) for each in names),
    )


def _hits(asking: ColumnConnection, rule_set: str, parts: Sequence[Part]) -> Rows:
    """Hits of parts, counted by all that matters, and without a name, what the set judged."""
    these = within_parts(asking, DECISIONS, parts)
    of_set = text(f"{rule_set}/")
    matched = " UNION ALL ".join(
        f"SELECT start, unnest({column}) AS match, {shadow} AS shadow, outcome, decided, fraud, "  # noqa: S608
        # Only the money of what has a label is told.
        f"CASE WHEN fraud IS NOT NULL THEN currency END AS currency, "
        f"CASE WHEN fraud IS NOT NULL THEN amount END AS amount FROM {these} AND len({column}) > 0"
        for column, shadow in (("matched", "FALSE"), ("shadow", "TRUE"))
    )
    judged = f"list_bool_or(list_transform(rule_sets, lambda each: starts_with(each, {of_set})))"
    # A match names the rule set, its version and the rule.
    rest = f"substr(match, {len(rule_set) + 2})"
    return asking.ask(
        f"SELECT start, substr({rest}, strpos({rest}, '/') + 1) AS name, shadow, outcome, "  # noqa: S608
        f"decided, fraud, currency, sum(amount), count(*) FROM ({matched}) "
        f"WHERE starts_with(match, {of_set}) GROUP BY ALL UNION ALL "
        "SELECT start, NULL, FALSE, NULL, NULL, NULL, NULL, NULL, count(*) "
        f"FROM {these} AND {judged} GROUP BY start"
    )


def _figures(name: str, rule: Rule | None, tally: _Tally, borders: Borders) -> RuleHits:
    watches, stops = rule is not None and rule.shadow, rule is None or rule.outcome in _STOPPED
    return RuleHits(
        name=name,
        outcome=None if rule is None else rule.outcome,
        final=rule is not None and rule.final,
        shadow=rule is not None and rule.shadow,
        hits=tally.hits[False],
        shadow_hits=tally.hits[True],
        trend=tuple(tally.trend[start] for start in borders.starts),
        outcomes=dict(tally.outcomes),
        fraud=tally.labels[True],
        legitimate=tally.labels[False],
        would_change=_would_change(rule, tally),
        caught=dict(tally.money[watches, True]) if stops else {},
        held_up=dict(tally.money[watches, False]) if stops else {},
    )


def _would_change(rule: Rule | None, tally: _Tally) -> int:
    """How many requests a rule that watches would have decided differently."""
    if rule is None:
        return 0
    return sum(
        count
        for decided, count in tally.watched.items()
        if decided is not None and decided != _with(rule, Outcome(decided))
    )


def _with(rule: Rule, decided: Outcome) -> Outcome:
    return rule.outcome if rule.final else strongest([rule.outcome, decided])
