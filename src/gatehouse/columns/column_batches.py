"""Turns decision records into columns of the copy."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from gatehouse.columns.layout import ColumnLayout, stage_completed, stage_us
from gatehouse.columns.record_facts import RecordFacts, facts_of
from gatehouse.core.ids import id_time_ms
from gatehouse.decisions.record import UnreadableRecord
from gatehouse.decisions.signal_columns import ColumnReader
from gatehouse.decisions.signal_rows import ABOUT, OPERATIONS, RowReader
from gatehouse.store.decisions.records import KeptRecord
from gatehouse.store.feedback.feedback_history import KnownLabel

Columns = dict[str, list[Any]]
"""Values of some decisions by column; a column that has none is left out."""
_NO_NAME: Final = ""
"""No rule set is called so: of several stages with rules, the last is taken."""


class Found(msgspec.Struct, frozen=True):
    """Records, and what became of them since."""

    records: Sequence[KeptRecord]
    labels: Mapping[str, KnownLabel]
    reviews: Mapping[str, str]


class BatchMaker:
    """Makes columns of records."""

    def __init__(self, layout: ColumnLayout) -> None:
        self._layout = layout
        self._reader = ColumnReader(layout.signals, _NO_NAME)
        self._rows = RowReader(layout.signals)

    def columns(self, found: Found) -> Columns:
        """The columns of all these records."""
        judged = [each for each in found.records if each.operation in OPERATIONS]
        seen = self._reader.read([each.text for each in judged])
        first = [judged[which] for which in seen.which]
        known = {each.request_id for each in first}
        others = [each for each in found.records if each.request_id not in known]
        made = dict(zip((*ABOUT, *self._layout.signal_types), seen.columns, strict=True))
        given = [self._given_in(each.text) for each in others]
        for name, column in made.items():
            column += [None if each is None else each.get(name) for each in given]
        made |= self._about([*first, *others], len(first), found)
        for place, each in enumerate(given, len(first)):
            if each is None:
                made["unusual"][place] = True
        return {name: made[name] for name in self._layout.types if _is_known(made.get(name))}

    def _given_in(self, text: str) -> dict[str, Any] | None:
        """What stages gave to a record that rules do not judge; None if it is unreadable."""
        try:
            return self._rows.exported(text).given
        except UnreadableRecord:
            return None

    def _about(self, records: Sequence[KeptRecord], seen: int, found: Found) -> Columns:
        ids = [each.request_id for each in records]
        labels = list(map(found.labels.get, ids))
        facts = [facts_of(each.text) for each in records]
        made: Columns = {
            "request_id": ids,
            "id_ms": [id_time_ms(each) for each in ids],
            "at_ms": [each.at_ms for each in records],
            "operation": [each.operation for each in records],
            "seen": [place < seen for place in range(len(ids))],
            "review": list(map(found.reviews.get, ids)),
            "fraud": [None if each is None else each.fraud for each in labels],
            "labelled_ms": [None if each is None else each.known_at_ms for each in labels],
        }
        for name in _FACTS:
            made[name] = [getattr(each, name) for each in facts]
        for stage in self._layout.stages:
            made[stage_us(stage)] = [each.durations.get(stage) for each in facts]
            made[stage_completed(stage)] = [each.completed.get(stage) for each in facts]
        return made


_FACTS: Final = tuple(
    name for name in RecordFacts.__struct_fields__ if name not in ("durations", "completed")
)


def _is_known(column: list[Any] | None) -> bool:
    return column is not None and column.count(None) < len(column)
