"""An account's statement: what moved its balance between two moments, and proof that it adds up."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.billing.ledger import EntryKind, charged_items
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.sentences import Phrase

_STATEMENT_SUM: Final = Phrase(
    "refused.statement_sum",
    "the entries of this period add up to {expected} and not to the closing balance of "
    "{closing} millionths",
)

MOST_DAYS: Final = 3660
DAY_MS: Final = 86_400_000
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MONTH: Final = re.compile(r"[0-9]{4}-[0-9]{2}")
_EPOCH: Final = date(1970, 1, 1)


class UsageBy(StrEnum):
    """What requests are told apart by."""

    OPERATION = "operation"
    KEY = "key"
    PIPELINE = "pipeline"
    TAG = "tag"


class Period(msgspec.Struct, frozen=True):
    """From the beginning of a day to before the beginning of another, in UTC."""

    first: date
    end: date

    @property
    def start_ms(self) -> int:
        """Its first millisecond."""
        return (self.first - _EPOCH).days * DAY_MS

    @property
    def end_ms(self) -> int:
        """The first millisecond after it."""
        return (self.end - _EPOCH).days * DAY_MS


class PeriodRefused(ValueError):
    """A period that cannot be read; `part` is the one at fault: month, from or to."""

    def __init__(self, part: str, problem: str) -> None:
        super().__init__(problem)
        self.part = part


class PeriodClash(PeriodRefused):
    """Parts of a period that do not go together, or not without another."""


class Movement(msgspec.Struct, frozen=True):
    """A top-up or an adjustment."""

    entry: str
    at_ms: int
    kind: EntryKind
    amount: int
    note: str | None = None
    reference: str | None = None
    """The bank transfer or invoice of a top-up."""


class EndedRequests(msgspec.Struct, frozen=True):
    """Requests that ended alike: the same items, or none, and on the same day if that is asked."""

    requests: int
    amount: int
    items: str | None = None
    day: date | None = None


class ChargeLine(msgspec.Struct, frozen=True):
    """All charges of one fee type at one fee, of one day or of the whole period."""

    day: date | None
    fee_type: str
    unit_fee: int
    count: int

    @property
    def total(self) -> int:
        """The sum of these charges."""
        return self.unit_fee * self.count


class Statement(msgspec.Struct, frozen=True):
    """What moved the balance of an account in a period, in millionths."""

    period: Period
    at_ms: int
    """When it was made; a period that had not ended then may still change."""
    opening: int
    closing: int
    movements: Sequence[Movement]
    charges: Sequence[ChargeLine]
    uncharged_requests: int

    @property
    def top_ups(self) -> int:
        """All money paid in."""
        return self._moved(EntryKind.TOP_UP)

    @property
    def adjustments(self) -> int:
        """All corrections by hand, those downwards as negative amounts."""
        return self._moved(EntryKind.ADJUST)

    @property
    def charged(self) -> int:
        """All fees."""
        return sum(line.total for line in self.charges)

    def _moved(self, kind: EntryKind) -> int:
        return sum(one.amount for one in self.movements if one.kind is kind)

    def check(self) -> None:
        """Prove that opening balance and movements make the closing balance; or `Conflict`."""
        expected = self.opening + self.top_ups + self.adjustments - self.charged
        if expected != self.closing:
            raise Conflict(_STATEMENT_SUM(expected=expected, closing=self.closing))


def charge_lines(ended: Iterable[EndedRequests]) -> list[ChargeLine]:
    """The charges of ended requests by day, fee type and fee."""
    counts: dict[tuple[date | None, str, int], int] = {}
    for alike in ended:
        for fee_type, fee in charged_items(alike.items):
            line = (alike.day, fee_type, fee)
            counts[line] = counts.get(line, 0) + alike.requests
    ordered = sorted(counts.items(), key=lambda each: (each[0][0] or _EPOCH, *each[0][1:]))
    return [ChargeLine(*line, count) for line, count in ordered]


def read_period(month: str | None, first: str | None, end: str | None, now_ms: int) -> Period:
    """The period that is asked for: a month, or days; the current month when nothing is named."""
    if month is not None and (first is not None or end is not None):
        raise PeriodClash("month", "is given without from and to")
    if first is None and end is not None:
        raise PeriodClash("from", "must be given with to")
    today = datetime.fromtimestamp(now_ms / 1000, UTC).date()
    if first is None:
        return month_period(month or f"{today:%Y-%m}")
    begin = _day("from", first)
    if end is None:
        period = Period(begin, today + timedelta(days=1))
        _check_length(period, "from", "is in the future", "lies {} days back or more")
    else:
        period = Period(begin, _day("to", end))
        after = "must be after from: it is the first day that does not count"
        _check_length(period, "to", after, "is more than {} days after from")
    return period


def _check_length(period: Period, part: str, none: str, too_long: str) -> None:
    days = (period.end - period.first).days
    if days <= 0:
        raise PeriodRefused(part, none)
    if days > MOST_DAYS:
        raise PeriodRefused(part, too_long.format(MOST_DAYS))


def month_period(month: str) -> Period:
    """A month written YYYY-MM."""
    try:
        if not _MONTH.fullmatch(month):
            raise ValueError
        first = _since_1970(date.fromisoformat(f"{month}-01"))
        following = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    except ValueError:
        raise PeriodRefused("month", "is written YYYY-MM, such as 2026-01") from None
    return Period(first, following)


def _day(part: str, text: str) -> date:
    try:
        if not _DATE.fullmatch(text):
            raise ValueError
        return _since_1970(date.fromisoformat(text))
    except ValueError:
        raise PeriodRefused(part, "is a day in UTC, written YYYY-MM-DD") from None


def _since_1970(day: date) -> date:
    if day < _EPOCH:
        raise ValueError
    return day
