"""Turns decision records into columns, for the copy and for the archive."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from gatehouse.conditions.nodes import Type
from gatehouse.core.ids import id_time_ms
from gatehouse.core.limits.lru_cache import LruCache
from gatehouse.decisions.record import UnreadableRecord, read_outline
from gatehouse.decisions.signal_columns import ColumnReader
from gatehouse.decisions.signal_layout import fits
from gatehouse.decisions.signal_rows import ABOUT, OPERATIONS
from gatehouse.figures.layout import (
    CUSTOM_MAPS,
    FEATURE,
    LAST_FOUR,
    TRIED_BIN,
    TRIED_CARD,
    ColumnLayout,
    stage_completed,
    stage_us,
)
from gatehouse.figures.record_facts import CardFacts, RecordFacts, facts_of
from gatehouse.sentry.records.event import MEASURED_IN, measured_in
from gatehouse.store.decisions.records import KeptRecord
from gatehouse.store.feedback.feedback_history import KnownLabel

Columns = dict[str, list[Any]]
"""Values of some decisions by column; a column that has none is left out."""
_NO_NAME: Final = ""
"""No rule set is called so: of several stages with rules, the last is taken."""
_MOST_NAMES: Final = 100
_OF_EVERY_VIEW: Final = ("request_id", "id_ms", "at_ms", "operation", "fraud", "labelled_ms")


class Found(msgspec.Struct, frozen=True):
    """Records, and what became of them since."""

    records: Sequence[KeptRecord]
    labels: Mapping[str, KnownLabel] = {}
    reviews: Mapping[str, str] = {}


class BatchMaker:
    """Makes columns of records, as rule sets of any name see them."""

    def __init__(self, layout: ColumnLayout) -> None:
        self._layout = layout
        self._ended = ColumnReader(layout.signals, in_the_end=True)
        self._readers: LruCache[str, ColumnReader] = LruCache(_MOST_NAMES)

    def copied(self, found: Found) -> Columns:
        """The columns of the copy."""
        made, ordered, facts = self._made(found)
        ids = made["request_id"]
        labels = list(map(found.labels.get, ids))
        made["review"] = list(map(found.reviews.get, ids))
        made["fraud"] = [None if each is None else each.fraud for each in labels]
        made["labelled_ms"] = [None if each is None else each.fraud_known_ms for each in labels]
        made[LAST_FOUR] = [None if each.card is None else each.card.last_four for each in facts]
        cards = [
            each.card if each.card is not None and not judged else CardFacts()
            for each, judged in zip(facts, made["judged"], strict=True)
        ]
        made[TRIED_BIN] = [each.bin for each in cards]
        made[TRIED_CARD] = [each.fingerprint for each in cards]
        for stage in self._layout.stages:
            made[stage_us(stage)] = [each.durations.get(stage) for each in facts]
            made[stage_completed(stage)] = [each.completed.get(stage) for each in facts]
        self._add_other_views(made, ordered)
        return _known(made, self._layout.copied)

    def archived(self, records: Sequence[KeptRecord]) -> Columns:
        """The columns of the archive."""
        made, ordered, facts = self._made(Found(records))
        made["stages"] = [self._stages(each) for each in facts]
        for row, record in enumerate(ordered):
            for name, value in _measured(record).items():
                column = made.get(name)
                if column is None:
                    column = made[name] = [None] * len(ordered)
                column[row] = value
        self._add_other_views(made, ordered)
        return _known(made, self._layout.archived)

    def _made(self, found: Found) -> tuple[Columns, list[KeptRecord], list[RecordFacts]]:
        """What both have, with the records in the order of the rows, and what they tell."""
        kept = [each for each in found.records if each.operation in OPERATIONS]
        seen = self._reader(_NO_NAME).read([each.text for each in kept])
        first = [kept[which] for which in seen.which]
        known = {each.request_id for each in first}
        others = [each for each in found.records if each.request_id not in known]
        made = dict(zip((*ABOUT, *self._layout.signal_types), seen.columns, strict=True))
        could_be_read = self._add_others(made, others)
        ordered = [*first, *others]
        facts = [facts_of(each.text) for each in ordered]
        ids = [each.request_id for each in ordered]
        made |= {
            "request_id": ids,
            "id_ms": [id_time_ms(each) for each in ids],
            "at_ms": [each.at_ms for each in ordered],
            "operation": [each.operation for each in ordered],
            "judged": [True] * len(first) + could_be_read,
        }
        for name in _FACTS:
            made[name] = [getattr(each, name) for each in facts]
        for kind, name in CUSTOM_MAPS.items():
            made[name] = [_custom(each.custom, kind) for each in facts]
        return made, ordered, facts

    def _add_others(self, made: Columns, others: Sequence[KeptRecord]) -> list[bool | None]:
        """Add what stages gave to records that rules do not judge.

        False for each of them; None for a record for rules that cannot be read.
        """
        seen = self._ended.read([each.text for each in others])
        given = dict(zip((*ABOUT, *self._layout.signal_types), seen.columns, strict=True))
        for name, column in made.items():
            rows: list[Any] = [None] * len(others)
            if name in self._layout.signals.given:
                for which, value in zip(seen.which, given[name], strict=True):
                    rows[which] = value
            column.extend(rows)
        read = set(seen.which)
        return [
            None if each.operation in OPERATIONS and which not in read else False
            for which, each in enumerate(others)
        ]

    def _stages(self, facts: RecordFacts) -> list[dict[str, Any]]:
        return [
            {"name": name, "completed": facts.completed[name], "duration_us": facts.durations[name]}
            for name in self._layout.stages
            if name in facts.durations
        ]

    def _add_other_views(self, made: Columns, ordered: Sequence[KeptRecord]) -> None:
        """Add a row for each rule set that sees something else than most do."""
        names = [_others(each) for each in made["rule_sets"]]
        if not any(names):
            return
        made["seen_otherwise_by"] = [each or None for each in names]
        made["seen_by"] = [None] * len(ordered)
        for name in dict.fromkeys(name for each in names for name in each):
            places = [place for place, each in enumerate(names) if name in each]
            seen = self._reader(name).read([ordered[place].text for place in places])
            rows = [places[which] for which in seen.which]
            view = dict(zip((*ABOUT, *self._layout.signal_types), seen.columns, strict=True))
            view |= {"judged": [True] * len(rows), "seen_by": [name] * len(rows)}
            for about in (*_OF_EVERY_VIEW, *CUSTOM_MAPS.values()):
                if about in made:
                    view[about] = [made[about][row] for row in rows]
            nulls = [None] * len(rows)
            for column, values in made.items():
                values.extend(view.get(column, nulls))

    def _reader(self, name: str) -> ColumnReader:
        reader = self._readers.find(name)
        if reader is None:
            reader = ColumnReader(self._layout.signals, name)
            self._readers.put(name, reader)
        return reader


_FACTS: Final = tuple(
    name
    for name in RecordFacts.__struct_fields__
    if name not in ("custom", "durations", "completed", "card")
)


def _known(made: Columns, types: Iterable[str]) -> Columns:
    """Those columns that have a value."""
    count = len(made["request_id"])
    for column in made.values():
        assert len(column) == count, "every column has a value for every row"
    return {name: made[name] for name in types if name in made and made[name].count(None) < count}


def _others(rule_sets: Sequence[str]) -> list[str]:
    """Which rule sets, of those that were asked in turn, see what another than the last saw."""
    names = [each.rpartition("/")[0] for each in rule_sets]
    return [name for name in dict.fromkeys(names) if names.index(name) < len(names) - 1]


def _custom(custom: Mapping[str, Any], kind: Type) -> dict[str, Any] | None:
    if not custom:
        return None
    return {name: value for name, value in custom.items() if fits(value, kind)} or None


def _measured(record: KeptRecord) -> dict[str, Any]:
    """What training needs of a record."""
    if record.operation not in MEASURED_IN:
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
