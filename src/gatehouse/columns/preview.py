"""Tries a rule set on the copy: the same conditions and the same counting as a backtest.

What rules saw of a request is in the columns of the copy. Whether a value was on a list is worked
out here, from the past of the list. Records in which that depends on the rule set are read anew.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Final

import msgspec

from gatehouse.backtest.load import REQUESTS, ColumnMaker, SignalSelection, select_signals
from gatehouse.backtest.report import BacktestReport
from gatehouse.backtest.run import Judge, nothing_to_judge
from gatehouse.backtest.workspace import quoted, text
from gatehouse.columns.account_columns import DECISIONS, AccountColumns
from gatehouse.columns.engine import ColumnConnection
from gatehouse.conditions.catalogue import CUSTOM
from gatehouse.conditions.compile_sql import listed_column
from gatehouse.conditions.nodes import Type
from gatehouse.core.errors import InvalidInput
from gatehouse.core.sentences import Phrase
from gatehouse.decisions.signal_layout import LARGEST
from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.lists import ListIndex
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.configured.list_reading import ListPast
from gatehouse.store.decisions.records import KeptRecord, RecordCounts, RecordSpan

_JUDGED_FROM_RECORDS: Final = Phrase(
    "refused.judged_from_records",
    "{count} requests of this span can only be judged from their records; take a "
    "shorter span, or use: gatehouse rules backtest",
)

MOST_UNUSUAL: Final = 100_000
"""Records that are read anew; more of them would take too long."""
_AT_ONCE: Final = 1000
COVERING: Final = (ListKind.NETWORKS, ListKind.BINS, ListKind.DOMAINS)
"""Kinds of lists whose entries cover other values than themselves."""

ReadRecords = Callable[[Sequence[str]], list[KeptRecord]]


class CopyTrial(msgspec.Struct, frozen=True):
    """What is tried out, and on which requests."""

    rule_set: RuleSet
    span: RecordSpan
    past: Mapping[str, ListPast]
    """The past of the lists that the rules name."""
    read: ReadRecords
    """Reads records by their ids."""
    examples: int = 5


class LatestAsking:
    """Lets the newest question of each person end the one before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asking: dict[str, ColumnConnection] = {}

    @contextmanager
    def only(self, key: str | None, asking: ColumnConnection) -> Iterator[None]:
        """Ask for somebody, in place of what is still being asked for them."""
        if key is None:
            yield
            return
        with self._lock:
            before = self._asking.get(key)
            self._asking[key] = asking
            if before is not None:
                before.supersede()
        try:
            yield
        finally:
            with self._lock:
                if self._asking.get(key) is asking:
                    del self._asking[key]


def try_on_copy(
    columns: AccountColumns, asking: ColumnConnection, trial: CopyTrial
) -> BacktestReport:
    """What the rule set would have done to the requests of the span."""
    selection = select_signals(trial.rule_set)
    within = f"id_ms >= {trial.span.since_ms} AND id_ms < {trial.span.until_ms}"
    loaded = _count(asking, within)
    maker = ColumnMaker(selection, _listed_in(trial.past), _unusual_labels(asking, within))
    _load_unusual(asking, maker, trial, within, loaded)
    if not loaded.records:
        raise nothing_to_judge(trial.span, loaded)
    filled = set()
    for number, (signal, name) in enumerate(selection.lists):
        past = trial.past.get(name)
        entries = [] if past is None else _entries(asking, past, _signal(selection, signal), within)
        if entries:
            filled.add(number)
            _put_entries(asking, f"listed{number}", entries)
    chosen = ", ".join(
        f"{expression} AS {quoted(name)}"
        for name, expression in _expressions(selection, maker.types, filled).items()
    )
    asking.ask(
        f"CREATE TEMP VIEW {REQUESTS} AS SELECT {chosen} FROM {DECISIONS} AS d "  # noqa: S608
        f"WHERE {within} AND seen AND NOT unusual UNION ALL SELECT * FROM unusual_requests"
    )
    judge = Judge(asking, trial.rule_set, selection)
    return judge.run(loaded, (trial.span.since_ms, trial.span.until_ms), trial.examples)


def _count(asking: ColumnConnection, within: str) -> RecordCounts:
    [(seen, others)] = asking.ask(
        f"SELECT count(*) FILTER (WHERE seen), count(*) FILTER (WHERE NOT seen) FROM {DECISIONS} "  # noqa: S608
        f"WHERE {within} AND NOT unusual"
    )
    return RecordCounts(records=seen, skipped=others)


