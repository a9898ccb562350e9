"""Imports of identity records: batch by batch, and resumable where they were interrupted."""

from collections import Counter
from collections.abc import Sequence

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import Conflict
from gatehouse.core.events import EventName
from gatehouse.core.files.lines import Position
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.identities import identities, identity_keys
from gatehouse.store.identities.identities import DryRun, RecordChange
from gatehouse.store.identities.identity_sealer import EVERYONE, HolderRecord, IdentitySealer
from gatehouse.store.tables import IDENTITY_IMPORTS


class ImportCounts(msgspec.Struct, frozen=True):
    """What became of the records of a file so far."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: int = 0

    def plus(self, outcomes: Sequence[RecordChange], refused: int) -> "ImportCounts":
        """The counts after some more records."""
        more = Counter(outcomes) + Counter({RecordChange.REFUSED: refused})
        return ImportCounts(**{kind: getattr(self, kind) + more[kind] for kind in RecordChange})


class Run(msgspec.Struct, frozen=True):
    """One import under way."""

    import_id: str
    scope: str
    at: Position
    tally: ImportCounts
    """Of the whole file so far."""
    before: ImportCounts | None = None
    """The counts at the last interruption; None when the import was not interrupted."""

    @property
    def resumed(self) -> bool:
        """Whether it goes on where it was interrupted."""
        return self.before is not None


class Batch(msgspec.Struct, frozen=True):
    """Some records of a file, how many beside them were refused, and where the next ones begin."""

    entries: Sequence[HolderRecord]
    refused: int
    until: Position


def account_of(scope: str) -> str | None:
    """The account that a scope belongs to; None for the operator's."""
    return None if scope == EVERYONE else scope


def check_scope(scope: str, connection: sa.Connection) -> None:
    """Refuse the scope of an account that does not exist."""
    if scope != EVERYONE:
        accounts.get(connection, scope)


def begin(scope: str, file: str | None, session: AdminSession, *, from_start: bool = False) -> Run:
    """Begin an import, or go on with one of the same file that was interrupted.

    Other interrupted imports of the scope can then no longer be resumed.
    """
    with session.change() as change:
        check_scope(scope, change.connection)
        run = None if from_start else _unfinished(scope, file, change.connection)
        forget_positions(scope, change.connection, but="" if run is None else run.import_id)
        if run is None:
            run = Run(change.new_id("imp"), scope, Position(), ImportCounts())
            row = {"id": run.import_id, "scope": scope, "file": file,
                   "started_at_ms": change.now_ms, **_progress(run)}  # fmt: skip
            change.connection.execute(IDENTITY_IMPORTS.insert(), row)
        change.audit(
            "identities.import-begin",
            account_of(scope),
            importId=run.import_id,
            scope=scope,
            line=run.at.line,
        )
    return run


def forget_positions(scope: str, connection: sa.Connection, *, but: str = "") -> None:
    """Let no interrupted import of a scope be resumed: its first records may be gone.

    One that is running now continues; if it is interrupted later, it begins anew.
    """
    here = IDENTITY_IMPORTS.c.scope == scope
    waiting = IDENTITY_IMPORTS.c.finished_at_ms.is_(None) & IDENTITY_IMPORTS.c.file.is_not(None)
    others = IDENTITY_IMPORTS.c.id != but
    connection.execute(IDENTITY_IMPORTS.update().where(here, waiting, others).values(file=None))


def take(
    run: Run, batch: Batch, session: AdminSession, sealer: IdentitySealer, pace: Pace | None = None
) -> tuple[Run, list[RecordChange]]:
    """Store a batch and the position that the import reached, both or neither."""
    with (pace or Pace(session.database)).turn(), batch_of(session) as connection:
        identity_keys.check_keys(connection, sealer)
        outcomes = identities.put(run.scope, batch.entries, connection, sealer, session.clock())
        tally = run.tally.plus(outcomes, batch.refused)
        after = msgspec.structs.replace(run, at=batch.until, tally=tally)
        here = (
            (IDENTITY_IMPORTS.c.id == run.import_id)
            & (IDENTITY_IMPORTS.c.offset == run.at.offset)
            & IDENTITY_IMPORTS.c.finished_at_ms.is_(None)
        )
        update = IDENTITY_IMPORTS.update().where(here).values(_progress(after))
        if connection.execute(update).rowcount != 1:
            raise Conflict("another process is importing the same file")
    return after, outcomes


def dry_run_batch(
    run: Run, batch: Batch, session: AdminSession, sealer: IdentitySealer, dry_run: DryRun
) -> tuple[Run, list[RecordChange]]:
    """What would become of a batch after those before it; nothing is stored."""
    with session.reading() as connection:
        outcomes = identities.put(
            run.scope, batch.entries, connection, sealer, session.clock(), dry_run=dry_run
        )
    tally = run.tally.plus(outcomes, batch.refused)
    return msgspec.structs.replace(run, at=batch.until, tally=tally), outcomes


def finish(run: Run, session: AdminSession) -> None:
    """End an import."""
    with session.change() as change:
        this = IDENTITY_IMPORTS.c.id == run.import_id
        ended = IDENTITY_IMPORTS.update().where(this).values(finished_at_ms=change.now_ms)
        change.connection.execute(ended)
        before = {} if run.before is None else {"before": msgspec.structs.asdict(run.before)}
        change.audit(
            "identities.import-end",
            account_of(run.scope),
            importId=run.import_id,
            scope=run.scope,
            lines=run.at.line,
            **msgspec.structs.asdict(run.tally),
            **before,
        )
        account_id = account_of(run.scope)
        if account_id is not None:
            said = {"importId": run.import_id, "kind": "identities"}
            tally = msgspec.structs.asdict(run.tally)
            change.event(EventName.IMPORT_FINISHED, account_id, run.import_id, said | tally)


def _unfinished(scope: str, file: str | None, connection: sa.Connection) -> Run | None:
    if file is None:
        return None
    query = (
        sa.select(IDENTITY_IMPORTS)
        .where(
            IDENTITY_IMPORTS.c.scope == scope,
            IDENTITY_IMPORTS.c.file == file,
            IDENTITY_IMPORTS.c.finished_at_ms.is_(None),
        )
        .order_by(IDENTITY_IMPORTS.c.id.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    if row is None:
        return None
    tally = ImportCounts(row.added, row.changed, row.unchanged, row.refused)
    return Run(row.id, scope, Position(row.line, row.offset), tally, tally)


def _progress(run: Run) -> dict[str, int]:
    return {
        "line": run.at.line,
        "offset": run.at.offset,
        **msgspec.structs.asdict(run.tally),
    }
