"""Reads files of identity records: who holds which card, record by record."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from gatehouse.cli.identities.identity_rows import (
    COLUMNS,
    FieldProblem,
    Fingerprint,
    RowProblems,
    entry_of_cells,
    entry_of_object,
)
from gatehouse.cli.record_files import Columns, Found, RecordFile, RecordFormat
from gatehouse.core.errors import InvalidInput
from gatehouse.store.identities.identity_sealer import HolderRecord, IdentitySealer

_CHUNK_BYTES: Final = 1024 * 1024
_COLUMNS: Final = Columns(COLUMNS, (("cardNumber",),))


class RefusedRow(NamedTuple):
    """A record that cannot be kept: where it begins, and all that is wrong with it."""

    line: int
    problems: Sequence[FieldProblem]


class IdentityRow(NamedTuple):
    """A record that can be kept, and where it begins."""

    line: int
    entry: HolderRecord


def file_mark(path: Path, safe: IdentitySealer) -> str:
    """A keyed hash of the whole file, by which an interrupted import knows it again."""
    hasher = safe.file_hasher()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                hasher.update(chunk)
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
    return hasher.hexdigest()


class Source(RecordFile):
    """A file of identity records."""

    def __init__(self, path: Path | None, form: RecordFormat) -> None:
        super().__init__(path, form, _COLUMNS)
        self._of_cells = form == "csv"

    def records(
        self, fingerprint: Fingerprint, card_prefix: str
    ) -> Iterator[IdentityRow | RefusedRow]:
        """All records from here on."""
        while (found := self.take()) is not None:
            problems = RowProblems()
            entry = self._entry_of(found, fingerprint, card_prefix, problems)
            if entry is None:
                self.waste(found)
            yield (
                IdentityRow(found.line, entry) if entry else RefusedRow(found.line, problems.found)
            )

    def _entry_of(
        self, found: Found, fingerprint: Fingerprint, card_prefix: str, problems: RowProblems
    ) -> HolderRecord | None:
        if found.fields is None:
            problems.add("record", found.reason)
            return None
        if self._of_cells:
            return entry_of_cells(found.fields, fingerprint, problems)
        return entry_of_object(found.fields, fingerprint, card_prefix, problems)
