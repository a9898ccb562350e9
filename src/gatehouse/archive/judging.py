"""Tries a rule set on an archive: the same conditions and the same counting as a backtest.

What rules saw of a request is in its columns. Whether a value was on a list is worked out from the
past of the list.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from gatehouse.archive.days import ArchivedSpan
from gatehouse.archive.engines import ArchiveEngine
from gatehouse.archive.layout import LABELS, ArchiveLayout
from gatehouse.backtest.load import REQUESTS, ColumnMaker, SignalSelection, select_signals
from gatehouse.backtest.report import BacktestReport
from gatehouse.backtest.run import Judge, nothing_to_judge
from gatehouse.backtest.workspace import quoted, text
from gatehouse.conditions.catalogue import CUSTOM
from gatehouse.conditions.compile_sql import listed_column
from gatehouse.conditions.nodes import Type
from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.lists import ListIndex
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.configured.list_reading import ListPast
from gatehouse.store.decisions.records import RecordCounts

_DECISIONS: Final = "decisions"
_LABELS: Final = "labels"
_COVERING: Final = (ListKind.NETWORKS, ListKind.BINS, ListKind.DOMAINS)
"""Kinds of lists whose entries cover other values than themselves."""
_MAPS: Final = {
    Type.NUMBER: "custom_numbers",
    Type.TEXT: "custom_texts",
    Type.BOOLEAN: "custom_flags",
}
_ENTRIES: Final = {"value": "VARCHAR", "since_ms": "BIGINT", "until_ms": "BIGINT"}

Listed = tuple[str, int, int]
"""A value, since when it was listed, and until when."""


class ArchiveTrial(msgspec.Struct, frozen=True):
    """What is tried out, and on which requests."""

    rule_set: RuleSet
    archived: ArchivedSpan
    past: Mapping[str, ListPast]
    """The past of the lists that the rules name."""
    examples: int = 5


def try_on_archive(engine: ArchiveEngine, trial: ArchiveTrial) -> BacktestReport:
    """What the rule set would have done to the requests of the span."""
    archived, rule_set = trial.archived, trial.rule_set
    selection = select_signals(rule_set)
    days = archived.days
    engine.read(_DECISIONS, [each.decisions for each in days], ArchiveLayout().types)
    engine.read(_LABELS, [each.labels for each in days if each.labels], LABELS)
    within = _within(archived, rule_set.name)
    loaded = _count(engine, within)
    if not loaded.records:
        raise nothing_to_judge(archived.span, loaded)
    joins = _put_lists(engine, selection, trial.past, within)
    types = ColumnMaker(selection, lambda *_: False, {}).types
    chosen = ", ".join(
        f"{expression} AS {quoted(name)}"
        for name, expression in _expressions(selection, types, joins).items()
    )
    engine.ask(
        f"CREATE TEMP VIEW {REQUESTS} AS SELECT {chosen} FROM {_DECISIONS} AS d "  # noqa: S608
        f"LEFT JOIN {_LABELS} AS known ON known.request_id = d.request_id "
        f"{' '.join(joins.values())} WHERE {within} AND d.judged"
    )
    judge = Judge(engine, rule_set, selection)
    span = (archived.span.since_ms, archived.span.until_ms)
    report = judge.run(loaded, span, trial.examples)
    return msgspec.structs.replace(report, warnings=(*archived.remarks, *report.warnings))


def _within(archived: ArchivedSpan, rule_set: str) -> str:
    """The rows of the span as the rule set of this name sees them."""
    name, span = text(rule_set), archived.span
    return (
        f"d.id_ms >= {span.since_ms} AND d.id_ms < {span.until_ms} AND (d.seen_by = {name} OR "
        "(d.seen_by IS NULL AND "
        f"NOT COALESCE(list_contains(d.seen_otherwise_by, {name}), FALSE)))"
    )


def _count(engine: ArchiveEngine, within: str) -> RecordCounts:
    [(seen, others, unreadable)] = engine.ask(
        "SELECT count(*) FILTER (WHERE d.judged), count(*) FILTER (WHERE NOT d.judged), "  # noqa: S608
        f"count(*) FILTER (WHERE d.judged IS NULL) FROM {_DECISIONS} AS d WHERE {within}"
    )
    return RecordCounts(records=seen, skipped=others, unreadable=unreadable)


def _expressions(
    selection: SignalSelection, types: Mapping[str, str], joins: Mapping[int, str]
) -> dict[str, str]:
    """How each column that a backtest judges is found in the archive."""
    found = {name: f"d.{quoted(name)}" for name in types}
    found["fraud"] = "known.fraud"
    found |= {name: _signal(selection, name) for name in selection.signals}
    for number, (signal, name) in enumerate(selection.lists):
        listed = f"listed{number}.value IS NOT NULL" if number in joins else "FALSE"
        value = _signal(selection, signal)
        column = listed_column(signal, name)
        found[column] = f"CASE WHEN {value} IS NULL THEN NULL ELSE {listed} END"
    return found


def _signal(selection: SignalSelection, name: str) -> str:
    """The column of a signal; a custom input is looked up among those of its type."""
    if not name.startswith(CUSTOM):
        return f"d.{quoted(name)}"
    return f"d.{_MAPS[selection.signals[name]]}[{text(name)}]"


def _put_lists(
    engine: ArchiveEngine,
    selection: SignalSelection,
    past: Mapping[str, ListPast],
    within: str,
) -> dict[int, str]:
    """Hand over the lists that have entries; how each is joined, by its number."""
    joins = {}
    for number, (signal, name) in enumerate(selection.lists):
        value = _signal(selection, signal)
        entries = _entries(engine, past[name], value, within) if name in past else []
        if entries:
            table = f"listed{number}"
            engine.put(table, _ENTRIES, list(zip(*entries, strict=True)))
            joins[number] = (
                f"LEFT JOIN {table} ON {table}.value = {value} "
                f"AND {table}.since_ms <= d.at_ms AND d.at_ms < {table}.until_ms"
            )
    return joins


def _entries(engine: ArchiveEngine, past: ListPast, value: str, within: str) -> list[Listed]:
    """Values with the times in which they were listed, which do not overlap."""
    if past.kind not in _COVERING:
        return [(each, *span) for each, times in past.spans.items() for span in _merged([times])]
    find = ListIndex(past.kind, past.spans).find
    rows = engine.ask(
        f"SELECT DISTINCT {value} AS value FROM {_DECISIONS} AS d "  # noqa: S608
        f"WHERE {within} AND {value} IS NOT NULL"
    )
    return [(each, *span) for (each,) in rows for span in _merged(find(each))]


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
