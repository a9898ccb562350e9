"""One line of a replay: a request, when it came, and its label."""

from functools import lru_cache
from typing import Any, Final, Literal

import msgspec

from gatehouse.core.errors import InvalidInput
from gatehouse.sentry.request import EventTime, SentryRequest

SHAPE: Final = '{"at": "2026-11-15T09:30:00Z", "request": {...}, "label": "fraud"}'
_AT: Final = " - at `$"


class BadLine(InvalidInput):
    """A line that cannot be replayed; the caller, who knows the file, says where it is."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"line {number}: {reason}")
        self.number = number
        """Counted from 1 over all lines that were given."""
        self.reason = reason


class Recorded(msgspec.Struct, frozen=True):
    """A request as it came. The label must be there, so that a misspelt one is noticed."""

    at: str
    request: SentryRequest
    label: Literal["fraud", "legitimate"] | None

    @property
    def fraud(self) -> bool | None:
        """Whether it turned out to be fraud; None without a label."""
        return None if self.label is None else self.label == "fraud"


def read_line(data: bytes) -> tuple[Recorded, float]:
    """What a line says, and when that was in seconds since 1970; a ValueError says why not."""
    try:
        recorded = _decode(data)
    except msgspec.ValidationError as error:
        raise ValueError(_reason(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        raise ValueError(f"is not one line of JSON in UTF-8, such as {SHAPE}") from None
    try:
        at_s = _moment(recorded.at).seconds
    except ValueError as error:
        raise ValueError(f"at {error}") from None
    if at_s < 0:
        raise ValueError("at must be a time since 1970")
    return recorded, at_s


def _own_type(_kind: type, value: Any) -> EventTime:
    """Times are the only custom type in such a request."""
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return _moment(value)


# Most requests carry their own time as the time of the line.
_moment: Final = lru_cache(maxsize=64)(EventTime.parse)
_decode: Final = msgspec.json.Decoder(Recorded, dec_hook=_own_type).decode


def _reason(said: str) -> str:
    """What is wrong, without the value, which could be personal data."""
    what, _, path = said.partition(_AT)
    if what.startswith("Invalid enum value"):
        what = "must be one of the words that the documentation names"
    place = path.rstrip("`").lstrip(".")
    return f"{place}: {what}" if place else f"{what}; a line looks like {SHAPE}"
