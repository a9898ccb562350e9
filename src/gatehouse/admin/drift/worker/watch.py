"""Looks, every hour at most, whether something is not as usual, and tells it as one event.

Every part of six hours is read once and kept as counts. A look that finds no new part asks the
database one question.
"""

import time
from typing import Final

import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.drift import queries
from gatehouse.admin.drift.types.comparing import (
    LEAST_REQUESTS,
    DriftJudgement,
    judge_rules,
    judge_signals,
)
from gatehouse.admin.drift.types.label_delay import WeekOfLabels, judge_labels
from gatehouse.admin.drift.types.profile import PART_MS, PARTS_A_DAY, PARTS_A_WEEK, added
from gatehouse.admin.drift.worker.reading import ProfileReader
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import derived_id
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import RepeatedLook
from gatehouse.store.events import outbox
from gatehouse.store.exclusive import exclusive
from gatehouse.store.state import lock_changes, read_mark, set_mark

_FIRST_LOOK_S: Final = 300.0
_LOOK_S: Final = 3600.0
_LATE_MS: Final = 900_000
"""Decisions are committed within a quarter of an hour."""
WEEKS: Final = 4
_KEPT_PARTS: Final = WEEKS * PARTS_A_WEEK + PARTS_A_DAY
PARTS_A_LOOK: Final = 12
"""Parts that are read at one look, the newest first, when an account is new to the watch."""
_REST_S: Final = 0.05
"""Between two parts, so that a small machine gets to other work."""
_DAY_MS: Final = 86_400_000
_WEEK_MS: Final = 7 * _DAY_MS
_DRIFTS_KEPT_MS: Final = 90 * _DAY_MS
_OLDEST_LABELLED_MS: Final = 200 * _DAY_MS
"""Banks take back payments for half a year at most."""
_MOST_NAMED: Final = 20
"""Of what an event tells; the rest is counted."""
_MOST_OPEN: Final = 10_000
_MARK: Final = "drift"
_WORK: Final = "drift"


class DriftWatch(RepeatedLook):
    """The watch of one server; of several, one looks at a time."""

    def __init__(self, session: AdminSession) -> None:
        super().__init__(_LOOK_S, "could not look for drift", first_s=_FIRST_LOOK_S)
        self._session = session.acting_as(Actor.system("drift"))
        self._reader = ProfileReader(session.database)

    def look(self) -> None:
        """Read what is new, and judge the accounts that have something new."""
        self._session.actor.check_installation()
        database, now_ms = self._session.database, self._session.clock()
        newest_ms = (now_ms - _LATE_MS) // PART_MS * PART_MS - PART_MS
        with database.reading() as connection:
            if read_mark(connection, _MARK) == str(newest_ms):
                return
        with exclusive(database, _WORK) as is_ours:
            if is_ours:
                done = [self._look_at(each, newest_ms) for each in self._busy(newest_ms)]
                self._finish(newest_ms, now_ms, done=all(done))

    def _busy(self, newest_ms: int) -> list[str]:
        """The accounts with enough requests in the last day."""
        since_ms = newest_ms - (PARTS_A_DAY - 1) * PART_MS
        with self._session.database.reading() as connection:
            return queries.busy_accounts(connection, since_ms, LEAST_REQUESTS)

    def _look_at(self, account_id: str, newest_ms: int) -> bool:
        """Read parts of an account, and judge it; whether all of its parts are read by now."""
        database = self._session.database
        starts = [newest_ms - number * PART_MS for number in range(_KEPT_PARTS)]
        with database.reading() as connection:
            known = queries.known_parts(connection, account_id, starts[-1])
        missing = [start for start in starts if start not in known]
        for start_ms in missing[:PARTS_A_LOOK]:
            if self._stopped.is_set():
                return False
            profile = self._reader.read(account_id, start_ms)
            with database.writing() as connection:
                queries.keep_profile(connection, account_id, start_ms, profile)
            time.sleep(_REST_S)
        if newest_ms in missing or len(missing) <= PARTS_A_LOOK:
            self.judge(account_id, newest_ms)
        return len(missing) <= PARTS_A_LOOK

    def judge(self, account_id: str, newest_ms: int) -> None:
        """Compare the last day with the weeks before, and tell what began to drift."""
        now_ms = self._session.clock()
        with self._session.database.reading() as connection:
            found = self._judged(connection, account_id, newest_ms)
        with self._session.database.writing() as connection:
            lock_changes(connection)
            # Another server may have judged meanwhile, so what is open is read again.
            kept = queries.listing(connection, account_id, _MOST_OPEN, ended=False)
            is_open = {(each.kind, each.name) for each in kept}
            new = [one for one in found if one.drifts and (one.kind, one.name) not in is_open]
            queries.begin(connection, account_id, new, now_ms)
            for each in found:
                if (each.kind, each.name) in is_open:
                    queries.see(connection, account_id, each, now_ms)
            if new:
                outbox.add(connection, [_event(account_id, new, newest_ms, now_ms)])

    def _judged(
        self, connection: sa.Connection, account_id: str, newest_ms: int
    ) -> list[DriftJudgement]:
        days = [
            [newest_ms - (week * PARTS_A_WEEK + part) * PART_MS for part in range(PARTS_A_DAY)]
            for week in range(WEEKS + 1)
        ]
        kept = queries.profiles_of(connection, account_id, [at for day in days for at in day])
        # A day of which a part is not read yet is left out.
        whole = [[kept[at] for at in day] for day in days[1:] if all(at in kept for at in day)]
        found: list[DriftJudgement] = []
        if all(at in kept for at in days[0]):
            now, before = added(kept[at] for at in days[0]), [added(day) for day in whole]
            found += judge_signals(now, before, self._reader.scores)
            found += judge_rules(now, before)
        end_ms = newest_ms + PART_MS
        borders = [end_ms - week * _WEEK_MS for week in range(WEEKS + 1, -1, -1)]
        oldest_ms = borders[0] - _OLDEST_LABELLED_MS
        *earlier, last = queries.days_until_known(connection, account_id, borders, oldest_ms)
        return found + judge_labels(WeekOfLabels(last), [WeekOfLabels(each) for each in earlier])

    def _finish(self, newest_ms: int, now_ms: int, *, done: bool) -> None:
        """Tidy up; note whether nothing is left to do until the next part ends."""
        with self._session.database.writing() as connection:
            lock_changes(connection)
            if done and not self._stopped.is_set():
                set_mark(connection, _MARK, str(newest_ms))
            queries.end_unseen(connection, now_ms - _WEEK_MS, now_ms)
            oldest_ms = newest_ms - _KEPT_PARTS * PART_MS
            queries.delete_old(connection, oldest_ms, now_ms - _DRIFTS_KEPT_MS)


def _event(account_id: str, new: list[DriftJudgement], newest_ms: int, now_ms: int) -> NewEvent:
    """One event for all that began together, which mostly has one cause."""
    named = [
        {
            **{"kind": each.kind.value, "name": each.name, "requests": each.requests},
            **{"figure": round(each.figure, 4), "usual": round(each.usual, 4)},
        }
        for each in new[:_MOST_NAMED]
    ]
    names = " ".join(f"{each.kind} {each.name}" for each in new)
    return NewEvent(
        derived_id("evt", newest_ms, f"{EventName.DRIFT_NOTICED} {account_id} {names}"),
        account_id,
        now_ms,
        EventName.DRIFT_NOTICED,
        "drift",
        new[0].name,
        encode_data({"drifts": named, "count": len(new)}),
    )
