"""What was counted of each part of a span, kept until a decision of that part changes.

Pages show the same days again and again, and of these only today and what was labelled lately
changes. So a question is asked for those parts alone, and the rows of all others are at hand.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, TypeVar

from gatehouse.figures.buckets import Borders, Bucket, FigureSpan, Part

Rows = list[tuple[Any, ...]]
AnyPart = TypeVar("AnyPart", bound=tuple[int, ...])
"""A part, and behind its end whatever else tells it from what it was before it changed."""

_HOUR_MS: Final = 3_600_000
_DAYS_MS: Final = 400 * 24 * _HOUR_MS
"""A longer span is not cut into days."""
_MOST_ROWS: Final = 60_000
"""Of all questions together."""


def parts_of(span: FigureSpan, bucket: Bucket) -> list[Part]:
    """A span in parts that are not longer than these: hours, days, or whole buckets."""
    finer = bucket
    if bucket is not Bucket.HOUR and span.until_ms - span.since_ms <= _DAYS_MS:
        finer = Bucket.DAY
    (_, until_ms), *others = Borders(span, finer).parts
    return [(span.since_ms, until_ms), *others]


class KeptParts:
    """The rows for any question, and which hours changed since."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changes = 0
        self._whole = 0
        self._hours: dict[int, int] = {}
        """The number of the last change of all decisions, and of those of each hour."""
        self._rows: dict[tuple[Hashable, tuple[int, ...]], tuple[int, Rows]] = {}
        """By question and part, those that were asked for last at the end, with their change."""
        self._size = 0

    @property
    def changes(self) -> int:
        """How many changes there were; to be read before what is counted is looked at."""
        return self._changes

    def changed(self, moments_ms: Iterable[int] | None) -> None:
        """Note that decisions of some moments changed, or all; after these can be seen."""
        with self._lock:
            self._changes += 1
            if moments_ms is None:
                self._whole = self._changes
                self._hours.clear()
            else:
                hours = {each // _HOUR_MS for each in moments_ms}
                self._hours.update(dict.fromkeys(hours, self._changes))

    def rows(
        self,
        question: Hashable,
        parts: Sequence[AnyPart],
        changes: int,
        count: Callable[[Sequence[AnyPart]], Rows],
    ) -> dict[AnyPart, Rows]:
        """The rows of each part; `count` finds those of some, each behind the part's start."""
        with self._lock:
            found = {part: self._known(question, part) for part in dict.fromkeys(parts)}
        missing = [part for part, rows in found.items() if rows is None]
        counted: defaultdict[int, Rows] = defaultdict(list)
        for start, *row in count(missing) if missing else ():
            counted[start].append(tuple(row))
        with self._lock:
            for part in missing:
                found[part] = counted[part[0]]
                self._keep((question, part), changes, counted[part[0]])
        return {part: rows or [] for part, rows in found.items()}

    def _known(self, question: Hashable, part: tuple[int, ...]) -> Rows | None:
        kept = self._rows.pop((question, part), None)
        if kept is None:
            return None
        changes, rows = kept
        first, last = part[0] // _HOUR_MS, (part[1] - 1) // _HOUR_MS
        hours = self._hours
        if self._whole > changes or any(
            hours.get(hour, 0) > changes for hour in range(first, last + 1)
        ):
            self._size -= len(rows) + 1
            return None
        self._rows[question, part] = kept
        return rows

    def _keep(self, key: tuple[Hashable, tuple[int, ...]], changes: int, rows: Rows) -> None:
        before = self._rows.pop(key, None)
        self._size += len(rows) - (-1 if before is None else len(before[1]))
        self._rows[key] = changes, rows
        while self._size > _MOST_ROWS:
            oldest = next(iter(self._rows))
            self._size -= len(self._rows.pop(oldest)[1]) + 1
