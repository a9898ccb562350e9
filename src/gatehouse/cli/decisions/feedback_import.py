"""The import of feedback: reads, finds the requests that are meant, and keeps what is new.

A file that is imported again changes nothing, whatever others have said since. What it says about a
request is then on record as an import in the same order already (fraud first, then legitimate after
all). So a row is news only where what the file has said so far about its request does not occur in
this order among what imports have said.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from gatehouse.cli.decisions.feedback_files import FeedbackFile, FeedbackRow
from gatehouse.cli.flaws import BadLine, Flaws
from gatehouse.cli.progress import Progress
from gatehouse.cli.record_files import RecordFormat
from gatehouse.core.errors import InvalidInput
from gatehouse.core.keyring import ENTITIES
from gatehouse.core.labels import Label, LabelSource
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.feedback import (
    MOST_REQUESTS,
    FeedbackStatement,
    LabelState,
    Telling,
    TooMuchSaid,
    next_standing,
    weigh,
)
from gatehouse.store.feedback.feedback_history import find_all, said_before
from gatehouse.store.identities.imports import batch_of

BATCH: Final = 500
MOST_FOLLOWED: Final = 100_000
_UNKNOWN: Final = "no such request for this account"
_MANY: Final = f"more than {MOST_REQUESTS} requests have this name; use requestId"


class RowStatement(NamedTuple):
    """What a row says about one request."""

    line: int
    request_id: str
    statement: FeedbackStatement


class News(NamedTuple):
    """What became of one statement about one request."""

    label: Label
    previous: Label | None
    changed: bool


Keep = Callable[[Sequence[RowStatement]], list[News | TooMuchSaid]]
"""Keeps some statements, or only says what would become of them."""


class FeedbackImport(msgspec.Struct, frozen=True):
    """What is to be imported, and how."""

    account_id: str
    file: Path | None
    """None is standard input."""
    form: RecordFormat
    dry_run: bool


class FeedbackCounts(Flaws, kw_only=True):
    """What became of the rows of a file; a row can be about several requests."""

    read: int = 0
    new: int = 0
    """Requests of which nothing counted before."""
    changed: int = 0
    unchanged: int = 0
    labels: Counter[Label] = msgspec.field(default_factory=Counter)
    error: InvalidInput | None = None
    """Why the file could not be read to its end."""

    def count(self, news: Sequence[News]) -> None:
        """Count what was kept, or was no news."""
        for one in news:
            self.labels[one.label] += 1
            if not one.changed:
                self.unchanged += 1
            elif one.previous is None:
                self.new += 1
            else:
                self.changed += 1


def import_file(job: FeedbackImport, place: AdminSession) -> FeedbackCounts:
    """Import a file; the trail gets one line about it, however it ends."""
    source = FeedbackFile(job.file, job.form)
    outcome = FeedbackCounts()
    try:
        _take_all(source, job, place, outcome)
    finally:
        source.close()
        if not job.dry_run:
            with place.change(unseen=True) as change:
                change.audit("feedback.import", job.account_id, **counts(outcome))
    return outcome


def counts(outcome: FeedbackCounts) -> dict[str, int]:
    """The numbers alone."""
    names = ("read", "new", "changed", "unchanged", "bad")
    return {name: getattr(outcome, name) for name in names}


def _take_all(
    source: FeedbackFile, job: FeedbackImport, place: AdminSession, outcome: FeedbackCounts
) -> None:
    keeper = EntityHasher(place.ring.current(ENTITIES)[1])
    courses = _Courses(job.account_id, place)
    keep = _rehearsing(courses) if job.dry_run else _writing(job, place)
    with Progress("importing", source.size) as progress:
        for batch in _batches(source.rows(keeper, place.clock()), outcome):
            said = _resolved(batch, job, place, outcome)
            courses.load([one.request_id for one in said])
            fresh: list[RowStatement] = []
            for one in said:
                if courses.is_known(one):
                    outcome.count([News(one.statement.label, None, changed=False)])
                else:
                    fresh.append(one)
            _count_kept(fresh, keep(fresh), outcome)
            progress.reached(source.bytes_read, f"line {source.at.line}")


def _count_kept(
    said: Sequence[RowStatement], answers: Sequence[News | TooMuchSaid], outcome: FeedbackCounts
) -> None:
    outcome.count([one for one in answers if isinstance(one, News)])
    refused = {
        one.line: str(answer)
        for one, answer in zip(said, answers, strict=True)
        if isinstance(answer, TooMuchSaid)
    }
    for line, message in refused.items():
        outcome.add(line, message)


def _batches(
    found: Iterator[FeedbackRow | BadLine], outcome: FeedbackCounts
) -> Iterator[list[FeedbackRow | BadLine]]:
    batch: list[FeedbackRow | BadLine] = []
    try:
        for one in found:
            batch.append(one)
            if len(batch) >= BATCH:
                yield batch
                batch = []
    except InvalidInput as unreadable:
        # What was read until then is good.
        outcome.error = unreadable
    yield batch


def _resolved(
    batch: Sequence[FeedbackRow | BadLine],
    job: FeedbackImport,
    place: AdminSession,
    outcome: FeedbackCounts,
) -> list[RowStatement]:
    """The requests that the rows mean, found before the lock is taken that servers need."""
    said: list[RowStatement] = []
    outcome.read += len(batch)
    subjects = [row.subject for row in batch if isinstance(row, FeedbackRow)]
    with place.reading() as connection:
        meant = find_all(connection, job.account_id, subjects)
    for row in batch:
        if isinstance(row, BadLine):
            outcome.add(*row)
            continue
        requests = meant.get(row.subject, [])
        if not requests:
            outcome.add(row.line, _UNKNOWN)
        elif len(requests) > MOST_REQUESTS:
            outcome.add(row.line, _MANY)
        else:
            said += [RowStatement(row.line, request_id, row.statement) for request_id in requests]
    return said


class _Course:
    """What imports have on record about a request, and how far the file has gone along with it."""

    __slots__ = ("imported", "reached", "standing")

    def __init__(self, said: Sequence[feedback.LabelEntry], begun: int) -> None:
        self.standing: LabelState | None = None
        self.imported: list[FeedbackStatement] = []
        self.reached = 0
        for one in said:
            statement = FeedbackStatement(one.label, one.found_at_ms, one.amount, one.currency)
            at_ms = one.recorded_at_ms
            self.standing = next_standing(statement, one.source, self.standing, at_ms)
            if one.source is LabelSource.IMPORT:
                self.imported.append(statement)
                # The file itself has said so: this request was forgotten on the way.
                if one.seq > begun:
                    self.reached = len(self.imported)


class _Courses:
    """Knows of a row whether it is on record, in the order in which the file has it."""

    def __init__(self, account_id: str, place: AdminSession) -> None:
        self._account_id = account_id
        self._place = place
        self._found: dict[str, _Course] = {}
        with place.reading() as connection:
            self._begun = feedback.newest(connection)

    def load(self, request_ids: Sequence[str]) -> None:
        """Read what is on record about requests that are met for the first time."""
        # Memory is bounded; so late in a file few speak of its first requests again.
        while len(self._found) > MOST_FOLLOWED:
            del self._found[next(iter(self._found))]
        wanted = [one for one in dict.fromkeys(request_ids) if one not in self._found]
        for start in range(0, len(wanted), BATCH):
            some = wanted[start : start + BATCH]
            with self._place.reading() as connection:
                before = said_before(connection, self._account_id, some)
            for request_id in some:
                self._found[request_id] = _Course(before.get(request_id, ()), self._begun)

    def is_known(self, one: RowStatement) -> bool:
        """Whether it is on record; what is not will be, and so counts from now on."""
        course, said = self._found[one.request_id], one.statement
        imported, reached = course.imported, course.reached
        # What is said twice in a row is on record once.
        if reached and imported[reached - 1] == said:
            return True
        if said in imported[reached:]:
            course.reached = imported.index(said, reached) + 1
            return True
        imported.append(said)
        course.reached = len(imported)
        return False

    def hear(self, one: RowStatement) -> News | TooMuchSaid:
        """What would become of a statement, if it were kept."""
        course, said = self._found[one.request_id], one.statement
        try:
            worth = weigh(said, LabelSource.IMPORT, course.standing)
        except TooMuchSaid as refusal:
            return refusal
        if worth.kept:
            course.standing = next_standing(said, LabelSource.IMPORT, course.standing, 0)
        return News(said.label, worth.previous, worth.changed)


def _writing(job: FeedbackImport, place: AdminSession) -> Keep:
    pace = Pace(place.database)

    def keep(said: Sequence[RowStatement]) -> list[News | TooMuchSaid]:
        news: list[News | TooMuchSaid] = []
        # One row may be about many requests; the transactions stay short.
        for start in range(0, len(said), BATCH):
            tellings = [
                Telling(
                    job.account_id,
                    [one.request_id],
                    one.statement,
                    str(place.actor),
                    LabelSource.IMPORT,
                )
                for one in said[start : start + BATCH]
            ]
            with pace.turn(), batch_of(place) as connection:
                for answer in feedback.note_all(connection, tellings, place.clock()):
                    if isinstance(answer, TooMuchSaid):
                        news.append(answer)
                    else:
                        news += [News(one.label, one.previous, one.changed) for one in answer]
        return news

    return keep


def _rehearsing(courses: _Courses) -> Keep:
    def keep(said: Sequence[RowStatement]) -> list[News | TooMuchSaid]:
        return [courses.hear(one) for one in said]

    return keep
