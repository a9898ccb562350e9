"""Reads what came since the last look, and the hours that have ended, without keeping a request."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import sqlalchemy as sa

from gatehouse.admin.alerts.types.hours import HOUR_MS, HourCounts, count_hour
from gatehouse.admin.alerts.types.judging import LONGEST_MS, WINDOWS_MS
from gatehouse.admin.alerts.types.observing import SeenRequest, observe
from gatehouse.core.ids import first_id, id_time_ms
from gatehouse.decisions.record import UnreadableRecord, decode
from gatehouse.store.database import Database
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import RecordSpan

LATE_MS: Final = 60_000
"""Nearly every decision is there so soon after its request came."""
MOST_READ: Final = 1000
"""Of a look, the newest records. More would cost time; their number is counted all the same."""
MOST_KEPT: Final = 3000
"""Observations of an account, the newest."""
_IDS_AT_ONCE: Final = 5000
_MOST_IDS: Final = 100_000
_MINUTE_MS: Final = 60_000
_QUARTER_MS: Final = HOUR_MS // 4
AT_MOST: Final = 500
"""Records of a quarter of an hour, the first ones."""


class RecentRequests:
    """The last hours of one account, as far as the watch needs them."""

    def __init__(self, account_id: str) -> None:
        self._account_id = account_id
        self._newest_ms = 0
        self._known: set[str] = set()
        """Requests that were read, of the time in which others may still be committed."""
        self._minutes: Counter[int] = Counter()
        self.seen: list[SeenRequest] = []

    def read(self, connection: sa.Connection, now_ms: int) -> int:
        """Read what came since; how many that were."""
        since_ms = max(self._newest_ms - LATE_MS, now_ms - LONGEST_MS)
        new = [each for each in self._ids(connection, since_ms) if each not in self._known]
        for each in new:
            self._minutes[id_time_ms(each) // _MINUTE_MS] += 1
        self.seen += _observed(records.texts_of(connection, self._account_id, new[-MOST_READ:]))
        self.seen.sort(key=lambda each: each.at_ms)
        self._known.update(new)
        if new:
            self._newest_ms = max(self._newest_ms, id_time_ms(new[-1]))
        self._forget(now_ms)
        return len(new)

    def requests(self, now_ms: int) -> list[int]:
        """How many came in each window, whether they were read or not."""
        return [
            sum(
                count
                for minute, count in self._minutes.items()
                if minute > (now_ms - window_ms) // _MINUTE_MS
            )
            for window_ms in WINDOWS_MS
        ]

    def _ids(self, connection: sa.Connection, since_ms: int) -> list[str]:
        found: list[str] = []
        after = first_id("req", max(0, since_ms))
        while len(found) < _MOST_IDS:
            more = records.ids_after(connection, self._account_id, after, _IDS_AT_ONCE)
            found += more
            if len(more) < _IDS_AT_ONCE:
                break
            after = more[-1]
        return found

    def _forget(self, now_ms: int) -> None:
        oldest_ms = now_ms - LONGEST_MS
        self.seen = [each for each in self.seen if each.at_ms > oldest_ms][-MOST_KEPT:]
        late = first_id("req", max(0, self._newest_ms - LATE_MS))
        self._known = {each for each in self._known if each > late}
        for minute in [each for each in self._minutes if each < oldest_ms // _MINUTE_MS]:
            del self._minutes[minute]


def read_hour(database: Database, account_id: str, start_ms: int) -> HourCounts:
    """The counts of one hour."""
    seen: list[SeenRequest] = []
    for since_ms in range(start_ms, start_ms + HOUR_MS, _QUARTER_MS):
        span = RecordSpan(account_id, since_ms, since_ms + _QUARTER_MS)
        # No card is named, so fingerprints stay as they are kept.
        first = next(records.stream(database, span, None, batch=AT_MOST), [])
        seen += _observed([each.text for each in first])
    requests = len(seen)
    if requests >= AT_MOST:
        with database.reading() as connection:
            span = RecordSpan(account_id, start_ms, start_ms + HOUR_MS)
            requests = records.count(connection, span)
    return count_hour(seen, requests)


def _observed(texts: Sequence[str]) -> Iterator[SeenRequest]:
    for text in texts:
        try:
            record = decode(text)
        except UnreadableRecord:
            continue
        seen = observe(record, id_time_ms(record.request_id))
        if seen is not None:
            yield seen
