"""Brings an account's records into DuckDB: only what a rule set needs, as it was at the time."""

import contextlib
import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import msgspec

from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.nodes import Type
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record_fingerprints import SIGNAL
from gatehouse.decisions.signal_columns import Column, ColumnReader
from gatehouse.decisions.signal_layout import Layout
from gatehouse.decisions.signal_rows import OPERATIONS
from gatehouse.figures.layout import judged_types
from gatehouse.figures.workspace import Workspace, described
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.decisions.records import KeptRecord, RecordCounts

_BACKTEST_SIGNAL: Final = Phrase("refused.backtest_signal", "no signal {name} is known")
_BACKTEST_CAPITALS: Final = Phrase(
    "refused.backtest_capitals",
    "{other} and {name} differ only in capitals; give one of the inputs another name",
)

BYTES_AT_ONCE: Final = 32 * 1024 * 1024
"""What is in memory, and in a file, at one time."""

RECORDS: Final = "records"
"""The table of all requests that can be judged."""


class SignalSelection(msgspec.Struct, frozen=True):
    """What rules need to know about each request."""

    rule_set: str
    signals: dict[str, Type]
    lists: tuple[tuple[str, str], ...]
    """Signals that are looked up, each with the name of the list."""


def select_signals(rule_set: RuleSet, more: Sequence[str] = ()) -> SignalSelection:
    """The signals that the rules name; `InvalidInput` for one that the catalogue does not have.

    `more` are signals that are asked for besides.
    """
    catalogue = Catalogue(rule_set.inputs)
    names = dict.fromkeys(name for rule in rule_set.rules for name in rule.condition.signals)
    names |= dict.fromkeys(more)
    lists = dict.fromkeys(pair for rule in rule_set.rules for pair in rule.condition.lists)
    types = {}
    for name in (*names, *(signal for signal, _ in lists)):
        found = catalogue.find(name)
        if found is None:
            raise InvalidInput(_BACKTEST_SIGNAL(name=name))
        types[name] = found.type
    _refuse_alike(types)
    return SignalSelection(rule_set.name, types, tuple(lists))


def _refuse_alike(names: Iterable[str]) -> None:
    """DuckDB ignores case in column names; older rule sets may hold names that differ only so."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise InvalidInput(_BACKTEST_CAPITALS(other=other, name=name))


class LoadedPart(NamedTuple):
    """Some requests, ready to be loaded."""

    lines: bytes | bytearray
    """JSON lines, each with the columns of some requests as lists."""
    counts: RecordCounts


class ColumnMaker:
    """Turns records into columns of what a rule set needs to know."""

    def __init__(self, selection: SignalSelection, labels: Mapping[str, bool]) -> None:
        """`labels` is what is known by now: True is fraud, False is legitimate."""
        layout = Layout(selection.signals)
        self._reader = ColumnReader(layout, selection.rule_set)
        self.of_cards = SIGNAL in selection.signals
        """Whether the fingerprint of the card is among what it needs."""
        self._labels = labels
        self.types = judged_types(layout)
        """The columns with their types."""

    def parts(self, batches: Iterable[Sequence[KeptRecord]]) -> Iterator[LoadedPart]:
        """The records in parts of about the same size."""
        encode_into = msgspec.json.Encoder().encode_into
        lines, counts = bytearray(), RecordCounts()
        with garbage_collection_paused():
            for batch in batches:
                encode_into(dict(enumerate(self._columns(batch, counts))), lines, len(lines))
                lines += b"\n"
                if len(lines) >= BYTES_AT_ONCE:
                    yield LoadedPart(lines, counts)
                    lines, counts = bytearray(), RecordCounts()
        yield LoadedPart(lines, counts)

    def _columns(self, batch: Sequence[KeptRecord], counts: RecordCounts) -> list[Column]:
        kept = [record for record in batch if record.operation in OPERATIONS]
        seen = self._reader.read([record.text for record in kept])
        counts.records += len(seen.which)
        counts.unreadable += seen.unreadable
        counts.skipped += len(batch) - len(seen.which) - seen.unreadable
        rows = [kept[which] for which in seen.which]
        ids = [record.request_id for record in rows]
        times = [record.at_ms for record in rows]
        return [ids, times, list(map(self._labels.get, ids)), *seen.columns]


def load(
    workspace: Workspace, types: Mapping[str, str], parts: Iterable[LoadedPart]
) -> RecordCounts:
    """Make the table of requests, with these columns, and load all parts into it."""
    # A temporary table is not compressed, so it is filled in half of the time.
    workspace.ask(f"CREATE TEMP TABLE {RECORDS} ({described(types)})")

    def add(lines: bytes | bytearray) -> None:
        if lines:
            workspace.insert_lines(RECORDS, types, lines)

    loaded = RecordCounts()
    # DuckDB reads one part while the next one is made.
    with ThreadPoolExecutor(1) as thread:
        under_way = thread.submit(add, b"")
        for part in parts:
            loaded.add(part.counts)
            under_way.result()
            under_way = thread.submit(add, part.lines)
        under_way.result()
    return loaded


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
