"""Turns decision records into columns of an archive."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from gatehouse.archive.layout import FEATURE, ArchiveLayout
from gatehouse.columns.column_batches import BatchMaker, Columns, Found
from gatehouse.columns.layout import stage_completed, stage_us
from gatehouse.conditions.nodes import Type
from gatehouse.core.lru_cache import LruCache
from gatehouse.decisions.record import UnreadableRecord, read_outline
from gatehouse.decisions.signal_columns import ColumnReader
from gatehouse.decisions.signal_layout import fits
from gatehouse.decisions.signal_rows import ABOUT as DECIDED
from gatehouse.decisions.signal_rows import OPERATIONS, RowReader
from gatehouse.sentry.recorded_event import measured_in
from gatehouse.store.decisions.records import KeptRecord
from gatehouse.training.model_training import OPERATIONS as MEASURED

_NO_NAME: Final = ""
_MOST_NAMES: Final = 100
_CUSTOM: Final = {
    "custom_numbers": Type.NUMBER,
    "custom_texts": Type.TEXT,
    "custom_flags": Type.BOOLEAN,
}
_RENAMED: Final = {"fees": "fees_micros", "total_us": "duration_us"}


class RowMaker:
    """Makes columns of records, for a rule set of any name."""

    def __init__(self, layout: ArchiveLayout) -> None:
        self._types = layout.types
        self._layout = layout.copied
        self._batches = BatchMaker(self._layout)
        self._rows = RowReader(self._layout.signals)
        self._readers: LruCache[str, ColumnReader] = LruCache(_MOST_NAMES)

    def columns(self, records: Sequence[KeptRecord]) -> Columns:
        """The columns of these records; a column that has no value is left out."""
        made = self._batches.columns(Found(records, {}, {}))
        by_id = {each.request_id: each for each in records}
        ordered = [by_id[each] for each in made["request_id"]]
        made["stages"] = self._stages(made, len(ordered))
        made["judged"] = [
            True if seen else self._could_be_read(record)
            for seen, record in zip(made["seen"], ordered, strict=True)
        ]
        made |= {_RENAMED[name]: made[name] for name in _RENAMED if name in made}
        made |= _custom_maps(made.get("custom"), len(ordered))
        made |= _sentry_columns(ordered)
        for column in made.values():
            assert len(column) == len(ordered), "every column has a value for every record"
        self._add_other_views(made, ordered)
        return {
            name: made[name]
            for name in self._types
            if name in made and made[name].count(None) < len(made[name])
        }

    def _could_be_read(self, record: KeptRecord) -> bool | None:
        """False for a record without signals for rules, None for one that cannot be read."""
        if record.operation not in OPERATIONS:
            return False
        try:
            self._rows.seen(record.text, _NO_NAME)
        except UnreadableRecord:
            return None
        return False

    def _stages(self, made: Columns, count: int) -> list[list[dict[str, Any]]]:
        ran: list[list[dict[str, Any]]] = [[] for _ in range(count)]
        for name in self._layout.stages:
            times, completed = made.get(stage_us(name)), made.get(stage_completed(name))
            if times is None or completed is None:
                continue
            for row, (took, done) in enumerate(zip(times, completed, strict=True)):
                if took is not None:
                    ran[row].append({"name": name, "completed": done, "duration_us": took})
        return ran

    def _add_other_views(self, made: Columns, ordered: Sequence[KeptRecord]) -> None:
        """Add a row for each rule set that sees something else than most do."""
        names = [_others(each or ()) for each in made.get("rule_sets", ())]
        if not any(names):
            return
        made["seen_otherwise_by"] = [each or None for each in names]
        made["seen_by"] = [None] * len(ordered)
        for name in dict.fromkeys(name for each in names for name in each):
            places = [place for place, each in enumerate(names) if name in each]
            seen = self._reader(name).read([ordered[place].text for place in places])
            rows = [places[which] for which in seen.which]
            signals = dict(zip((*DECIDED, *self._layout.signal_types), seen.columns, strict=True))
            signals |= {"judged": [True] * len(rows), "seen_by": [name] * len(rows)}
            for about in ("request_id", "id_ms", "at_ms", "operation", "custom_numbers"):
                signals[about] = [made[about][row] for row in rows]
            for about in ("custom_texts", "custom_flags"):
                signals[about] = [made[about][row] for row in rows]
            nulls = [None] * len(rows)
            for column in {*made, *signals}:
                made.setdefault(column, [None] * len(ordered)).extend(signals.get(column, nulls))
            ordered = [*ordered, *(ordered[row] for row in rows)]

    def _reader(self, name: str) -> ColumnReader:
        reader = self._readers.find(name)
        if reader is None:
            reader = ColumnReader(self._layout.signals, name)
            self._readers.put(name, reader)
        return reader


def _others(rule_sets: Sequence[str]) -> list[str]:
    """Which rule sets, of those that were asked in turn, see what another than the last saw."""
    names = [each.rpartition("/")[0] for each in rule_sets]
    return [name for name in dict.fromkeys(names) if names.index(name) < len(names) - 1]


def _custom_maps(custom: Sequence[str | None] | None, count: int) -> Columns:
    """Custom inputs by their types; what has none of these types is NULL to every rule."""
    if custom is None:
        return {name: [None] * count for name in _CUSTOM}
    decoded = [None if each is None else msgspec.json.decode(each) for each in custom]
    return {
        column: [
            None
            if each is None
            else {name: value for name, value in each.items() if fits(value, kind)} or None
            for each in decoded
        ]
        for column, kind in _CUSTOM.items()
    }


def _sentry_columns(records: Sequence[KeptRecord]) -> Columns:
    """What training needs of each record."""
    made: Columns = {}
    for row, record in enumerate(records):
        for name, value in _measured(record).items():
            column = made.get(name)
            if column is None:
                column = made[name] = [None] * len(records)
            column[row] = value
    return made


def _measured(record: KeptRecord) -> dict[str, Any]:
    if record.operation not in MEASURED:
        return {"measured": False}
    try:
        measured = measured_in(read_outline(record.text))
    except UnreadableRecord:
        return {}
    if measured is None:
        return {"measured": False}
    found: dict[str, Any] = {FEATURE + code: value for code, value in measured.values.items()}
    found |= {"measured": True, "model": measured.model}
    event = measured.event
    if event is not None:
        found |= {"event_s": event.at, "event_amount": event.amount}
        found |= {"event_currency": event.currency, "event_counted": event.counted}
        found["event_declined"] = event.declined
    return found