def _expressions(
    selection: SignalSelection, types: Mapping[str, str], filled: Set[int]
) -> dict[str, str]:
    """How each column that a backtest judges is found in the copy.

    Only lists with entries are looked at: to plan for each of them takes a tenth of a second.
    """
    found = {name: quoted(name) for name in types}
    found |= {name: _signal(selection, name) for name in selection.signals}
    for number, (signal, name) in enumerate(selection.lists):
        value = _signal(selection, signal)
        listed = (
            f"EXISTS (SELECT 1 FROM listed{number} AS l WHERE l.value = {value} "  # noqa: S608
            "AND l.since_ms <= d.at_ms AND d.at_ms < l.until_ms)"
            if number in filled
            else "FALSE"
        )
        column = listed_column(signal, name)
        found[column] = f"CASE WHEN {value} IS NULL THEN NULL ELSE {listed} END"
    return found


def _signal(selection: SignalSelection, name: str) -> str:
    return signal_value(name, selection.signals[name])


def signal_value(name: str, kind: Type) -> str:
    """The column of a signal; a custom input is read out of its JSON, if it has the right type."""
    if not name.startswith(CUSTOM):
        return quoted(name)
    path = text(f'$."{name}"')
    if kind is Type.NUMBER:
        number = f"TRY_CAST(json_extract_string(custom, {path}) AS DOUBLE)"
        is_number = f"json_type(custom, {path}) IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')"
        return f"CASE WHEN {is_number} AND abs({number}) < {LARGEST} THEN {number} END"
    wanted = "VARCHAR" if kind is Type.TEXT else "BOOLEAN"
    value = f"json_extract_string(custom, {path})"
    return f"CASE WHEN json_type(custom, {path}) = '{wanted}' THEN {value}::{wanted} END"


def _entries(
    asking: ColumnConnection, past: ListPast, signal: str, within: str
) -> list[tuple[str, int, int]]:
    """Values with the times in which they were listed."""
    if past.kind not in COVERING:
        return [(value, *span) for value, times in past.spans.items() for span in _pairs(times)]
    find = ListIndex(past.kind, past.spans).find
    rows = asking.ask(
        f"SELECT DISTINCT {signal} AS value FROM {DECISIONS} "  # noqa: S608
        f"WHERE {within} AND value IS NOT NULL"
    )
    return [(value, *span) for (value,) in rows for times in find(value) for span in _pairs(times)]


def _pairs(times: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(times[::2], times[1::2], strict=True)


def _put_entries(
    asking: ColumnConnection, table: str, entries: Iterable[tuple[str, int, int]]
) -> None:
    columns = {"value": "VARCHAR", "since_ms": "BIGINT", "until_ms": "BIGINT"}
    rows = list(zip(*entries, strict=True)) or [(), (), ()]
    put_rows(asking, table, columns, [msgspec.json.encode(dict(enumerate(rows)))])


def put_rows(
    asking: ColumnConnection,
    table: str,
    types: Mapping[str, str],
    lines: Iterable[bytes | bytearray],
) -> None:
    """Make a temporary table of JSON lines, each with columns as lists."""
    columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
    asking.ask(f"CREATE TEMP TABLE {table} ({columns})")
    for line in lines:
        with asking.rows(types, line) as rows:
            asking.ask(f"INSERT INTO {table} {rows}")


def _listed_in(past: Mapping[str, ListPast]) -> Callable[[str, str, int], bool]:
    finders = {name: ListIndex(one.kind, one.spans).find for name, one in past.items()}

    def was_listed(name: str, value: str, at_ms: int) -> bool:
        find = finders.get(name)
        return find is not None and any(
            since_ms <= at_ms < until_ms
            for times in find(value)
            for since_ms, until_ms in _pairs(times)
        )

    return was_listed


def _unusual_labels(asking: ColumnConnection, within: str) -> dict[str, bool]:
    return dict(
        asking.ask(
            f"SELECT request_id, fraud FROM {DECISIONS} "  # noqa: S608
            f"WHERE {within} AND unusual AND fraud IS NOT NULL"
        )
    )


def _load_unusual(
    asking: ColumnConnection,
    maker: ColumnMaker,
    trial: CopyTrial,
    within: str,
    loaded: RecordCounts,
) -> None:
    """Read those records as a backtest does."""
    query = f"SELECT request_id FROM {DECISIONS} WHERE {within} AND unusual"  # noqa: S608
    ids = [row[0] for row in asking.ask(query)]
    if len(ids) > MOST_UNUSUAL:
        raise InvalidInput(_JUDGED_FROM_RECORDS(count=len(ids)))
    lines: list[bytes | bytearray] = []
    for first in range(0, len(ids), _AT_ONCE):
        for part in maker.parts([trial.read(ids[first : first + _AT_ONCE])]):
            loaded.add(part.counts)
            lines.append(part.lines)
    put_rows(asking, "unusual_requests", maker.types, lines)
