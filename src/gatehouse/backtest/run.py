"""Judges all loaded requests by a rule set, with DuckDB, and counts what came of it.

Which rules match a request is kept as bits in a few whole numbers. Requests that match alike, with
the same label and currency, are counted together once, and every figure is made from these counts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from gatehouse.backtest.load import (
    SEEN,
    ListLookup,
    LoadCounts,
    Loader,
    SignalSelection,
    question_of,
)
from gatehouse.backtest.report import (
    CATCHING,
    Amounts,
    BacktestReport,
    DecisionShift,
    Example,
    Judged,
    LabelTally,
    RuleFigures,
    unknown_signal,
)
from gatehouse.backtest.workspace import Workplace, open_workplace, quoted
from gatehouse.conditions.compile_sql import to_sql
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import NotFound
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.outcomes import Outcome
from gatehouse.rules.ruleset import Rule, RuleSet
from gatehouse.store.database import Database
from gatehouse.store.decisions.records import RecordSpan, stream

_BITS: Final = 60
"""Rules in one whole number."""
UNDECIDED: Final = "-"
"""Stands for a decision that was not recorded."""


class Backtest(msgspec.Struct, frozen=True):
    """What is tried out, and on which requests."""

    rule_set: RuleSet
    span: RecordSpan
    listed: ListLookup
    labels: Mapping[str, bool]
    """What is known by now: True is fraud, False is legitimate. Wherever it comes from."""
    examples: int = 5
    """How many requests are named of each change."""


def try_out(
    database: Database, trial: Backtest, progress: Callable[[LoadCounts], None]
) -> BacktestReport:
    """What the rule set would have done to the requests of the span."""
    question = question_of(trial.rule_set)
    with open_workplace() as place:
        loader = Loader(place, question, trial.listed, trial.labels)
        loaded = loader.load(stream(database, trial.span), progress)
        if not loaded.records:
            raise NotFound(_nothing(trial.span, loaded))
        judge = Judge(place, trial.rule_set, question)
        return judge.run(loaded, (trial.span.since_ms, trial.span.until_ms), trial.examples)


class Judge:
    """One rule set and the requests that were loaded for it."""

    def __init__(self, place: Workplace, rule_set: RuleSet, question: SignalSelection) -> None:
        self._ask = place.ask
        self._rules = rule_set.rules
        self._question = question
        self._words = [f"m{number}" for number in range(-(-len(self._rules) // _BITS))]

    def run(self, loaded: LoadCounts, span: tuple[int, int], examples: int) -> BacktestReport:
        """Judge everything; `examples` is how many are shown of each change."""
        self._match()
        fraud, labels = self._labels()
        unknown = self._unknown()
        warnings = [
            unknown_signal(signal, [rule.name for rule in self._rules if _needs(rule, signal)])
            for signal in unknown
        ]
        before, after, changes = self._compare(fraud)
        return BacktestReport(
            rule_set=self._question.rule_set,
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
                for first in range(0, len(self._rules), _BITS)
                for figures in self._figures(first, fraud, unknown)
            ),
            changes=changes,
            examples=self._examples(examples) if examples else (),
            warnings=tuple(warnings),
        )

    def _match(self) -> None:
        """Work out which rules match which requests, and count those that match alike."""
        words = ["0::BIGINT AS m"]
        if self._rules:
            words = [
                f"({' | '.join(self._bits(first))}) AS {word}"
                for first, word in zip(range(0, len(self._rules), _BITS), self._words, strict=True)
            ]
        self._ask(
            "CREATE TABLE judged AS SELECT request_id, "  # noqa: S608  # conditions were checked
            f"coalesce(decided, '{UNDECIDED}') AS decided, fraud, "
            f"coalesce(currency, '') AS currency, amount, {', '.join(words)} FROM {SEEN}"
        )
        alike = (
            "(SELECT * EXCLUDE (request_id, amount), count(*) AS requests, "
            "coalesce(sum(amount), 0) AS amount FROM judged GROUP BY ALL)"
        )
        self._ask(
            # Bits only: no text of an author's is in these statements.
            f"CREATE TABLE alike AS SELECT *, {self._decision('next_final', 'ruling')} "  # noqa: S608
            f"AS otherwise FROM (SELECT *, {self._first_final('ruling')} AS next_final "
            f"FROM {self._decided(alike)})"
        )

    def _decided(self, matches: str) -> str:
        """Rows with what their matches come to, and with what makes it so."""
        return (
            f"(SELECT *, {self._decision('ruling')} AS now FROM ("  # noqa: S608  # bits only
            f"SELECT *, {self._first_final()} AS ruling, "
            f"{self._number_of(Outcome.DECLINE)} AS declines, "
            f"{self._number_of(Outcome.REVIEW)} AS reviews FROM {matches}))"
        )

    def _bits(self, first: int) -> Iterable[str]:
        for bit, rule in enumerate(self._rules[first : first + _BITS]):
            yield f"CASE WHEN {to_sql(rule.condition)} THEN {1 << bit}::BIGINT ELSE 0::BIGINT END"

    def _masks(self, wanted: Callable[[Rule], bool]) -> Iterator[tuple[str, int, int]]:
        """Each whole number that has wanted rules, the place of its first rule, and their bits."""
        for number, word in enumerate(self._words):
            first = number * _BITS
            part = enumerate(self._rules[first : first + _BITS])
            if bits := sum(1 << bit for bit, rule in part if wanted(rule)):
                yield word, first, bits

    def _number_of(self, outcome: Outcome) -> str:
        """How many of the rules with this outcome match."""
        found = self._masks(lambda rule: rule.outcome is outcome and not rule.shadow)
        # DuckDB counts bits in a number of one byte, which a sum would overflow.
        counts = [f"bit_count({word} & {bits})::BIGINT" for word, _, bits in found]
        return f"({' + '.join(counts) or '0'})"

    def _first_final(self, but: str | None = None) -> str:
        """Which final rule is the first to match, counted from one; zero for none.

        With `but`, a column that holds this already, it is the second one.
        """
        branches = []
        for word, first, bits in self._masks(lambda rule: rule.final and not rule.shadow):
            left = f"({word} & {bits})"
            if but is not None:
                here = f"{but} BETWEEN {first + 1} AND {first + _BITS}"
                left = f"(CASE WHEN {here} THEN {left} & ({left} - 1) ELSE {left} END)"
            # The bits that differ from the number before are those up to the lowest that is set.
            place = f"{first} + bit_count(xor({left}, {left} - 1))::BIGINT"
            branches.append(f"WHEN {left} <> 0 THEN {place}")
        return f"(CASE {' '.join(branches)} ELSE 0 END)" if branches else "0"

    def _decision(self, final: str, without: str | None = None) -> str:
        """What is decided: by the final rule in a column, or else by the strongest of all.

        The rule in the column `without` is not counted among these.
        """
        outcomes = ", ".join(f"'{rule.outcome.value}'" for rule in self._rules)
        branches = [f"WHEN {final} > 0 THEN [{outcomes}][{final}]"] if outcomes else []
        for outcome, number in ((Outcome.DECLINE, "declines"), (Outcome.REVIEW, "reviews")):
            enough = "0"
            if without is not None and outcomes:
                enough = f"([{outcomes}][{without}] IS NOT DISTINCT FROM '{outcome.value}')::BIGINT"
            branches.append(f"WHEN {number} > {enough} THEN '{outcome.value}'")
        return f"CASE {' '.join(branches)} ELSE '{Outcome.ACCEPT.value}' END"

    def _alone(self, place: int, rule: Rule) -> str:
        """Whether a request that the rule matches would be decided otherwise without it."""
        if rule.shadow:
            return "FALSE"
        if rule.final:
            return f"ruling = {place + 1} AND otherwise <> now"
        if rule.outcome is Outcome.DECLINE:
            return "ruling = 0 AND declines = 1"
        if rule.outcome is Outcome.REVIEW:
            return "ruling = 0 AND declines = 0 AND reviews = 1"
        return "FALSE"

    def _labels(self) -> tuple[int, int]:
        query = (
            "SELECT coalesce(sum(requests) FILTER (WHERE fraud), 0), "
            "coalesce(sum(requests) FILTER (WHERE fraud IS NOT NULL), 0) FROM alike"
        )
        [(fraud, labels)] = self._ask(query)
        return int(fraud), int(labels)

    def _unknown(self) -> list[str]:
        """Signals that are NULL in every request."""
        names = list(self._question.signals)
        if not names:
            return []
        counts = ", ".join(f"count({quoted(name)})" for name in names)
        [found] = self._ask(f"SELECT {counts} FROM {SEEN}")  # noqa: S608  # our own names
        return [name for name, number in zip(names, found, strict=True) if not number]

    def _figures(self, first: int, fraud: int, unknown: Sequence[str]) -> Iterator[RuleFigures]:
        """The figures of the rules in one whole number, all from one look at the counts."""
        rules = self._rules[first : first + _BITS]
        sums = []
        for place, rule in enumerate(rules, first):
            matches = f"({self._words[place // _BITS]} & {1 << place % _BITS}) <> 0"
            for what, which in (
                ("requests", matches),
                ("amount", matches),
                ("requests", f"{matches} AND {self._alone(place, rule)}"),
            ):
                sums.append(f"coalesce(sum({what}) FILTER (WHERE {which}), 0)")
        rows = self._ask(
            f"SELECT fraud, currency, {', '.join(sums)} FROM alike "  # noqa: S608  # bits only
            "GROUP BY fraud, currency ORDER BY fraud, currency"
        )
        for number, rule in enumerate(rules):
            tally, decisive = LabelTally(), 0
            for label, currency, *figures in rows:
                count, amount, alone = figures[3 * number : 3 * number + 3]
                tally.add(int(count), label, currency, _micros(amount))
                decisive += int(alone)
            needed = tuple(name for name in unknown if _needs(rule, name))
            yield _rule_figures(rule, tally, decisive, fraud, needed)

    def _compare(self, fraud: int) -> tuple[Judged, Judged, tuple[DecisionShift, ...]]:
        rows = self._ask(
            "SELECT decided, now, fraud, currency, sum(requests), sum(amount) FROM alike "
            "GROUP BY ALL ORDER BY ALL"
        )
        requests: dict[tuple[str, str], int] = {}
        amounts: dict[tuple[str, str], Amounts] = {}
        for before, after, _, currency, count, amount in rows:
            pair = before, after
            requests[pair] = requests.get(pair, 0) + int(count)
            money = amounts.setdefault(pair, {})
            if amount:
                money[currency] = money.get(currency, 0) + _micros(amount)
        changes = tuple(
            DecisionShift(*pair, number, amounts[pair]) for pair, number in requests.items()
        )
        return _judged(rows, 0, fraud), _judged(rows, 1, fraud), changes

    def _examples(self, most: int) -> tuple[Example, ...]:
        """The newest requests of each change."""
        words = ", ".join(self._words) if self._words else "0"
        rows = self._ask(
            f"SELECT request_id, decided, now, {words} "  # noqa: S608  # bits only
            f"FROM {self._decided('judged')} WHERE decided <> now "
            "QUALIFY row_number() OVER (PARTITION BY decided, now ORDER BY request_id DESC) "
            f"<= {most} ORDER BY decided, now, request_id DESC"
        )
        return tuple(
            Example(request_id, before, after, self._names(bits))
            for request_id, before, after, *bits in rows
            if before != UNDECIDED
        )

    def _names(self, words: Sequence[int]) -> tuple[str, ...]:
        return tuple(
            rule.name
            for place, rule in enumerate(self._rules)
            if words[place // _BITS] >> place % _BITS & 1
        )


def _rule_figures(
    rule: Rule, tally: LabelTally, decisive: int, fraud: int, unknown: tuple[str, ...]
) -> RuleFigures:
    catches = rule.outcome in CATCHING
    return RuleFigures(
        rule.name,
        rule.outcome,
        rule.final,
        rule.shadow,
        tally.matches,
        decisive,
        tally.fraud,
        tally.legitimate,
        tally.precision,
        tally.recall(fraud),
        tally.caught if catches else {},
        tally.lost if catches else {},
        unknown,
    )


def _nothing(span: RecordSpan, loaded: LoadCounts) -> str:
    others = loaded.looked_at
    hint = f"; {others} other records keep no signals for rules" if others else ""
    since, until = iso_time(span.since_ms), iso_time(span.until_ms)
    return f"no requests that rules could judge from {since} to {until}{hint}"


def _judged(rows: Iterable[tuple[Any, ...]], which: int, fraud: int) -> Judged:
    outcomes: dict[str, int] = {}
    tally = LabelTally()
    for row in rows:
        outcome, (label, currency, count, amount) = row[which], row[2:]
        outcomes[outcome] = outcomes.get(outcome, 0) + int(count)
        if outcome in CATCHING:
            tally.add(int(count), label, currency, _micros(amount))
    return Judged(outcomes, tally.precision, tally.recall(fraud), tally.caught, tally.lost)


def _needs(rule: Rule, signal: str) -> bool:
    return signal in rule.condition.signals or any(
        signal == looked_up for looked_up, _ in rule.condition.lists
    )


def _micros(amount: Any) -> int:
    """A sum of DuckDB's decimals in millionths."""
    return int(amount * MICROS_PER_UNIT)
