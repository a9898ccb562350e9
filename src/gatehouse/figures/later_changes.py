"""What happens to decisions after they were copied: labels, reviews, erasure and deletion.

Labels have numbers in the order of their commits. Erasures and deletions leave a line in the audit
trail; then the decisions are compared with the copy. What the copy loses is also gone from its
file, because the file is written anew.
"""

from collections.abc import Callable, Sequence
from typing import Final

from gatehouse.figures.account_columns import DECISIONS, AccountColumns, set_note
from gatehouse.figures.engine import ColumnConnection
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import record_changes, records
from gatehouse.store.decisions.record_changes import AuditMark
from gatehouse.store.feedback import feedback, feedback_history
from gatehouse.store.feedback.feedback_history import KnownLabel

_LABELS_AT_ONCE: Final = 2000
_LINES_AT_ONCE: Final = 500
_ROWS_AT_ONCE: Final = 20_000
_IN_RANGE: Final = 5000
_ERASURE_BEGAN: Final = "privacy.erase-begin"
_ERASED: Final = "privacy.erase"
_DELETED: Final = "retention.end"
_ERASURE_MS: Final = 3_600_000
"""An erasure that did not end may have erased something within this time."""
_LOOK_MS: Final = 600_000
_FAR_MS: Final = 2**45


