"""The shape of a clock. Decisions are handed the time; only the edges hold a clock."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache

Clock = Callable[[], int]
"""Milliseconds since 1970, UTC."""


def iso_time(at_ms: int) -> str:
    """The moment as RFC 3339 in UTC with milliseconds."""
    seconds, rest = divmod(at_ms, 1000)
    return f"{_to_the_second(seconds)}.{rest:03d}Z"


def parse_time(text: str) -> int:
    """Milliseconds of a day or a time of ISO 8601, in UTC unless it names a zone; `ValueError`."""
    try:
        read = datetime.fromisoformat(text)
        aware = read if read.tzinfo is not None else read.replace(tzinfo=UTC)
        return int(aware.timestamp() * 1000)
    except OverflowError:
        raise ValueError("is out of reach") from None


@lru_cache(maxsize=256)
def _to_the_second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
