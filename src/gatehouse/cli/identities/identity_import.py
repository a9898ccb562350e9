"""The import of identity records: reads, reports what cannot be kept, and keeps the rest."""

import csv
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from gatehouse.cli.identities.identity_files import IdentityRow, RefusedRow, Source, file_mark
from gatehouse.cli.identities.identity_rows import FieldProblem, Fingerprint
from gatehouse.cli.progress import Progress
from gatehouse.cli.record_files import RecordFormat
from gatehouse.core.errors import InvalidInput
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.identities import imports
from gatehouse.store.identities.dry_run import DryRun
from gatehouse.store.identities.identities import MOST_HOLDERS, RecordChange
from gatehouse.store.identities.identity_sealer import IdentitySealer
from gatehouse.store.identities.imports import Batch, ImportCounts, Position, Run

BATCH: Final = 1000
_CROWDED: Final = FieldProblem("cardNumber", f"has {MOST_HOLDERS} holders on record already")


class IdentityImport(msgspec.Struct, frozen=True):
    """What is to be imported, and how."""

    scope: str
    file: Path | None
    """None is standard input, which cannot be taken up again after an interruption."""
    form: RecordFormat
    errors: Path | None
    dry_run: bool
    from_start: bool = False


class Ended(msgspec.Struct, frozen=True):
    """How an import ended; with an error, the file could not be read to its end."""

    run: Run
    error: InvalidInput | None


class RefusalReport:
    """Tells what was refused: on standard error, and in a file if one is wanted."""

    def __init__(self, path: Path | None, progress: Progress, *, more: bool) -> None:
        self._say = progress.say
        self._path = path
        self._file: Any = None
        if path is not None:
            try:
                self._file = path.open("a" if more else "w", encoding="utf-8", newline="")
                is_new = os.fstat(self._file.fileno()).st_size == 0
            except OSError as error:
                raise self._unwritable(error) from None
            self._rows = csv.writer(self._file)
            if is_new:
                self._rows.writerow(("line", "field", "reason"))

    def refuse(self, refusal: RefusedRow) -> None:
        """Tell of one record."""
        for field, reason in refusal.problems:
            self._say(f"line {refusal.line}: {field}: {reason}")
            if self._file is not None:
                try:
                    self._rows.writerow((refusal.line, field, reason))
                except OSError as error:
                    raise self._unwritable(error) from None

    def flush(self) -> None:
        """Have it in the file before the import notes that it came past."""
        if self._file is not None:
            try:
                self._file.flush()
            except OSError as error:
                raise self._unwritable(error) from None

    def close(self) -> None:
        """Give the file up."""
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:
                raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> InvalidInput:
        return InvalidInput(f"cannot write {self._path}: {error.strerror}")


def import_file(job: IdentityImport, place: AdminSession, fingerprint: Fingerprint) -> Ended:
    """Import a file from the beginning, or from where an interrupted import of it stopped."""
    safe = IdentitySealer(place.ring)
    source = Source(job.file, job.form)
    rehearsal = DryRun() if job.dry_run else None
    error = None
    try:
        run = _begin(job, source, place, safe)
        take = _taking(place, safe) if rehearsal is None else _rehearsing(place, safe, rehearsal)
        with Progress("importing", source.size) as progress:
            if run.resumed:
                progress.say(f"resuming at line {run.at.line + 1}")
            source.go_to(run.at)
            report = RefusalReport(job.errors, progress, more=run.resumed)
            try:
                for batch in _batches(source, safe, fingerprint):
                    run = _next(run, batch, take, report)
                    error = batch.error
                    progress.reached(source.bytes_read, f"line {run.at.line}")
            finally:
                report.close()
    finally:
        source.close()
        if rehearsal is not None:
            rehearsal.close()
    if not job.dry_run and error is None:
        imports.finish(run, place)
    return Ended(run, error)


class _Read(msgspec.Struct, frozen=True):
    """What was read for one batch."""

    records: list[IdentityRow]
    refusals: list[RefusedRow]
    until: Position
    error: InvalidInput | None = None
    """Why nothing more can be read."""


_Take = Callable[[Run, Batch], tuple[Run, list[RecordChange]]]


def _begin(job: IdentityImport, source: Source, place: AdminSession, safe: IdentitySealer) -> Run:
    if job.dry_run:
        with place.reading() as connection:
            imports.check_scope(job.scope, connection)
        return Run("", job.scope, Position(), ImportCounts())
    mark = None if job.file is None or source.size is None else file_mark(job.file, safe)
    return imports.begin(job.scope, mark, place, from_start=job.from_start)


def _taking(place: AdminSession, safe: IdentitySealer) -> _Take:
    pace = Pace(place.database)
    return lambda run, batch: imports.take(run, batch, place, safe, pace)


def _rehearsing(place: AdminSession, safe: IdentitySealer, rehearsal: DryRun) -> _Take:
    return lambda run, batch: imports.rehearse(run, batch, place, safe, rehearsal)


def _next(run: Run, read: _Read, take: _Take, report: RefusalReport) -> Run:
    for refusal in read.refusals:
        report.refuse(refusal)
    report.flush()
    entries = [record.entry for record in read.records]
    run, outcomes = take(run, Batch(entries, len(read.refusals), read.until))
    for record, outcome in zip(read.records, outcomes, strict=True):
        if outcome is RecordChange.REFUSED:
            report.refuse(RefusedRow(record.line, [_CROWDED]))
    return run


def _batches(source: Source, safe: IdentitySealer, fingerprint: Fingerprint) -> Iterator[_Read]:
    records: list[IdentityRow] = []
    refusals: list[RefusedRow] = []
    error = None
    try:
        for found in source.records(fingerprint, safe.card_prefix):
            if isinstance(found, IdentityRow):
                records.append(found)
            else:
                refusals.append(found)
            if len(records) + len(refusals) >= BATCH:
                yield _Read(records, refusals, source.at)
                records, refusals = [], []
    except InvalidInput as unreadable:
        # What was read until then is good.
        error = unreadable
    if records or refusals or error:
        yield _Read(records, refusals, source.at, error)
