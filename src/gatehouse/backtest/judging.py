"""Judges a rule set over columns of decisions, with DuckDB or Spark under it: the only judge.

What rules saw of a request is in its columns. Whether a value was on a list is worked out from the
past of the list.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from gatehouse.backtest.load import select_signals
from gatehouse.backtest.preset_costs import CONFIDENCE, OWN_CONFIDENCE, judge_presets
from gatehouse.backtest.report import BacktestReport
from gatehouse.backtest.run import Judge, MatchGroup, ShiftedRequest, nothing_to_judge
from gatehouse.backtest.thresholds import ThresholdTally, tally_thresholds
from gatehouse.conditions.compile_sql import listed_column
from gatehouse.conditions.nodes import Type
from gatehouse.figures.layout import signal_value
from gatehouse.figures.workspace import quoted, text
from gatehouse.rules.lists import COVERING, ListIndex
from gatehouse.rules.ruleset import RuleSet
from gatehouse.sentry.costs import CostTerms
from gatehouse.store.configured.list_reading import ListPast
from gatehouse.store.decisions.records import RecordCounts, RecordSpan

_LISTED: Final = "listed"
_ENTRIES: Final = {
    "look_up": "BIGINT",
    "value": "VARCHAR",
    "since_ms": "BIGINT",
    "until_ms": "BIGINT",
}
_Listed = tuple[int, str, int, int]
"""The number of a look-up, a value, since when it was listed, and until when."""


class Tables(Protocol):
    """Answers statements of DuckDB's SQL over tables that it was given."""

    def ask(self, statement: str, /) -> list[tuple[Any, ...]]:
        """Run a statement; its rows."""

    def put(self, table: str, types: Mapping[str, str], columns: Sequence[Sequence[Any]]) -> None:
        """Make a table of values, given as columns."""


class ColumnTrial(msgspec.Struct, frozen=True):
    """What is tried out, and on which requests."""

    rule_set: RuleSet
    span: RecordSpan
    past: Mapping[str, ListPast]
    """The past of the lists that the rules name."""
    examples: int = 5
    costs: CostTerms | None = None
    """What orders earn and cost the account, for figures of each preset."""
    shifted: Callable[[Sequence[ShiftedRequest]], None] | None = None
    """Is handed every request that would be decided differently, for another report on it."""
    matched: Callable[[Sequence[MatchGroup], Sequence[ThresholdTally]], None] | None = None
    """Is handed what matches together, and what other thresholds would match."""

    @property
    def more_signals(self) -> tuple[str, ...]:
        """Signals that are looked at besides those of the rules."""
        return () if self.costs is None else (CONFIDENCE, OWN_CONFIDENCE)


def judge_columns(
    tables: Tables, trial: ColumnTrial, table: str, labels: str = ""
) -> BacktestReport:
    """What the rule set would have done to the requests of the span, given the columns of all.

    `labels` is the table with what became of them, where that is not among their own columns.
    """
    name, span = text(trial.rule_set.name), trial.span
    within = (
        f"d.id_ms >= {span.since_ms} AND d.id_ms < {span.until_ms} AND (d.seen_by = {name} OR "
        "(d.seen_by IS NULL AND "
        f"NOT COALESCE(list_contains(d.seen_otherwise_by, {name}), FALSE)))"
    )
    [counts] = tables.ask(
        "SELECT count(*) FILTER (WHERE d.judged), count(*) FILTER (WHERE NOT d.judged), "  # noqa: S608
        f"count(*) FILTER (WHERE d.judged IS NULL) FROM {table} AS d WHERE {within}"
    )
    rows = _JudgedRows(f"{table} AS d", f"{within} AND d.judged", signal_value, "d.fraud")
    if labels:
        join = f"{rows.table} LEFT JOIN {labels} AS known ON known.request_id = d.request_id"
        rows = rows._replace(table=join, fraud="known.fraud")
    return _judged(tables, trial, rows, RecordCounts(*counts))


def judge_loaded(
    tables: Tables, trial: ColumnTrial, table: str, loaded: RecordCounts
) -> BacktestReport:
    """The same, given only what the rule set sees, with each signal in a column of its name."""
    rows = _JudgedRows(f"{table} AS d", "TRUE", lambda name, _: f"d.{quoted(name)}", "d.fraud")
    return _judged(tables, trial, rows, loaded)


