"""Which accounts have events that a follower of the outbox has not seen, at the cost of one look.

Numbers of events are given before their transactions commit, so that a look may find some that are
smaller than those of before.
"""

from collections import deque
from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.store.events import outbox
from gatehouse.store.events.outbox import BEGINNING, INSTALLATION, EventPlace, WrittenEvents
from gatehouse.store.tables import EVENTS

# Events of transactions that took this many looks to commit are found at once; those that took
# longer, as many as are remembered, now and then.
_RECENT: Final = 8
_REMEMBERED: Final = 240
_THOROUGH: Final = 40
# When a transaction that ran for this many looks ends, what it wrote or held back may be older than
# what is remembered at the next thorough look.
_LONG: Final = _REMEMBERED - 2 * _THOROUGH
# Asked several times a second: to make the statement would take longer than to run it.
_TOLD: Final = (
    sa.select(EVENTS.c.account_id, sa.func.max(EVENTS.c.xid), sa.func.max(EVENTS.c.seq))
    .where(EVENTS.c.seq > sa.bindparam("after", type_=sa.BigInteger))
    .group_by(EVENTS.c.account_id)
)


class EventNews(NamedTuple):
    """What one look found."""

    written: WrittenEvents
    told: dict[str, EventPlace] | None
    """Accounts with new events, empty for the installation's own; None when all may have some.

    With each comes a place that none of these events is behind, if only by its number.
    """

    def told_after(self, account_id: str, place: EventPlace) -> bool:
        """Whether an account is known to have new events after a place, or the installation."""
        told = self.told or {}
        return any(told.get(each, BEGINNING) > place for each in (account_id, INSTALLATION))


class NewsWatch:
    """Remembers how far events were written at earlier looks."""

    def __init__(self) -> None:
        self._seen: deque[WrittenEvents] = deque(maxlen=_REMEMBERED)
        self._looks = 0

    def look(self, connection: sa.Connection) -> EventNews:
        """What is new since the looks that were noted."""
        written = outbox.read_written(connection)
        self._looks += 1
        if self._may_be_any(written):
            return EventNews(written, None)
        is_thorough = self._looks % _THOROUGH == 0
        after = self._seen[0 if is_thorough else -min(_RECENT, len(self._seen))].newest
        if written.newest <= after:
            return EventNews(written, {})
        rows = connection.execute(_TOLD, {"after": after})
        return EventNews(written, {account: EventPlace(xid, seq) for account, xid, seq in rows})

    def note(self, news: EventNews) -> None:
        """Remember a look whose news were acted upon."""
        self._seen.append(news.written)

    def forget(self) -> None:
        """Begin anew: at the next look all accounts may have events."""
        self._seen.clear()

    def _may_be_any(self, written: WrittenEvents) -> bool:
        """Whether any account may have events that are older than what is remembered.

        That is so at first, and again a little later, because of transactions that ran then. And it
        is so whenever readers get further after a transaction has kept them up for long.
        """
        count = len(self._seen)
        if count <= _RECENT:
            return count in (0, _RECENT)
        before, long_ago = self._seen[-1], self._seen[max(_RECENT, count - _LONG)]
        return before.oldest_running < min(written.oldest_running, long_ago.not_ended)
