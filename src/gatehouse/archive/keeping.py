"""Brings an archive up to date with the database: whole days that are new, changed or gone.

The archive never has more than the database: what is erased or deleted there is written anew or
removed here.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec

from gatehouse.archive.day_files import DayFiles
from gatehouse.archive.manifest import (
    DAY_MS,
    ArchivedDay,
    Manifest,
    StoredFile,
    decisions_file,
    labels_file,
    write_manifest,
)
from gatehouse.archive.places import ArchivePlace
from gatehouse.core.clock import iso_time, parse_time
from gatehouse.core.ids import id_time_ms
from gatehouse.figures.layout import ColumnLayout
from gatehouse.figures.workspace import open_workspace
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import record_changes, records
from gatehouse.store.decisions.record_changes import AuditMark, DayState
from gatehouse.store.decisions.records import RecordSpan

LATE_MS: Final = 15 * 60_000
"""A request of a day that is over may still be under way for so long."""
_ERASURE_MS: Final = 3_600_000
"""An erasure may take so long, so that it is looked for once more."""
_RECORDS_AT_ONCE: Final = 2000
_DAY_LENGTH: Final = len("2026-11-15")

Reached = Callable[[int, int], object]
"""Takes how many records are done, and of how many."""


class DayWork(NamedTuple):
    """What is to be done for one day."""

    day: str
    span: RecordSpan
    state: DayState
    erased: int
    whole: bool
    """Whether decisions are written, and not only labels."""

    @property
    def is_gone(self) -> bool:
        """Whether the database has nothing of this day any more."""
        return self.state.decisions == 0


class ArchivePlan(msgspec.Struct, frozen=True):
    """Everything that is to be done."""

    work: list[DayWork]
    mark: AuditMark
    """Up to where the audit trail need not be looked at again."""

    @property
    def records(self) -> int:
        """How many records are read."""
        return sum(each.state.decisions for each in self.work if each.whole)


def make_plan(session: AdminSession, manifest: Manifest, wanted: RecordSpan) -> ArchivePlan:
    """Compare the archive with the database; new days are taken from the span only."""
    account_id = manifest.account_id
    with session.reading() as connection:
        oldest = records.oldest_request(connection, account_id)
        mark = record_changes.newest_mark(connection, session.clock() - _ERASURE_MS)
        before = AuditMark(manifest.audit_seq, manifest.audit_hash)
        same_database = record_changes.has_mark(connection, before)
        erased = record_changes.was_erased_since(connection, account_id, before.seq)
    known = manifest.days if same_database else {}
    version = ColumnLayout().archive_version
    days = {*manifest.days, *_whole_days(wanted, oldest, session.clock())}
    work = []
    for day in sorted(days):
        span, there = span_of(account_id, day), known.get(day)
        with session.reading() as connection:
            state = record_changes.day_state(connection, span)
            # To look for erased decisions means to read all of the day.
            if there is None or erased:
                count = records.count_erased(connection, span)
            else:
                count = there.erased
        made_from = (version, state.decisions, count)
        whole = there is None or (there.layout, there.decisions, there.erased) != made_from
        if whole or there is None or (there.statements, there.newest_statement) != state[1:]:
            work.append(DayWork(day, span, state, count, whole))
    return ArchivePlan(work, mark)


def carry_out(
    session: AdminSession,
    place: ArchivePlace,
    manifest: Manifest,
    plan: ArchivePlan,
    reached: Reached,
) -> None:
    """Do what is planned, day by day; the manifest tells after each how far it came."""
    done = 0
    with open_workspace() as workspace:
        files = DayFiles(workspace)
        for each in plan.work:
            told = partial(_tell, reached, done, plan.records)
            batches = _batches(session, each, told)
            manifest.days[each.day] = _write_day(session, place, manifest, files, each, batches)
            write_manifest(place, manifest)
            done += each.state.decisions if each.whole else 0
    _forget_oldest(manifest)
    manifest.audit_seq, manifest.audit_hash = plan.mark
    write_manifest(place, manifest)


def _tell(reached: Reached, before: int, total: int, done: int) -> None:
    reached(before + done, total)


def span_of(account_id: str, day: str) -> RecordSpan:
    """The span of a day (UTC)."""
    since_ms = day_ms(day)
    return RecordSpan(account_id, since_ms, since_ms + DAY_MS)


def day_ms(day: str) -> int:
    """When a day begins."""
    return parse_time(day)


def day_of(at_ms: int) -> str:
    """The day of a moment."""
    return iso_time(at_ms)[:_DAY_LENGTH]


def _whole_days(wanted: RecordSpan, oldest: str | None, now_ms: int) -> Iterator[str]:
    """The days of the span that are over and lie whole in it, since the first decision."""
    if oldest is None:
        return
    first = max(-(-wanted.since_ms // DAY_MS), id_time_ms(oldest) // DAY_MS)
    last = min(wanted.until_ms, now_ms - LATE_MS) // DAY_MS
    for day in range(first, last):
        yield day_of(day * DAY_MS)


def _batches(
    session: AdminSession, work: DayWork, reached: Callable[[int], object]
) -> Iterator[Sequence[records.KeptRecord]]:
    return records.stream(
        session.database, work.span, session.fingerprints, reached, batch=_RECORDS_AT_ONCE
    )


def _write_day(
    session: AdminSession,
    place: ArchivePlace,
    manifest: Manifest,
    files: DayFiles,
    work: DayWork,
    batches: Iterator[Sequence[records.KeptRecord]],
) -> ArchivedDay:
    account_id, there = manifest.account_id, manifest.days.get(work.day)
    stored = None if there is None else there.file
    name = decisions_file(account_id, work.day)
    if work.is_gone:
        place.remove(name)
        stored = None
    elif work.whole:
        file, count = files.decisions(batches)
        place.put(name, file)
        stored = files.stored(file, count)
        file.unlink()
    return ArchivedDay(
        layout=files.layout.archive_version,
        decisions=work.state.decisions,
        erased=work.erased,
        statements=work.state.statements,
        newest_statement=work.state.newest_statement,
        file=stored,
        labels=_write_labels(session, place, files, work),
    )


def _write_labels(
    session: AdminSession, place: ArchivePlace, files: DayFiles, work: DayWork
) -> StoredFile | None:
    name = labels_file(work.span.account_id, work.day)
    with session.reading() as connection:
        columns = record_changes.labels_in(connection, work.span)
    count = len(columns["request_id"])
    if not count:
        place.remove(name)
        return None
    file = files.labels(columns)
    place.put(name, file)
    stored = files.stored(file, count)
    file.unlink()
    return stored


def _forget_oldest(manifest: Manifest) -> None:
    """Leave out the empty days before the first that has decisions."""
    for day, there in manifest.in_order():
        if there.decisions:
            break
        del manifest.days[day]
