"""The import of feedback: finds the requests of each row, and records new statements.

A file that is imported again changes nothing, whatever others have reported since. Its statements
about a request are then on record as imports in the same order already (fraud first, then
legitimate after all). So a row is new only where the statements of the file about its request, up
to this row, do not occur in this order among the imported ones.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from gatehouse.admin.feedback.use_cases.statements import FeedbackRow, row_parser
from gatehouse.admin.import_engine import ImportProgress, RowBatch, read_batches
from gatehouse.core.errors import InvalidInput
from gatehouse.core.events import EventName
from gatehouse.core.files.lines import LineFlaws, Position
from gatehouse.core.files.records import RecordFile
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.feedback_history import entries_of, find_all
from gatehouse.store.feedback.statements import (
    MOST_REQUESTS,
    FeedbackStatement,
    LabelEntry,
    LabelOutcome,
    LabelReport,
    LabelState,
    TooManyStatements,
    assess,
    next_state,
)

BATCH: Final = 500
MOST_FOLLOWED: Final = 100_000
_UNKNOWN: Final = "no such request for this account"
_MANY: Final = f"more than {MOST_REQUESTS} requests have this name; use requestId"


class ImportedFeedback(LineFlaws, kw_only=True):
    """What became of the rows of a file; a row can be about several requests."""

    read: int = 0
    new: int = 0
    """Requests of which nothing counted before."""
    changed: int = 0
    unchanged: int = 0
    labels: Counter[Label] = msgspec.field(default_factory=Counter)
    error: InvalidInput | None = None
    """Why the file could not be read to its end."""

    def counts(self) -> dict[str, int]:
        """The numbers alone."""
        names = ("read", "new", "changed", "unchanged", "bad")
        return {name: getattr(self, name) for name in names}

    def count(self, label: Label, previous: Label | None, *, changed: bool) -> None:
        """Count what became of a statement about one request."""
        self.labels[label] += 1
        if not changed:
            self.unchanged += 1
        elif previous is None:
            self.new += 1
        else:
            self.changed += 1


class RowStatement(NamedTuple):
    """What a row says about one request."""

    line: int
    request_id: str
    statement: FeedbackStatement


Outcome = LabelOutcome | TooManyStatements
"""What became of a statement, or in a dry run would become of it."""


def import_feedback(
    session: AdminSession,
    account_id: str,
    file: RecordFile,
    progress: ImportProgress,
    *,
    dry_run: bool = False,
) -> ImportedFeedback:
    """Import a file; it is audited with one line, however it ends."""
    session.actor.check_account(account_id)
    result = ImportedFeedback()
    parse = row_parser(file.form, session.ring, session.clock())
    labels = _ImportedLabels(session, account_id, dry_run=dry_run)
    try:
        for batch in read_batches(file, parse, BATCH, progress, Position()):
            result.read += len(batch.rows) + len(batch.bad)
            labels.record(_find_requests(session, account_id, batch, result), result)
            result.error = batch.error
    finally:
        if not dry_run:
            with session.change(unseen=True) as change:
                change.audit("feedback.import", account_id, **result.counts())
                name = change.new_id("imp")
                said = {"importId": name, "kind": "feedback", **result.counts()}
                change.event(EventName.IMPORT_FINISHED, account_id, name, said)
    return result


def _find_requests(
    session: AdminSession, account_id: str, batch: RowBatch[FeedbackRow], result: ImportedFeedback
) -> list[RowStatement]:
    """The requests that the rows mean, found before the lock is taken that servers need."""
    statements: list[RowStatement] = []
    bad = [(row.line, row.problems[0].reason) for row in batch.bad]
    with session.reading() as connection:
        meant = find_all(connection, account_id, [row.value.subject for row in batch.rows])
    for line, row in batch.rows:
        requests = meant.get(row.subject, [])
        if not requests:
            bad.append((line, _UNKNOWN))
        elif len(requests) > MOST_REQUESTS:
            bad.append((line, _MANY))
        else:
            statements += [RowStatement(line, one, row.statement) for one in requests]
    for line, reason in sorted(bad):
        result.add(line, reason)
    return statements


class _RequestStatements:
    """The imported statements about a request, and how far the file has repeated them."""

    __slots__ = ("imported", "reached", "state")

    def __init__(self, entries: Sequence[LabelEntry], newest_before: int) -> None:
        self.state: LabelState | None = None
        self.imported: list[FeedbackStatement] = []
        self.reached = 0
        for one in entries:
            statement = one.statement
            self.state = next_state(statement, one.source, self.state, one.recorded_at_ms)
            if one.source is LabelSource.IMPORT:
                self.imported.append(statement)
                # This import itself recorded it: the request was forgotten on the way.
                if one.seq > newest_before:
                    self.reached = len(self.imported)


class _ImportedLabels:
    """Records statements that are not on record yet, in the order in which the file has them."""

    def __init__(self, session: AdminSession, account_id: str, *, dry_run: bool) -> None:
        self._session = session
        self._account_id = account_id
        self._outcomes = self._try_all if dry_run else self._write
        self._pace = Pace(session.database)
        self._found: dict[str, _RequestStatements] = {}
        with session.reading() as connection:
            self._newest_before = feedback.newest(connection)

    def record(self, statements: Sequence[RowStatement], result: ImportedFeedback) -> None:
        self._load([one.request_id for one in statements])
        fresh: list[RowStatement] = []
        for one in statements:
            if self._is_known(one):
                result.count(one.statement.label, None, changed=False)
            else:
                fresh.append(one)
        refused: dict[int, str] = {}
        for one, outcome in zip(fresh, self._outcomes(fresh), strict=True):
            if isinstance(outcome, TooManyStatements):
                refused[one.line] = str(outcome)
            else:
                result.count(one.statement.label, outcome.previous, changed=outcome.changed)
        for line, message in refused.items():
            result.add(line, message)

    def _load(self, request_ids: Sequence[str]) -> None:
        """Read what is on record about requests that the file names for the first time."""
        # Memory is bounded; so late in a file few rows are about its first requests.
        while len(self._found) > MOST_FOLLOWED:
            del self._found[next(iter(self._found))]
        wanted = [one for one in dict.fromkeys(request_ids) if one not in self._found]
        for start in range(0, len(wanted), BATCH):
            some = wanted[start : start + BATCH]
            with self._session.reading() as connection:
                before = entries_of(connection, self._account_id, some)
            for request_id in some:
                entries = before.get(request_id, ())
                self._found[request_id] = _RequestStatements(entries, self._newest_before)

    def _is_known(self, one: RowStatement) -> bool:
        """Whether it is on record; one that is not will be, and so counts from now on."""
        request, statement = self._found[one.request_id], one.statement
        imported, reached = request.imported, request.reached
        # A statement that is repeated at once is on record once.
        if reached and imported[reached - 1] == statement:
            return True
        if statement in imported[reached:]:
            request.reached = imported.index(statement, reached) + 1
            return True
        imported.append(statement)
        request.reached = len(imported)
        return False

    def _write(self, statements: Sequence[RowStatement]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        session, actor = self._session, str(self._session.actor)
        # One row may be about many requests; the transactions stay short.
        for start in range(0, len(statements), BATCH):
            reports = [
                LabelReport(
                    self._account_id, [one.request_id], one.statement, actor, LabelSource.IMPORT
                )
                for one in statements[start : start + BATCH]
            ]
            with self._pace.turn(), batch_of(session) as connection:
                for answer in feedback.record_all(connection, reports, session.clock()):
                    outcomes += answer if isinstance(answer, list) else [answer]
        return outcomes

    def _try_all(self, statements: Sequence[RowStatement]) -> list[Outcome]:
        """What would become of statements, if they were recorded."""
        outcomes: list[Outcome] = []
        for one in statements:
            request, statement = self._found[one.request_id], one.statement
            try:
                assessed = assess(statement, LabelSource.IMPORT, request.state)
            except TooManyStatements as refusal:
                outcomes.append(refusal)
                continue
            if assessed.stored:
                request.state = next_state(statement, LabelSource.IMPORT, request.state, 0)
            about = (one.request_id, statement.label, assessed.previous, assessed.changed)
            outcomes.append(LabelOutcome(*about, recorded_at_ms=0))
        return outcomes
