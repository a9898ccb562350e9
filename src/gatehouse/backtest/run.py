"""Judges requests by a rule set, with SQL, and counts what came of it.

Requests that match the same rules, with the same label and currency, are counted together once,
and every figure is made from these counts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from gatehouse.backtest.decision_sql import BITS, DecisionSql
from gatehouse.backtest.report import (
    CATCHING,
    BacktestReport,
    DecisionShift,
    Example,
    Judged,
    LabelTally,
    RuleFigures,
)
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import NotFound
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.wording.sentences import Phrase
from gatehouse.rules.ruleset import Rule, RuleSet
from gatehouse.store.decisions.records import RecordCounts, RecordSpan

_BACKTEST_UNRECORDED: Final = Phrase(
    "refused.backtest_unrecorded",
    "{signal} was not recorded in any of these requests, so it is NULL for the rules "
    "that speak of it ({rules})",
)
_BACKTEST_OTHERS: Final = Phrase(
    "refused.backtest_others", "; {others} other records keep no signals for rules"
)
_BACKTEST_NOTHING: Final = Phrase(
    "refused.backtest_nothing", "no requests that rules could judge from {since} to {until}{hint}"
)

Ask = Callable[[str], list[tuple[Any, ...]]]
"""Runs a statement; its rows."""

_MOST_GROUPS: Final = 50_000
UNDECIDED: Final = "-"
"""Stands for a decision that was not recorded."""


class ShiftedRequest(NamedTuple):
    """A request that would be decided differently."""

    request_id: str
    before: str
    after: str


class MatchGroup(NamedTuple):
    """Requests that the same rules match, with the same label and currency."""

    places: frozenset[int]
    """Of the rules that match, in the set."""
    fraud: bool | None
    currency: str
    requests: int
    micros: int


class Judge:
    """One rule set and the requests that it judges."""

    def __init__(self, ask: Ask, rule_set: RuleSet, unknown: Sequence[str]) -> None:
        """`unknown` are the signals that are NULL in every request."""
        self._ask = ask
        self._rule_set = rule_set
        self._rules = rule_set.rules
        self._sql = DecisionSql(rule_set.rules)
        self._unknown = unknown

    def run(
        self, requests: str, loaded: RecordCounts, span: tuple[int, int], examples: int
    ) -> BacktestReport:
        """Judge the requests that a query finds; `examples` is how many are shown of each change.

        The query has the columns that conditions name, and those that every request has.
        """
        self._match(requests)
        fraud, labels = self._labels()
        before, after, changes = self._compare(fraud)
        return BacktestReport(
            rule_set=self._rule_set.name,
            since_ms=span[0],
            until_ms=span[1],
            records=loaded.records,
            skipped=loaded.skipped,
            unreadable=loaded.unreadable,
            labelled=labels,
            labelled_fraud=fraud,
            before=before,
            after=after,
            rules=tuple(
                figures
                for first in range(0, len(self._rules), BITS)
                for figures in self._figures(first, fraud)
            ),
            changes=changes,
            examples=self._examples(examples) if examples else (),
            warnings=tuple(map(self._unknown_warning, self._unknown)),
        )

    def shifted(self) -> list[ShiftedRequest]:
        """Every request that would be decided differently, after they were judged."""
        rows = self._ask(
            f"SELECT request_id, decided, now FROM {self._sql.decided('judged')} "  # noqa: S608
            f"WHERE decided <> now AND decided <> '{UNDECIDED}'"
        )
        return [ShiftedRequest(*row) for row in rows]

    def groups(self) -> list[MatchGroup]:
        """All requests by the rules that match them, after they were judged."""
        columns = ", ".join(self._sql.columns) or "0"
        rows = self._ask(
            f"SELECT fraud, currency, sum(requests), sum(amount), {columns} FROM grouped "  # noqa: S608
            f"GROUP BY fraud, currency, {columns} ORDER BY 3 DESC LIMIT {_MOST_GROUPS}"
        )
        return [
            MatchGroup(self._places(bits), fraud, currency, int(count), _micros(amount))
            for fraud, currency, count, amount, *bits in rows
        ]

    def _match(self, requests: str) -> None:
        """Work out which rules match which requests, and count those that match the same."""
        self._ask(
            "CREATE TEMP TABLE judged AS SELECT request_id, "  # noqa: S608  # conditions were checked
            f"coalesce(decided, '{UNDECIDED}') AS decided, fraud, "
            f"coalesce(currency, '') AS currency, amount, {self._sql.match_columns()} "
            f"FROM ({requests})"
        )
        grouped = (
            "(SELECT * EXCLUDE (request_id, amount), count(*) AS requests, "
            "coalesce(sum(amount), 0) AS amount FROM judged GROUP BY ALL)"
        )
        self._ask(f"CREATE TEMP TABLE grouped AS {self._sql.decided_without_final(grouped)}")

    def _labels(self) -> tuple[int, int]:
        query = (
            "SELECT coalesce(sum(requests) FILTER (WHERE fraud), 0), "
            "coalesce(sum(requests) FILTER (WHERE fraud IS NOT NULL), 0) FROM grouped"
        )
        [(fraud, labels)] = self._ask(query)
        return int(fraud), int(labels)

    def _unknown_warning(self, signal: str) -> str:
        rules = ", ".join(rule.name for rule in self._rules if _needs(rule, signal))
        return _BACKTEST_UNRECORDED(signal=signal, rules=rules)

    def _figures(self, first: int, fraud: int) -> Iterator[RuleFigures]:
        """The figures of the rules in one whole number, all from one query."""
        rules = self._rules[first : first + BITS]
        sums = []
        for place in range(first, first + len(rules)):
            matches = self._sql.matches(place)
            for what, which in (
                ("requests", matches),
                ("amount", matches),
                ("requests", f"{matches} AND {self._sql.is_decisive(place)}"),
            ):
                sums.append(f"coalesce(sum({what}) FILTER (WHERE {which}), 0)")
        rows = self._ask(
            f"SELECT fraud, currency, {', '.join(sums)} FROM grouped "  # noqa: S608  # bits only
            "GROUP BY fraud, currency ORDER BY fraud, currency"
        )
        for number, rule in enumerate(rules):
            tally, decisive = LabelTally(), 0
            for label, currency, *figures in rows:
                count, amount, alone = figures[3 * number : 3 * number + 3]
                tally.add(int(count), label, currency, _micros(amount))
                decisive += int(alone)
            catches = rule.outcome in CATCHING
            yield RuleFigures(
                name=rule.name,
                outcome=rule.outcome,
                final=rule.final,
                shadow=rule.shadow,
                matches=tally.requests.total(),
                decisive=decisive,
                fraud=tally.requests[True],
                legitimate=tally.requests[False],
                precision=tally.precision,
                recall=tally.recall(fraud),
                caught=tally.amounts[True] if catches else {},
                lost=tally.amounts[False] if catches else {},
                unknown=tuple(name for name in self._unknown if _needs(rule, name)),
            )

    def _compare(self, fraud: int) -> tuple[Judged, Judged, tuple[DecisionShift, ...]]:
        rows = self._ask(
            "SELECT decided, now, fraud, currency, sum(requests), sum(amount) FROM grouped "
            "GROUP BY ALL ORDER BY ALL"
        )
        requests: Counter[tuple[str, str]] = Counter()
        amounts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for before, after, _, currency, count, amount in rows:
            requests[before, after] += int(count)
            if amount:
                amounts[before, after][currency] += _micros(amount)
        changes = tuple(
            DecisionShift(*pair, number, amounts[pair]) for pair, number in requests.items()
        )
        return _judged(rows, 0, fraud), _judged(rows, 1, fraud), changes

    def _examples(self, most: int) -> tuple[Example, ...]:
        """The newest requests of each change."""
        columns = ", ".join(self._sql.columns) or "0"
        newest = "row_number() OVER (PARTITION BY decided, now ORDER BY request_id DESC)"
        rows = self._ask(
            f"SELECT request_id, decided, now, {columns} FROM (SELECT *, {newest} AS place "  # noqa: S608
            f"FROM {self._sql.decided('judged')} WHERE decided <> now) WHERE place <= {most} "
            "ORDER BY decided, now, request_id DESC"
        )
        return tuple(
            Example(request_id, before, after, self._names(bits))
            for request_id, before, after, *bits in rows
            if before != UNDECIDED
        )

    def _names(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(self._rules[place].name for place in sorted(self._places(numbers)))

    def _places(self, numbers: Sequence[int]) -> frozenset[int]:
        places = range(len(self._rules))
        return frozenset(each for each in places if numbers[each // BITS] >> each % BITS & 1)


def nothing_to_judge(span: RecordSpan, loaded: RecordCounts) -> NotFound:
    """Why a backtest has no result."""
    others = loaded.looked_at
    hint = _BACKTEST_OTHERS(others=others) if others else ""
    since, until = iso_time(span.since_ms), iso_time(span.until_ms)
    return NotFound(_BACKTEST_NOTHING(since=since, until=until, hint=hint))


def _judged(rows: Iterable[tuple[Any, ...]], which: int, fraud: int) -> Judged:
    outcomes: Counter[str] = Counter()
    tally = LabelTally()
    for row in rows:
        outcome, (label, currency, count, amount) = row[which], row[2:]
        outcomes[outcome] += int(count)
        if outcome in CATCHING:
            tally.add(int(count), label, currency, _micros(amount))
    return Judged(outcomes, tally.precision, tally.recall(fraud), *tally.amounts.values())


def _needs(rule: Rule, signal: str) -> bool:
    return signal in rule.condition.signals or any(
        signal == looked_up for looked_up, _ in rule.condition.lists
    )


def _micros(amount: Any) -> int:
    """A sum of DuckDB's decimals in millionths."""
    return int(amount * MICROS_PER_UNIT)
