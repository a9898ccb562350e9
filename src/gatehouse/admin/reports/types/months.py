"""A calendar month in the time zone of an account."""

from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

_MONTHS = 12


class ZonedMonth(NamedTuple):
    """A month between two midnights of a time zone."""

    year: int
    month: int
    zone: ZoneInfo

    @classmethod
    def at(cls, at_ms: int, zone: ZoneInfo) -> "ZonedMonth":
        """The month of a moment."""
        local = datetime.fromtimestamp(at_ms / 1000, zone)
        return cls(local.year, local.month, zone)

    @classmethod
    def named(cls, text: str, zone: ZoneInfo) -> "ZonedMonth":
        """The month that a text such as 2026-11 names."""
        year, _, month = text.partition("-")
        return cls(int(year), int(month), zone)

    def moved(self, months: int) -> "ZonedMonth":
        """The month so many later, or earlier."""
        years, month = divmod(self.year * _MONTHS + self.month - 1 + months, _MONTHS)
        return ZonedMonth(years, month + 1, self.zone)

    @property
    def since_ms(self) -> int:
        """Its first moment."""
        return round(datetime(self.year, self.month, 1, tzinfo=self.zone).timestamp() * 1000)

    @property
    def until_ms(self) -> int:
        """The first moment after it."""
        return self.moved(1).since_ms

    def __str__(self) -> str:
        return f"{self.year:04d}-{self.month:02d}"