class LaterChanges:
    """Follows the changes of one account."""

    def __init__(
        self,
        session: AdminSession,
        columns: AccountColumns,
        put: Callable[[Sequence[str]], None],
    ) -> None:
        """`put` reads decisions anew."""
        self._session = session
        self._columns = columns
        self._put = put
        self._account_id = columns.account_id
        self._mark = AuditMark(0, "")
        self._seq = 0
        self._erasing_until_ms = 0
        self._looked_ms = 0
        self.compact_due = False
        """Whether the file may hold what is gone from the copy."""

    def begin(self, asking: ColumnConnection, mark: AuditMark, seq: int) -> None:
        """Note where a new copy begins."""
        self._mark, self._seq = mark, seq
        self._erasing_until_ms, self.compact_due = 0, False
        self._save(asking)

    def load(self) -> None:
        """Go on where an earlier process has ended."""
        note = self._columns.note
        seq, _, hashed = (note("audit") or "0 ").partition(" ")
        self._mark = AuditMark(int(seq), hashed)
        self._seq = int(note("labels") or 0)
        self._erasing_until_ms = int(note("erasing") or 0)
        self.compact_due = note("compact") == "1"

    def is_same_database(self) -> bool:
        """Whether the database still has what was followed; one that was restored has not."""
        with self._session.reading() as connection:
            newest = feedback.newest(connection)
            return newest >= self._seq and record_changes.has_mark(connection, self._mark)

    def follow(self, now_ms: int, *, building: bool) -> None:
        """Bring all that changed into the copy."""
        self._follow_trail(now_ms)
        while self._follow_labels():
            pass
        if not building:
            self._follow_reviews()

    def remove(self, request_ids: Sequence[str]) -> None:
        """Remove decisions from the copy, and soon from its file."""
        if request_ids:
            self.compact_due = True
            with self._columns.writing() as asking:
                self._columns.remove(asking, request_ids)
                self._save(asking)

    def compacted(self) -> None:
        """Note that the file holds nothing but the copy."""
        self.compact_due = False
        with self._columns.writing() as asking:
            self._save(asking)

    def compare_reviews(self) -> None:
        """Compare the number of reviews in each state, and if it differs, take all of them anew."""
        with self._session.reading() as connection:
            theirs = record_changes.count_reviews(connection, self._account_id)
        with self._columns.reading() as asking:
            query = f"SELECT review, count(*) FROM {DECISIONS} "  # noqa: S608
            ours = dict(asking.ask(f"{query} WHERE review IS NOT NULL GROUP BY review"))
        if ours != theirs:
            self._take_reviews()

    def _follow_trail(self, now_ms: int) -> None:
        before, erased, deleted = self._mark, False, False
        while True:
            with self._session.reading() as connection:
                lines = record_changes.actions_after(connection, self._mark.seq, _LINES_AT_ONCE)
            for line in lines:
                self._mark = line.mark
                deleted |= line.action == _DELETED
                if line.account_id == self._account_id:
                    erased |= line.action == _ERASED
                    if line.action == _ERASURE_BEGAN:
                        self._erasing_until_ms = now_ms + _ERASURE_MS
            if len(lines) < _LINES_AT_ONCE:
                break
        if now_ms < self._erasing_until_ms and now_ms - self._looked_ms >= _LOOK_MS:
            erased = True
        if erased:
            self._looked_ms = now_ms
            self._erase()
        if deleted:
            self._take_labels()
            self._take_reviews()
        if self._mark != before:
            with self._columns.writing() as asking:
                self._save(asking)

    def _follow_labels(self) -> bool:
        """Take labels that were recorded since; whether there may be more."""
        with self._session.reading() as connection:
            if feedback.newest(connection) <= self._seq:
                return False
            rows = record_changes.labels_after(
                connection, self._account_id, self._seq, _LABELS_AT_ONCE
            )
            ids = sorted({row.request_id for row in rows})
            labels = feedback_history.labels_of(connection, self._account_id, ids)
            reviews = record_changes.review_states(connection, self._account_id, ids)
        if rows:
            self._seq = rows[-1].seq
            with self._columns.writing() as asking:
                self._columns.update(
                    asking, ids, {**_labelled(ids, labels), "review": list(map(reviews.get, ids))}
                )
                self._save(asking)
        return len(rows) == _LABELS_AT_ONCE

    def _follow_reviews(self) -> None:
        """Take reviews that were closed without a new label, or opened late."""
        with self._session.reading() as connection:
            theirs = record_changes.open_reviews(connection, self._account_id)
        with self._columns.reading() as asking:
            query = f"SELECT request_id FROM {DECISIONS} WHERE review = 'OPEN'"  # noqa: S608
            ours = {row[0] for row in asking.ask(query)}
        if changed := sorted(ours ^ theirs):
            with self._session.reading() as connection:
                states = record_changes.review_states(connection, self._account_id, changed)
            with self._columns.writing() as asking:
                self._columns.update(asking, changed, {"review": list(map(states.get, changed))})

    def _erase(self) -> None:
        """Find decisions whose person was erased, and read what is left of them."""
        with self._columns.reading() as asking:
            ends = asking.ask(
                "SELECT min(request_id), max(request_id) FROM (SELECT request_id, "  # noqa: S608
                f"row_number() OVER (ORDER BY request_id) // {_IN_RANGE} AS part "
                f"FROM {DECISIONS}) GROUP BY part ORDER BY part"
            )
            query = f"SELECT request_id FROM {DECISIONS} WHERE erased"  # noqa: S608
            known = {row[0] for row in asking.ask(query)}
        for first, last in ends:
            with self._session.reading() as connection:
                found = records.erased_in(connection, self._account_id, first, last)
            if new := [each for each in found if each not in known]:
                self.compact_due = True
                self._put(new)

    def _take_labels(self) -> None:
        """Take all labels anew: the oldest may have been deleted."""
        with self._session.reading() as connection:
            known = feedback_history.labels_with_times(connection, self._account_id, 0, _FAR_MS)
        ids = sorted(known)
        with self._columns.writing() as asking:
            self._columns.clear(asking, ["fraud", "labelled_ms"])
            for first in range(0, len(ids), _ROWS_AT_ONCE):
                part = ids[first : first + _ROWS_AT_ONCE]
                self._columns.update(asking, part, _labelled(part, known))

    def _take_reviews(self) -> None:
        with self._session.reading() as connection:
            known = record_changes.review_states(connection, self._account_id)
        ids = sorted(known)
        with self._columns.writing() as asking:
            self._columns.clear(asking, ["review"])
            for first in range(0, len(ids), _ROWS_AT_ONCE):
                part = ids[first : first + _ROWS_AT_ONCE]
                self._columns.update(asking, part, {"review": [known[each] for each in part]})

    def _save(self, asking: ColumnConnection) -> None:
        set_note(asking, "audit", f"{self._mark.seq} {self._mark.hash}")
        set_note(asking, "labels", str(self._seq))
        set_note(asking, "erasing", str(self._erasing_until_ms))
        set_note(asking, "compact", "1" if self.compact_due else "")


def _labelled(ids: Sequence[str], known: dict[str, KnownLabel]) -> dict[str, list[object]]:
    labels = [known.get(each) for each in ids]
    return {
        "fraud": [None if each is None else each.fraud for each in labels],
        "labelled_ms": [None if each is None else each.fraud_known_ms for each in labels],
    }
