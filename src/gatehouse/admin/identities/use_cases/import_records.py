"""The import of identity records: known records are brought up to date, new ones are added."""

import contextlib
import hashlib
from pathlib import Path
from typing import Final

import msgspec

from gatehouse.admin.identities.use_cases.rows import IdentityParser
from gatehouse.admin.identities.use_cases.selection import check_scope
from gatehouse.admin.import_engine import ImportProgress, RejectedRows, read_batches
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.lines import Position
from gatehouse.core.files.records import BadRow, FieldProblem, RecordFile
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.named_cards import NamedCards
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.identities import imports
from gatehouse.store.identities.identities import MOST_HOLDERS, DryRun, RecordChange
from gatehouse.store.identities.identity_sealer import IdentitySealer
from gatehouse.store.identities.imports import Batch, ImportCounts, Run

BATCH: Final = 1000
_TOO_MANY_HOLDERS: Final = FieldProblem(
    "cardNumber", f"has {MOST_HOLDERS} holders on record already"
)


class IdentityImport(msgspec.Struct, frozen=True):
    """What is to be imported, and how."""

    scope: str
    file: RecordFile
    rejects: Path | None
    """A CSV file for the bad rows."""
    dry_run: bool
    from_start: bool = False


class ImportedIdentities(msgspec.Struct, frozen=True):
    """How an import ended; with an error, the file could not be read to its end."""

    run: Run
    error: InvalidInput | None


def import_identities(
    session: AdminSession, job: IdentityImport, progress: ImportProgress
) -> ImportedIdentities:
    """Import a file from the beginning, or from where an interrupted import of it stopped."""
    sealer = IdentitySealer(session.ring, session.randomness)
    cards = NamedCards(session, job.scope, "identities")
    parser = IdentityParser(cards)
    parse = parser.from_cells if job.file.form == "csv" else parser.from_object
    run = _begin(session, job, sealer)
    if run.resumed:
        progress.say(f"resuming at line {run.at.line + 1}")
    error, pace = None, Pace(session.database)
    with (
        contextlib.closing(DryRun()) if job.dry_run else contextlib.nullcontext() as dry_run,
        contextlib.closing(RejectedRows(job.rejects, progress.say, append=run.resumed)) as rejects,
    ):
        for read in read_batches(job.file, parse, BATCH, progress, run.at):
            cards.count()
            rejects.report(read.bad)
            batch = Batch([row.value for row in read.rows], len(read.bad), read.until)
            if dry_run is None:
                run, changes = imports.take(run, batch, session, sealer, pace)
            else:
                run, changes = imports.dry_run_batch(run, batch, session, sealer, dry_run)
            crowded = [
                BadRow(row.line, [_TOO_MANY_HOLDERS])
                for row, change in zip(read.rows, changes, strict=True)
                if change is RecordChange.REFUSED
            ]
            rejects.report(crowded)
            error = read.error
    if not job.dry_run and error is None:
        imports.finish(run, session)
    return ImportedIdentities(run, error)


def _begin(session: AdminSession, job: IdentityImport, sealer: IdentitySealer) -> Run:
    with session.reading() as connection:
        check_scope(session, connection, job.scope)
    if job.dry_run:
        return Run("", job.scope, Position(), ImportCounts())
    # Only a regular file can be read again from a position on.
    path = job.file.path if job.file.lines.size is not None else None
    mark = None if path is None else _file_mark(path, sealer)
    return imports.begin(job.scope, mark, session, from_start=job.from_start)


def _file_mark(path: Path, sealer: IdentitySealer) -> str:
    """A keyed hash of the whole file, by which an interrupted import recognises it."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, sealer.file_hasher).hexdigest()
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
