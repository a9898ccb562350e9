"""An account's monthly statement: payments, fees by function, and balances."""

from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from gatehouse.billing.ledger import EntryKind, LedgerEntry
from gatehouse.billing.verify import fees_of


class FeeLine(msgspec.Struct, rename="camel"):
    """All charges of one fee type."""

    count: int = 0
    total: int = 0


class MonthStatement(msgspec.Struct, rename="camel"):
    """The sums of a month, in millionths."""

    opening: int = 0
    top_ups: int = 0
    adjustments: int = 0
    fees: dict[str, FeeLine] = {}
    uncharged_requests: int = 0

    @property
    def charged(self) -> int:
        """All fees of the month."""
        return sum(line.total for line in self.fees.values())

    @property
    def closing(self) -> int:
        """The balance at the end of the month."""
        return self.opening + self.top_ups + self.adjustments - self.charged


def month_bounds(month: str) -> tuple[int, int]:
    """The first and the past-the-end millisecond of a month written YYYY-MM, in UTC."""
    try:
        start = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
        following = (start.year + start.month // 12, start.month % 12 + 1)
        end = datetime(*following, 1, tzinfo=UTC)
    except ValueError:
        raise ValueError("a month is written YYYY-MM, such as 2026-01") from None
    return int(start.timestamp() * 1000), int(end.timestamp() * 1000)


def make_statement(opening: int, entries: Iterable[LedgerEntry]) -> MonthStatement:
    """Add up the entries of one month on top of the balance before it."""
    statement = MonthStatement(opening=opening)
    for entry in entries:
        match entry.kind:
            case EntryKind.TOP_UP:
                statement.top_ups += entry.amount
            case EntryKind.ADJUST:
                statement.adjustments += entry.amount
            case EntryKind.CLOSE if entry.amount:
                for fee_type, fee in fees_of(entry).items():
                    line = statement.fees.setdefault(fee_type, FeeLine())
                    line.count += 1
                    line.total += fee
            case EntryKind.CLOSE | EntryKind.RELEASE | EntryKind.EXPIRE:
                statement.uncharged_requests += 1
            case EntryKind.AUTHORIZE:
                pass
    return statement
