"""One line of a replay: a request, when it came, its label, and when that became known."""

from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

import msgspec

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.labels import Label, is_fraud
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


class Recorded(CamelStruct):
    """A request as it came. The label must be there, so that a misspelt one is noticed."""

    at: str
    request: SentryRequest
    label: Literal["fraud", "chargeback", "card_testing", "abuse", "legitimate"] | None
    label_at: str | None = None
    """When the label became known; without it, some time after the request."""


class ReplayLine(NamedTuple):
    """What a line says; times are seconds since 1970."""

    at: str
    at_s: float
    request: SentryRequest
    fraud: bool | None
    """Whether it turned out to be fraud; None without a label."""
    label_s: float | None
    """When that became known, if the line says so."""
    label: Label | None = None
    """What it turned out to be."""

    def known_ms(self, delay_ms: int) -> int:
        """When its label is known, where labels usually take so long."""
        if self.label_s is None:
            return int(self.at_s * 1000) + delay_ms
        return int(self.label_s * 1000)


def read_line(data: bytes) -> ReplayLine:
    """What a line says; a ValueError says why it cannot be used."""
    try:
        recorded = _decode(data)
    except msgspec.ValidationError as error:
        raise ValueError(_reason(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        raise ValueError(f"is not one line of JSON in UTF-8, such as {SHAPE}") from None
    at_s = _seconds("at", recorded.at)
    if at_s < 0:
        raise ValueError("at must be a time since 1970")
    label = None if recorded.label is None else Label(recorded.label.upper())
    fraud = is_fraud(label)
    if recorded.label_at is None:
        return ReplayLine(recorded.at, at_s, recorded.request, fraud, None, label)
    label_s = _seconds("labelAt", recorded.label_at)
    if label is None:
        raise ValueError("labelAt is given without a label")
    if label_s < at_s:
        raise ValueError("labelAt is earlier than at")
    return ReplayLine(recorded.at, at_s, recorded.request, fraud, label_s, label)


def _seconds(field: str, text: str) -> float:
    try:
        return _moment(text).seconds
    except ValueError as error:
        raise ValueError(f"{field} {error}") from None


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
    if place == "label":
        what = (
            "must be fraud, chargeback, card_testing, abuse, legitimate, or null (in CSV an empty "
            "cell)"
        )
    return f"{place}: {what}" if place else f"{what}; a line looks like {SHAPE}"
