"""Spans of time as a person sees them: by hour, day, week or month of their time zone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase

_SPAN_END: Final = Phrase("refused.span_end", "the span must end after it begins")
_SPAN_YEARS: Final = Phrase("refused.span_years", "the span must not be longer than 20 years")
_ZONE_UNKNOWN: Final = Phrase(
    "refused.zone_unknown", "the time zone is not known; name one such as Europe/Berlin"
)
_SPAN_PARTS: Final = Phrase(
    "refused.span_parts",
    "this span has more than {most} parts by {bucket}; take a shorter one or larger parts",
)

_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS
MOST_BUCKETS: Final = 800
Part = tuple[int, int]
"""From a moment on and before another."""
_LONGEST_MS: Final = 20 * 366 * _DAY_MS


class Bucket(StrEnum):
    """How finely figures over time are cut."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


_USUAL: Final = ((2 * _DAY_MS, Bucket.HOUR), (92 * _DAY_MS, Bucket.DAY), (2**63, Bucket.MONTH))


class FigureSpan(msgspec.Struct, frozen=True):
    """A span of time in somebody's time zone, from a moment on and before another."""

    since_ms: int
    until_ms: int
    zone: str = "UTC"

    def __post_init__(self) -> None:
        if not 0 <= self.since_ms < self.until_ms:
            raise InvalidInput(_SPAN_END())
        if self.until_ms - self.since_ms > _LONGEST_MS:
            raise InvalidInput(_SPAN_YEARS())
        zone_of(self.zone)

    @property
    def before(self) -> "FigureSpan":
        """The span of the same length before this one."""
        length = self.until_ms - self.since_ms
        return FigureSpan(max(0, self.since_ms - length), max(1, self.since_ms), self.zone)

    @property
    def usual_bucket(self) -> Bucket:
        """How finely a chart of the span is cut."""
        length = self.until_ms - self.since_ms
        return next(bucket for most, bucket in _USUAL if length <= most)


def zone_of(name: str) -> ZoneInfo:
    """A time zone; `InvalidInput` for one that is not known."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput(_ZONE_UNKNOWN()) from None


class Borders:
    """Where buckets begin."""

    def __init__(self, span: FigureSpan, bucket: Bucket) -> None:
        self.starts: Final = list(_starts(span, bucket))
        """In milliseconds; the first is at or before the beginning of the span."""
        self.parts: Final = list(zip(self.starts, [*self.starts[1:], span.until_ms], strict=True))
        """From each start to the next, or to the end of the span."""


def _starts(span: FigureSpan, bucket: Bucket) -> Iterator[int]:
    zone = zone_of(span.zone)
    first = datetime.fromtimestamp(span.since_ms / 1000, zone)
    if bucket is Bucket.HOUR:
        # Hours are counted in UTC, so that the hour that a clock repeats is counted twice.
        start = first.replace(minute=0, second=0, microsecond=0).astimezone(UTC)
    else:
        start = _local_start(first, bucket)
    for _ in range(MOST_BUCKETS + 1):
        at_ms = round(start.timestamp() * 1000)
        if at_ms >= span.until_ms:
            return
        yield at_ms
        start = _next(start, bucket)
    raise InvalidInput(_SPAN_PARTS(most=MOST_BUCKETS, bucket=bucket))


def _local_start(at: datetime, bucket: Bucket) -> datetime:
    start = at.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    if bucket is Bucket.WEEK:
        return start - timedelta(days=start.weekday())
    return start.replace(day=1) if bucket is Bucket.MONTH else start


def _next(start: datetime, bucket: Bucket) -> datetime:
    if bucket is Bucket.HOUR:
        return start + timedelta(hours=1)
    if bucket is Bucket.MONTH:
        years, month = divmod(start.month, 12)
        return start.replace(year=start.year + years, month=month + 1)
    # In a time zone, this is the same hour of a later day, however long the days are.
    return start + timedelta(days=7 if bucket is Bucket.WEEK else 1)
