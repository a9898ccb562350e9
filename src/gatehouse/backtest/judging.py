"""Judges a rule set over columns of decisions, with DuckDB or Spark under it.

What rules saw of a request is in its columns. Whether a value was on a list is worked out from the
past of the list.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from gatehouse.backtest.load import REQUESTS, SignalSelection, request_types, select_signals
from gatehouse.backtest.report import BacktestReport
from gatehouse.backtest.run import Judge, nothing_to_judge
from gatehouse.conditions.compile_sql import listed_column
from gatehouse.figures.layout import signal_value
from gatehouse.figures.workspace import quoted, text
from gatehouse.rules.lists import COVERING, ListIndex
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.configured.list_reading import ListPast
from gatehouse.store.decisions.records import RecordCounts, RecordSpan

_ENTRIES: Final = {"value": "VARCHAR", "since_ms": "BIGINT", "until_ms": "BIGINT"}

_Listed = tuple[str, int, int]
"""A value, since when it was listed, and until when."""


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


def judge_columns(
    tables: Tables, trial: ColumnTrial, rows: str, labels: str = ""
) -> BacktestReport:
    """What the rule set would have done to the requests of the span.

    `rows` is the table of decisions. `labels` is the one with what became of them, where that is
    not among their own columns.
    """
    return _ColumnJudge(tables, trial, rows).run(labels)


class _ColumnJudge:
    def __init__(self, tables: Tables, trial: ColumnTrial, rows: str) -> None:
        self._tables = tables
        self._trial = trial
        self._rows = rows
        self._selection = select_signals(trial.rule_set)
        name, span = text(trial.rule_set.name), trial.span
        self._within = (
            f"d.id_ms >= {span.since_ms} AND d.id_ms < {span.until_ms} AND (d.seen_by = {name} OR "
            "(d.seen_by IS NULL AND "
            f"NOT COALESCE(list_contains(d.seen_otherwise_by, {name}), FALSE)))"
        )

    def run(self, labels: str) -> BacktestReport:
        trial, selection = self._trial, self._selection
        loaded = self._count()
        if not loaded.records:
            raise nothing_to_judge(trial.span, loaded)
        joins = self._put_lists()
        expressions = _expressions(selection, joins)
        join = ""
        if labels:
            join = f"LEFT JOIN {labels} AS known ON known.request_id = d.request_id "
            expressions["fraud"] = "known.fraud"
        chosen = ", ".join(f"{found} AS {quoted(name)}" for name, found in expressions.items())
        self._tables.ask(
            f"CREATE TEMP VIEW {REQUESTS} AS SELECT {chosen} FROM {self._rows} AS d {join}"  # noqa: S608
            f"{' '.join(joins.values())} WHERE {self._within} AND d.judged"
        )
        judge = Judge(self._tables, trial.rule_set, selection)
        return judge.run(loaded, (trial.span.since_ms, trial.span.until_ms), trial.examples)

    def _count(self) -> RecordCounts:
        [(seen, others, unreadable)] = self._tables.ask(
            "SELECT count(*) FILTER (WHERE d.judged), count(*) FILTER (WHERE NOT d.judged), "  # noqa: S608
            f"count(*) FILTER (WHERE d.judged IS NULL) FROM {self._rows} AS d WHERE {self._within}"
        )
        return RecordCounts(records=seen, skipped=others, unreadable=unreadable)

    def _put_lists(self) -> dict[int, str]:
        """Hand over the lists that have entries; how each is joined, by its number.

        Only these are looked at: to plan for each of them takes a tenth of a second.
        """
        joins = {}
        for number, (signal, name) in enumerate(self._selection.lists):
            value = _value(self._selection, signal)
            past = self._trial.past.get(name)
            entries = [] if past is None else self._entries(past, value)
            if entries:
                table = f"listed{number}"
                self._tables.put(table, _ENTRIES, list(zip(*entries, strict=True)))
                joins[number] = (
                    f"LEFT JOIN {table} ON {table}.value = {value} "
                    f"AND {table}.since_ms <= d.at_ms AND d.at_ms < {table}.until_ms"
                )
        return joins

    def _entries(self, past: ListPast, value: str) -> list[_Listed]:
        """Values with the times in which they were listed, which do not overlap."""
        if past.kind not in COVERING:
            return [
                (each, *span) for each, times in past.spans.items() for span in _merged([times])
            ]
        find = ListIndex(past.kind, past.spans).find
        rows = self._tables.ask(
            f"SELECT DISTINCT {value} AS value FROM {self._rows} AS d "  # noqa: S608
            f"WHERE {self._within} AND {value} IS NOT NULL"
        )
        return [(each, *span) for (each,) in rows for span in _merged(find(each))]


def _expressions(selection: SignalSelection, joins: Mapping[int, str]) -> dict[str, str]:
    """How each column that a backtest judges is found among those of decisions."""
    found = {name: f"d.{quoted(name)}" for name in request_types(selection)}
    found |= {name: _value(selection, name) for name in selection.signals}
    for number, (signal, name) in enumerate(selection.lists):
        listed = f"listed{number}.value IS NOT NULL" if number in joins else "FALSE"
        value = _value(selection, signal)
        column = listed_column(signal, name)
        found[column] = f"CASE WHEN {value} IS NULL THEN NULL ELSE {listed} END"
    return found


def _value(selection: SignalSelection, name: str) -> str:
    return signal_value(name, selection.signals[name])


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
