"""Brings an account's records into DuckDB: only what a rule set needs, as it was at the time."""

import contextlib
import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from gatehouse.backtest.workspace import Workspace, quoted, text
from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.compile_sql import column_type, listed_column
from gatehouse.conditions.nodes import Type
from gatehouse.core.errors import InvalidInput
from gatehouse.decisions.record import UnreadableRecord
from gatehouse.decisions.signal_layout import Layout
from gatehouse.decisions.signal_rows import RowReader, SignalRow
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.decisions.records import KeptRecord, RecordCounts

BYTES_AT_ONCE: Final = 32 * 1024 * 1024
"""What is in memory, and in a file, at one time."""

ListLookup = Callable[[str, str, int], bool]
"""Whether a list, by its name, had a value at a moment."""

REQUESTS: Final = "requests"
"""The table of all requests that can be judged."""


class SignalSelection(msgspec.Struct, frozen=True):
    """What rules need to know about each request."""

    rule_set: str
    signals: dict[str, Type]
    lists: tuple[tuple[str, str], ...]
    """Signals that are looked up, each with the name of the list."""


def select_signals(rule_set: RuleSet) -> SignalSelection:
    """The signals that the rules name; `InvalidInput` for one that the catalogue does not have."""
    catalogue = Catalogue(rule_set.inputs)
    names = dict.fromkeys(name for rule in rule_set.rules for name in rule.condition.signals)
    lists = dict.fromkeys(pair for rule in rule_set.rules for pair in rule.condition.lists)
    types = {}
    for name in (*names, *(signal for signal, _ in lists)):
        found = catalogue.find(name)
        if found is None:
            raise InvalidInput(f"no signal {name} is known; see: gatehouse rules signals")
        types[name] = found.type
    _refuse_alike(types)
    return SignalSelection(rule_set.name, types, tuple(lists))


def _refuse_alike(names: Iterable[str]) -> None:
    """DuckDB ignores case in column names; older rule sets may hold names that differ only so."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise InvalidInput(
                f"{other} and {name} differ only in capitals; give one of the inputs another name"
            )


class Loader:
    """Fills the table of requests, batch by batch."""

    def __init__(
        self,
        workspace: Workspace,
        selection: SignalSelection,
        listed: ListLookup,
        labels: Mapping[str, bool],
    ) -> None:
        layout = Layout(selection.signals)
        self._rule_set = selection.rule_set
        self._lists = selection.lists
        self._reader = RowReader(layout)
        self._listed = listed
        self._labels = labels
        self._encode = msgspec.json.Encoder().encode_lines
        lines = {"i": "VARCHAR", "d": "VARCHAR", "f": "BOOLEAN", "c": "VARCHAR"}
        columns = {"request_id": "i", "decided": "d", "fraud": "f", "currency": "c", "amount": "a"}
        lines |= {"a": "DECIMAL(24, 6)", "l": "BOOLEAN[]", **signal_types(layout)}
        columns |= signal_columns(layout)
        for number, pair in enumerate(selection.lists):
            columns[listed_column(*pair)] = f"l[{number + 1}]"
        self._workspace = workspace
        self._types, self._columns = lines, columns
        self._fill(f"CREATE TABLE {REQUESTS} AS", b"")

    def load(self, batches: Iterable[Sequence[KeptRecord]]) -> RecordCounts:
        """Load all records."""
        loaded, lines = RecordCounts(), bytearray()
        # DuckDB reads one part while the next one is made.
        with garbage_collection_paused(), ThreadPoolExecutor(1) as thread:
            under_way = thread.submit(self._add, b"")
            for batch in batches:
                lines += self._encode(self._lines(batch, loaded))
                if len(lines) >= BYTES_AT_ONCE:
                    under_way.result()
                    under_way = thread.submit(self._add, lines)
                    lines = bytearray()
            under_way.result()
        self._add(lines)
        return loaded

    def _add(self, lines: bytes | bytearray) -> None:
        if lines:
            self._fill(f"INSERT INTO {REQUESTS}", lines)

    def _fill(self, statement: str, lines: bytes | bytearray) -> None:
        """Run a statement on the rows of these JSON lines."""
        with self._workspace.lines(lines) as path:
            self._workspace.ask(f"{statement} {reading(path, self._types, self._columns)}")

    def _lines(self, batch: Sequence[KeptRecord], loaded: RecordCounts) -> list[SignalRow]:
        lines, label_of, value_of = [], self._labels.get, self._reader.value
        for request_id, at_ms, operation, record, _ in batch:
            try:
                row = self._reader.seen(operation, record, self._rule_set)
            except UnreadableRecord:
                loaded.unreadable += 1
                continue
            if row is None:
                loaded.skipped += 1
                continue
            row.request_id, row.fraud = request_id, label_of(request_id)
            if self._lists:
                row.listed = [
                    None
                    if (value := value_of(row.own, signal)) is None
                    else self._listed(name, value, at_ms)
                    for signal, name in self._lists
                ]
            lines.append(row)
        loaded.records += len(lines)
        return lines


@contextlib.contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Do not search for reference cycles meanwhile: rows have none, and the search takes time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def signal_types(layout: Layout) -> dict[str, str]:
    """The types of the request's own signals, of velocity, and of what stages gave."""
    types = {"o": _struct(layout.own), "g": _struct(layout.given)}
    # DuckDB has no structs without fields; keys of a line that are not named here are ignored.
    return {"v": "DOUBLE[][]", **{key: kind for key, kind in types.items() if kind is not None}}


def signal_columns(layout: Layout) -> dict[str, str]:
    """Each signal's column, and where in a line it is."""
    columns = {name: f"o.{quoted(name)}" for name in layout.own}
    columns |= {name: f"g.{quoted(name)}" for name in layout.given}
    for group, places in enumerate(layout.velocity.values(), 1):
        for number, (name, _) in enumerate(places, 1):
            columns[name] = f"v[{group}][{number}]"
    return columns


def reading(path: Path, lines: Mapping[str, str], columns: Mapping[str, str]) -> str:
    """The query that reads columns out of JSON lines, given the types of what a line holds."""
    types = ", ".join(f"{text(key)}: {text(kind)}" for key, kind in lines.items())
    chosen = ", ".join(f"{where} AS {quoted(column)}" for column, where in columns.items())
    return (
        f"SELECT {chosen} FROM read_json({text(str(path))}, "  # noqa: S608  # our own names
        f"format = 'newline_delimited', columns = {{{types}}})"
    )


def _struct(types: Mapping[str, Type]) -> str | None:
    fields = [f"{quoted(name)} {column_type(kind)}" for name, kind in types.items()]
    return f"STRUCT({', '.join(fields)})" if fields else None
