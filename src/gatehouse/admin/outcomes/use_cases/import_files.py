"""Imports a file of outcomes: an acquirer's settlements, reported frauds or disputes."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from gatehouse.admin.import_engine import ImportProgress, read_batches
from gatehouse.admin.outcomes.types.mapping import OutcomeMapping
from gatehouse.admin.outcomes.types.outcome import MOST_ITEMS, OutcomeBatch, OutcomeReport
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.core.errors import InvalidInput, RequestRefused
from gatehouse.core.files.lines import LineFlaws, Position
from gatehouse.core.files.records import FieldProblem, RecordFile, RecordFormat, UnusableRecord
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.store.admin.admin_session import AdminSession

_reader: Final = RequestReader(OutcomeReport)
_encode: Final = msgspec.json.Encoder().encode


class ImportedOutcomes(LineFlaws, kw_only=True):
    """What became of the rows of a file."""

    read: int = 0
    counts: Counter[str] = msgspec.field(default_factory=Counter)
    """New, changed, unchanged, joined and labelled ones."""
    error: InvalidInput | None = None
    """Why the file could not be read to its end."""


def open_outcome_file(path: Path | None, form: RecordFormat, mapping: OutcomeMapping) -> RecordFile:
    """Open a file; None is standard input."""
    return RecordFile(path, form, mapping.header())


def import_outcomes(
    session: AdminSession,
    account_id: str,
    file: RecordFile,
    mapping: OutcomeMapping,
    progress: ImportProgress,
) -> ImportedOutcomes:
    """Import a file, batch by batch; the same file again changes nothing."""
    session.actor.check_account(account_id)
    result = ImportedOutcomes()
    for batch in read_batches(file, row_parser(mapping), MOST_ITEMS, progress, Position()):
        result.read += len(batch.rows) + len(batch.bad)
        for bad in batch.bad:
            result.add(bad.line, "; ".join(f"{each.field}: {each.reason}" for each in bad.problems))
        if batch.rows:
            done = tell(session, account_id, OutcomeBatch([each.value for each in batch.rows]))
            result.counts.update(msgspec.structs.asdict(done))
        result.error = batch.error
    return result


def row_parser(mapping: OutcomeMapping) -> Callable[[Mapping[str, Any]], OutcomeReport]:
    """Reads one row of a file; `ValueError` says what is wrong."""

    def parse(row: Mapping[str, Any]) -> OutcomeReport:
        try:
            return _reader.read(_encode(mapping.fields(row)))
        except RequestRefused as refused:
            problems = [
                FieldProblem(path or "record", why)
                for path, told in refused.fields.items()
                for why in told
            ]
            raise UnusableRecord(
                problems or [FieldProblem("record", each) for each in refused.details]
            ) from None

    return parse
