"""Follows the decisions of one account into its copy, a short step at a time.

The copy is filled from the newest decision to the oldest, so that the figures of the last days are
there first. New decisions are found by their ids. A commit can be late, so the ids of the last
minute are always compared, and those of the last quarter of an hour now and then.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.ids import first_id, id_time_ms
from gatehouse.figures.account_columns import DECISIONS, AccountColumns, Coverage, set_note
from gatehouse.figures.column_batches import BatchMaker, Found
from gatehouse.figures.later_changes import LaterChanges
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import record_changes, records
from gatehouse.store.decisions.records import KeptRecord
from gatehouse.store.feedback import feedback, feedback_history

ROWS_AT_ONCE: Final = 4000
_IDS_AT_ONCE: Final = 20_000
_LATE_MS: Final = 60_000
"""Nearly every decision is there so soon after its request came."""
_LATEST_MS: Final = 900_000
_AFTER_ALL: Final = "req_z"
"""After every id."""
_COUNT_S: Final = 10.0


class Pauses(msgspec.Struct, frozen=True):
    """How often the follower does what takes longer, in seconds."""

    compare_s: float = 60.0
    compact_s: float = 600.0


USUAL_PAUSES: Final = Pauses()


class Follower:
    """Brings one copy up to date; only one thread may call it."""

    def __init__(
        self,
        session: AdminSession,
        columns: AccountColumns,
        pauses: Pauses = USUAL_PAUSES,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._columns = columns
        self._account_id = columns.account_id
        self._batches = BatchMaker(columns.layout)
        self._changes = LaterChanges(session, columns, self.put)
        self._pauses = pauses
        self._stopwatch = stopwatch
        self._times: dict[str, float] = {}
        self._opened = False
        self._reached = _AFTER_ALL
        self._newest_ms = 0
        """Everything up to here was read, but for commits that are late."""
        self._total = 0

    def step(self) -> bool:
        """Do the next part of the work; whether there is more to do at once."""
        now_ms = self._session.clock()
        self._open(now_ms)
        self._changes.follow(now_ms, building=bool(self._reached))
        compares = not self._reached and self._is_due("compared", self._pauses.compare_s)
        behind = self._read_new(_LATEST_MS if compares else _LATE_MS)
        building = self._build()
        if compares and not behind:
            self._compare(now_ms)
        self._compact()
        self._tell(now_ms, behind=behind)
        return building or behind

    def catch_up(self, since_ms: int = 0) -> None:
        """Do all that there is to do by now, or as much as covers the time from a moment on."""
        while self.step():
            covered = self._columns.coverage
            if covered.since_ms is not None and covered.since_ms < since_ms:
                return

    def put(self, request_ids: Sequence[str]) -> None:
        """Read decisions anew."""
        for first in range(0, len(request_ids), ROWS_AT_ONCE):
            wanted = request_ids[first : first + ROWS_AT_ONCE]
            with self._session.reading() as connection:
                kept = records.by_ids(
                    connection, self._account_id, wanted, self._session.fingerprints
                )
                found = self._found(connection, kept)
            with self._columns.writing() as asking:
                self._columns.put(asking, self._batches.copied(found))

    def _open(self, now_ms: int) -> None:
        """Open the copy, or begin a new one if it cannot be that of this database."""
        columns = self._columns
        if not self._opened and columns.open():
            self._opened = True
            self._reached = columns.note("reached") or ""
            self._changes.load()
            with columns.reading() as asking:
                [(newest,)] = asking.ask(f"SELECT max(id_ms) FROM {DECISIONS}")  # noqa: S608
            self._newest_ms = newest or 0
        if self._opened and not columns.is_damaged and self._changes.is_same_database():
            return
        with self._session.reading() as connection:
            mark = record_changes.newest_mark(connection)
            seq = feedback.newest(connection)
        columns.make()
        self._reached, self._newest_ms = _AFTER_ALL, now_ms
        with columns.writing() as asking:
            set_note(asking, "reached", self._reached)
            self._changes.begin(asking, mark, seq)
        self._opened = True

    def _build(self) -> bool:
        """Read the next older decisions; whether there are more."""
        if not self._reached:
            return False
        with self._session.reading() as connection:
            kept = records.before(
                connection,
                self._account_id,
                self._reached,
                ROWS_AT_ONCE,
                self._session.fingerprints,
            )
            found = self._found(connection, kept)
        self._reached = kept[-1].request_id if len(kept) == ROWS_AT_ONCE else ""
        with self._columns.writing() as asking:
            self._columns.put(asking, self._batches.copied(found))
            set_note(asking, "reached", self._reached)
        return bool(self._reached)

    def _found(self, connection: sa.Connection, kept: Sequence[KeptRecord]) -> Found:
        """Records with what became of them since."""
        ids = [each.request_id for each in kept]
        labels = feedback_history.labels_of(connection, self._account_id, ids)
        return Found(kept, labels, record_changes.review_states(connection, self._account_id, ids))

    def _read_new(self, late_ms: int) -> bool:
        """Read decisions that came since; whether there are more."""
        since_ms = self._newest_ms - late_ms
        known = self._ids_since(since_ms)
        after = first_id("req", max(0, since_ms))
        while True:
            with self._session.reading() as connection:
                ids = records.ids_after(connection, self._account_id, after, _IDS_AT_ONCE)
            missing = [each for each in ids if each not in known]
            if self._reached:
                # Those before are going to be read in their turn.
                missing = [each for each in missing if id_time_ms(each) >= self._newest_ms]
            self.put(missing[:ROWS_AT_ONCE])
            if len(missing) > ROWS_AT_ONCE:
                self._newest_ms = max(self._newest_ms, id_time_ms(missing[ROWS_AT_ONCE]))
                return True
            if ids:
                after = ids[-1]
                self._newest_ms = max(self._newest_ms, id_time_ms(after))
            if len(ids) < _IDS_AT_ONCE:
                return False

    def _ids_since(self, since_ms: int) -> set[str]:
        with self._columns.reading() as asking:
            query = f"SELECT request_id FROM {DECISIONS} WHERE id_ms >= {since_ms}"  # noqa: S608
            return {row[0] for row in asking.ask(query)}

    def _compare(self, now_ms: int) -> None:
        """Compare the number of decisions, and if it differs, which they are."""
        until_ms = now_ms - _LATEST_MS
        with self._columns.reading() as asking:
            query = f"SELECT count(*) FROM {DECISIONS} WHERE id_ms < {until_ms}"  # noqa: S608
            [(ours,)] = asking.ask(query)
        with self._session.reading() as connection:
            last = first_id("req", until_ms)
            theirs = records.count_before(connection, self._account_id, last)
        if ours != theirs:
            self._compare_ids(until_ms)
        self._changes.compare_reviews()

    def _compare_ids(self, until_ms: int) -> None:
        after, since_ms, more = "", 0, True
        while more:
            with self._session.reading() as connection:
                ids = records.ids_after(connection, self._account_id, after, _IDS_AT_ONCE)
            more = len(ids) == _IDS_AT_ONCE and id_time_ms(ids[-1]) < until_ms
            # All decisions of one moment are compared together.
            end_ms = id_time_ms(ids[-1]) if more else until_ms
            theirs = {each for each in ids if id_time_ms(each) < end_ms}
            between = f"id_ms >= {since_ms} AND id_ms < {end_ms}"
            with self._columns.reading() as asking:
                query = f"SELECT request_id FROM {DECISIONS} WHERE {between}"  # noqa: S608
                ours = {row[0] for row in asking.ask(query)}
            self._changes.remove(sorted(ours - theirs))
            self.put(sorted(theirs - ours))
            after, since_ms = first_id("req", end_ms), end_ms

    def _compact(self) -> None:
        if self._changes.compact_due and self._is_due("compacted", self._pauses.compact_s):
            self._columns.compact()
            self._changes.compacted()

    def _tell(self, now_ms: int, *, behind: bool) -> None:
        with self._columns.reading() as asking:
            [(done,)] = asking.ask(f"SELECT count(*) FROM {DECISIONS}")  # noqa: S608
        if not self._reached:
            self._total = done
        elif self._is_due("counted", _COUNT_S):
            with self._session.reading() as connection:
                self._total = records.count_before(connection, self._account_id, _AFTER_ALL)
        since_ms = id_time_ms(self._reached) if self._reached else None
        self._columns.coverage = Coverage(
            complete=not self._reached,
            since_ms=since_ms,
            until_ms=self._newest_ms if behind else now_ms,
            done=done,
            total=max(done, self._total),
        )
        if not self._reached:
            self._columns.ready.set()

    def _is_due(self, what: str, pause_s: float) -> bool:
        """Whether so much time has passed since it was last due."""
        now = self._stopwatch()
        last = self._times.get(what)
        if last is not None and now - last < pause_s:
            return False
        self._times[what] = now
        return True