class _JudgedRows(NamedTuple):
    """Where requests are found that a rule set judges."""

    table: str
    within: str
    value: Callable[[str, Type], str]
    """How the value of a signal is found."""
    fraud: str


def _judged(
    tables: Tables, trial: ColumnTrial, rows: _JudgedRows, loaded: RecordCounts
) -> BacktestReport:
    selection = select_signals(trial.rule_set)
    if not loaded.records:
        raise nothing_to_judge(trial.span, loaded)
    found = {name: f"d.{name}" for name in ("request_id", "decided", "currency", "amount")}
    found["fraud"] = rows.fraud
    values = {name: rows.value(name, kind) for name, kind in selection.signals.items()}
    found |= values
    found |= {name: rows.value(name, Type.NUMBER) for name in trial.more_signals}
    joins, entries = [], list[_Listed]()
    for number, (signal, name) in enumerate(selection.lists):
        listed, value, past = "FALSE", values[signal], trial.past.get(name)
        times = [] if past is None else _times(tables, rows, past, value)
        # Only lists with entries are joined: to plan for each of them takes a tenth of a second.
        if times:
            entries += [(number, *each) for each in times]
            one = f"listed{number}"
            joins.append(
                f" LEFT JOIN {_LISTED} AS {one} ON {one}.look_up = {number} "
                f"AND {one}.value = {value} "
                f"AND {one}.since_ms <= d.at_ms AND d.at_ms < {one}.until_ms"
            )
            listed = f"{one}.value IS NOT NULL"
        known = f"CASE WHEN {value} IS NULL THEN NULL ELSE {listed} END"
        found[listed_column(signal, name)] = known
    if entries:
        tables.put(_LISTED, _ENTRIES, list(zip(*entries, strict=True)))
    chosen = ", ".join(f"{expression} AS {quoted(name)}" for name, expression in found.items())
    requests = f"SELECT {chosen} FROM {rows.table}{''.join(joins)} WHERE {rows.within}"  # noqa: S608
    judge = Judge(tables.ask, trial.rule_set, _unknown(tables, rows, values))
    report = judge.run(requests, loaded, (trial.span.since_ms, trial.span.until_ms), trial.examples)
    if trial.shifted is not None:
        trial.shifted(judge.shifted())
    if trial.matched is not None:
        trial.matched(judge.groups(), tally_thresholds(tables.ask, requests, trial.rule_set))
    if trial.costs is None:
        return report
    presets = judge_presets(tables.ask, requests, trial.costs)
    return msgspec.structs.replace(report, presets=presets)


def _unknown(tables: Tables, rows: _JudgedRows, values: Mapping[str, str]) -> list[str]:
    """Signals that are NULL in every request."""
    if not values:
        return []
    counts = ", ".join(f"count({value})" for value in values.values())
    [found] = tables.ask(f"SELECT {counts} FROM {rows.table} WHERE {rows.within}")  # noqa: S608
    return [name for name, number in zip(values, found, strict=True) if not number]


def _times(
    tables: Tables, rows: _JudgedRows, past: ListPast, value: str
) -> list[tuple[str, int, int]]:
    """Values with the times in which they were listed, which do not overlap."""
    if past.kind not in COVERING and past.mark is None:
        return [(each, *span) for each, times in past.spans.items() for span in _merged([times])]
    find = ListIndex(past.kind, past.spans, past.mark).find
    sent = tables.ask(
        f"SELECT DISTINCT {value} AS value FROM {rows.table} "  # noqa: S608
        f"WHERE {rows.within} AND {value} IS NOT NULL"
    )
    return [(each, *span) for (each,) in sent for span in _merged(find(each))]


def _merged(entries: Iterable[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """The times of all entries without overlaps: a request joins one of them at most."""
    spans = sorted(span for times in entries for span in zip(times[::2], times[1::2], strict=True))
    since_ms = until_ms = None
    for begin, end in spans:
        if until_ms is None or since_ms is None:
            since_ms, until_ms = begin, end
        elif begin <= until_ms:
            until_ms = max(until_ms, end)
        else:
            yield since_ms, until_ms
            since_ms, until_ms = begin, end
    if since_ms is not None and until_ms is not None:
        yield since_ms, until_ms
