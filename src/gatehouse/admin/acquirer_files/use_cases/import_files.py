"""Imports a file of outcomes: an acquirer's settlements, reported frauds or disputes.

Rows are stored in batches of thousands, together with the place that was reached. So an import that
was interrupted goes on there, and the same file again changes nothing.
"""

import contextlib
import hashlib
import io
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from gatehouse.admin.acquirer_files import queries as imports
from gatehouse.admin.acquirer_files.queries import ImportPlace
from gatehouse.admin.acquirer_files.types.mapping import (
    SHIPPED,
    NotAnOutcome,
    OutcomeMapping,
    shipped_mapping,
)
from gatehouse.admin.import_engine import ImportProgress, RejectedRows, RowBatch, read_batches
from gatehouse.admin.outcomes.types.outcome import OutcomeReport
from gatehouse.admin.outcomes.use_cases.keeping import OutcomeKeeper
from gatehouse.core.errors import Conflict, InvalidInput, RequestRefused
from gatehouse.core.events import EventName
from gatehouse.core.files.lines import LineFlaws, Position
from gatehouse.core.files.records import FieldProblem, RecordFile, RecordFormat, UnusableRecord
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.reading.validation import parse_own_type
from gatehouse.core.wording.sentences import Phrase, any_of, said_by
from gatehouse.sentry.request import EventTime
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of

_OTHER_MAPPING: Final = Phrase("refused.outcome_header", "{why}; the file fits the mapping {names}")

BATCH: Final = 4000
COUNTED: Final = (
    *("read", "new", "changed", "unchanged", "joined", "ambiguous", "labelled", "withdrawn"),
    *("passedOver", "bad", "unknownReasons"),
)
"""What an import counts, in the order in which it is told."""
_reader: Final = RequestReader(OutcomeReport)
_encode: Final = msgspec.json.Encoder().encode


class OutcomeImport(msgspec.Struct, frozen=True):
    """What is to be imported, and how."""

    file: RecordFile
    mapping: OutcomeMapping
    rejects: Path | None = None
    """A CSV file for the bad rows."""
    dry_run: bool = False
    from_start: bool = False


class ImportedOutcomes(LineFlaws, kw_only=True):
    """What became of the rows of a file."""

    counted: Counter[str] = msgspec.field(default_factory=Counter)
    resumed: bool = False
    error: InvalidInput | None = None
    """Why the file could not be read to its end."""

    @property
    def counts(self) -> dict[str, int]:
        """All numbers by their names."""
        return {name: self.counted[name] for name in COUNTED}


def open_outcome_file(
    path: Path | None, form: RecordFormat, mapping: OutcomeMapping, content: bytes | None = None
) -> RecordFile:
    """Open a file, or what came of one over a network; without either, standard input.

    `InvalidInput` names the mappings that fit the header where another one was chosen.
    """

    def opened(by: OutcomeMapping) -> RecordFile:
        stream = None if content is None else io.BytesIO(content)
        return RecordFile(path, form, by.header(), stream=stream)

    try:
        return opened(mapping)
    except InvalidInput as error:
        if path is None and content is None:
            raise
        fitting = [name for name in SHIPPED if _fits(opened, shipped_mapping(name))]
        if not fitting:
            raise
        raise InvalidInput(_OTHER_MAPPING(why=said_by(error), names=any_of(fitting))) from None


def _fits(opened: Callable[[OutcomeMapping], RecordFile], mapping: OutcomeMapping) -> bool:
    try:
        opened(mapping).close()
    except InvalidInput:
        return False
    return True


def import_outcomes(
    session: AdminSession, account_id: str, job: OutcomeImport, progress: ImportProgress
) -> ImportedOutcomes:
    """Import a file from its beginning, or from where an interrupted import of it stopped."""
    session.actor.check_account(account_id)
    mark = None if job.dry_run else _file_mark(job)
    place = _begin(session, account_id, mark, from_start=job.from_start)
    result = ImportedOutcomes(counted=Counter(place.counts), resumed=place.at.line > 0)
    if result.resumed:
        progress.say(f"resuming at line {place.at.line + 1}")
    work = _Import(session, account_id, job, mark)
    rejects = RejectedRows(job.rejects, lambda _: None, append=result.resumed)
    with contextlib.closing(rejects):
        batches = read_batches(
            job.file, row_parser(job.mapping, job.file.form), BATCH, progress, place.at
        )
        for batch in batches:
            rejects.report(batch.bad)
            place = work.take(batch, place, result)
            result.error = batch.error
    if not job.dry_run and result.error is None:
        _finish(session, account_id, mark, result)
    return result


