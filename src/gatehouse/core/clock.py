"""Moments and spans of time. Decisions are handed the time; only the edges hold a clock."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from gatehouse.core.wording.sentences import Phrase

_OUT_OF_REACH: Final = Phrase("invalid.out_of_reach", "is out of reach")
_MOMENT: Final = Phrase("invalid.moment", "must be a time such as 2026-11-16T09:30:00Z")
_SPAN: Final = Phrase(
    "invalid.span", "a span of time is a number with s, m, h or d, such as 24h or 90d"
)

Clock = Callable[[], int]
"""Milliseconds since 1970, UTC."""


class Moment(int):
    """Milliseconds since 1970, UTC, which are written as RFC 3339 wherever they are read."""

    schema: Final = {
        "type": "string",
        "format": "date-time",
        "examples": ["2026-11-16T09:30:00.000Z"],
    }

    @classmethod
    def parse(cls, text: str) -> "Moment":
        """The moment that a text names; or `ValueError`."""
        try:
            return cls(parse_time(text))
        except ValueError:
            raise ValueError(_MOMENT()) from None

    def __str__(self) -> str:
        return iso_time(self)


def moment(at_ms: int | None) -> Moment | None:
    """A moment that may be missing."""
    return None if at_ms is None else Moment(at_ms)


LAST_MS: Final = 253_402_300_799_999
"""The last moment that can be written; what is kept may lie behind it."""
_ENDS: Final = tuple(f".{millisecond:03d}Z" for millisecond in range(1000))
_UNITS_MS: Final = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def iso_time(at_ms: int) -> str:
    """The moment as RFC 3339 in UTC with milliseconds."""
    seconds, rest = divmod(min(at_ms, LAST_MS), 1000)
    return _to_the_second(seconds) + _ENDS[rest]


def time_or_none(at_ms: int | None) -> str | None:
    """The same of a moment that may be missing."""
    return None if at_ms is None else iso_time(at_ms)


def parse_time(text: str) -> int:
    """Milliseconds of a day or a time of ISO 8601, in UTC unless it names a zone; `ValueError`."""
    try:
        read = datetime.fromisoformat(text)
        aware = read if read.tzinfo is not None else read.replace(tzinfo=UTC)
        # A zone can lead to a year that `iso_time` could not write.
        whole = aware.astimezone(UTC).replace(microsecond=0)
        return int(whole.timestamp()) * 1000 + aware.microsecond // 1000
    except OverflowError:
        raise ValueError(_OUT_OF_REACH()) from None


def parse_span(text: str) -> int:
    """The milliseconds of a span such as 90d, 24h or 15m; or `ValueError`."""
    match = re.fullmatch(r"(\d{1,6})([smhd])", text)
    if match is None:
        raise ValueError(_SPAN())
    return int(match.group(1)) * _UNITS_MS[match.group(2)]


@lru_cache(maxsize=256)
def _to_the_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:-6]
