"""Calendar months in UTC, and the same part of another month."""

import datetime
from typing import Final, NamedTuple

_UTC: Final = datetime.UTC


class CalendarMonth(NamedTuple):
    """A month, by its first day."""

    first: datetime.date

    @classmethod
    def at(cls, at_ms: int) -> "CalendarMonth":
        """The month of a moment."""
        return cls(datetime.datetime.fromtimestamp(at_ms // 1000, _UTC).date().replace(day=1))

    @classmethod
    def named(cls, text: str) -> "CalendarMonth":
        """The month that a text such as 2026-11 names."""
        return cls(datetime.date.fromisoformat(f"{text}-01"))

    @property
    def before(self) -> "CalendarMonth":
        """The month before."""
        return CalendarMonth((self.first - datetime.timedelta(days=1)).replace(day=1))

    @property
    def after(self) -> "CalendarMonth":
        """The month after."""
        return CalendarMonth((self.first + datetime.timedelta(days=31)).replace(day=1))

    @property
    def since_ms(self) -> int:
        """Its first moment."""
        midnight = datetime.datetime(self.first.year, self.first.month, 1, tzinfo=_UTC)
        return int(midnight.timestamp()) * 1000

    @property
    def until_ms(self) -> int:
        """The first moment after it."""
        return self.after.since_ms

    def __str__(self) -> str:
        return f"{self.first:%Y-%m}"

    def part_over(self, now_ms: int) -> float:
        """Which part of it is over; more than 1 once it has ended."""
        return max(0, now_ms - self.since_ms) / (self.until_ms - self.since_ms)

    def like(self, other: "CalendarMonth", now_ms: int) -> int:
        """The moment in this month at which as much of it was over as of the other one is now.

        After the end of the other one, it is as long after the end of this one.
        """
        if now_ms >= other.until_ms:
            return self.until_ms + now_ms - other.until_ms
        return self.since_ms + int(other.part_over(now_ms) * (self.until_ms - self.since_ms))