class _Import:
    """Takes one batch after another."""

    def __init__(
        self, session: AdminSession, account_id: str, job: OutcomeImport, mark: str | None
    ) -> None:
        self._session = session
        self._account_id = account_id
        self._dry_run = job.dry_run
        self._mark = mark
        self._keeper = OutcomeKeeper(session, account_id)
        self._pace = Pace(session.database)

    def take(
        self, batch: RowBatch[OutcomeReport | None], place: ImportPlace, result: ImportedOutcomes
    ) -> ImportPlace:
        """Store a batch and the place that was reached, both or neither."""
        told = [each.value for each in batch.rows if each.value is not None]
        counted = result.counted
        counted["read"] += len(batch.rows) + len(batch.bad)
        counted["passedOver"] += len(batch.rows) - len(told)
        counted["bad"] += len(batch.bad)
        for bad in batch.bad:
            result.add(bad.line, "; ".join(f"{each.field}: {each.reason}" for each in bad.problems))
        rows = self._keeper.prepared(told)
        if self._dry_run:
            with self._session.reading() as connection:
                counted.update(msgspec.to_builtins(self._keeper.foresee(connection, rows)))
            return ImportPlace(batch.until, {})
        with self._pace.turn(), batch_of(self._session) as connection:
            counted.update(msgspec.to_builtins(self._keeper.store(connection, rows)))
            after = ImportPlace(batch.until, dict(counted))
            if self._mark is not None and not imports.reach(
                connection, self._account_id, self._mark, place.at, after
            ):
                raise Conflict("another process is importing the same file")
        return after


def _own_type(kind: type, value: Any) -> Any:
    return (
        _moment(value) if kind is EventTime and type(value) is str else parse_own_type(kind, value)
    )


# A file names the same days again and again.
_moment: Final = lru_cache(4096)(EventTime.parse)


def row_parser(
    mapping: OutcomeMapping, form: RecordFormat
) -> Callable[[Mapping[str, Any]], OutcomeReport | None]:
    """Reads one row of a file; `ValueError` says what is wrong, None says that it is no outcome."""
    narrowed: OutcomeMapping | None = None

    def parse(row: Mapping[str, Any]) -> OutcomeReport | None:
        nonlocal narrowed
        if narrowed is None:
            # The rows of a table have the same columns; an object can have any.
            narrowed = mapping.narrowed(row.keys()) if form == "csv" else mapping
        try:
            fields = narrowed.fields(row)
        except NotAnOutcome:
            return None
        try:
            return msgspec.convert(fields, OutcomeReport, dec_hook=_own_type)
        except msgspec.ValidationError:
            pass
        try:
            return _reader.read(_encode(fields))
        except RequestRefused as refused:
            raise UnusableRecord(_problems(refused)) from None

    return parse


def _problems(refused: RequestRefused) -> list[FieldProblem]:
    found = [
        FieldProblem(path or "record", why) for path, told in refused.fields.items() for why in told
    ]
    return found or [FieldProblem("record", each) for each in refused.details]


def _begin(
    session: AdminSession, account_id: str, mark: str | None, *, from_start: bool
) -> ImportPlace:
    start = ImportPlace(Position(), {})
    if mark is None:
        with session.reading() as connection:
            accounts.get(connection, account_id)
        return start
    with batch_of(session) as connection:
        accounts.get(connection, account_id)
        place = None if from_start else imports.begun(connection, account_id, mark)
        if place is None:
            imports.begin(connection, account_id, mark, session.clock())
    return place or start


def _finish(
    session: AdminSession, account_id: str, mark: str | None, result: ImportedOutcomes
) -> None:
    with session.change(unseen=True) as change:
        if mark is not None:
            imports.end(change.connection, account_id, mark)
        change.audit("outcome.import", account_id, **result.counts)
        name = change.new_id("imp")
        said = {"importId": name, "kind": "outcomes", **result.counts}
        change.event(EventName.IMPORT_FINISHED, account_id, name, said)


def _file_mark(job: OutcomeImport) -> str | None:
    """A hash of file and mapping, by which an interrupted import is known again.

    Only a regular file can be read again from a position on.
    """
    path = job.file.path if job.file.lines.size is not None else None
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
    digest.update(_encode(job.mapping))
    return digest.hexdigest()
