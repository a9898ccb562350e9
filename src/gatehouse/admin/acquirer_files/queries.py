"""How far imports of files have come; every query is bound to an account."""

from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.acquirer_files.tables import OUTCOME_IMPORTS
from gatehouse.core.files.lines import Position

_I: Final = OUTCOME_IMPORTS.c


class ImportPlace(msgspec.Struct, frozen=True):
    """Where an import is, and what became of the rows before that."""

    at: Position
    counts: dict[str, int]


def begun(connection: sa.Connection, account_id: str, file: str) -> ImportPlace | None:
    """Where an import of the file was interrupted, if it was."""
    query = sa.select(_I.line, _I.offset, _I.counts).where(*_this(account_id, file))
    row = connection.execute(query).first()
    if row is None:
        return None
    counts = msgspec.json.decode(row.counts, type=dict[str, int])
    return ImportPlace(Position(row.line, row.offset), counts)


def begin(connection: sa.Connection, account_id: str, file: str, now_ms: int) -> None:
    """Note that an import has begun, in place of an earlier one of the file."""
    end(connection, account_id, file)
    row = {"account_id": account_id, "file": file, "started_at_ms": now_ms}
    values = {"line": 0, "offset": 0, "counts": "{}"}
    connection.execute(OUTCOME_IMPORTS.insert(), row | values)


def reach(
    connection: sa.Connection, account_id: str, file: str, before: Position, place: ImportPlace
) -> bool:
    """Note how far an import has come; whether nobody else had moved it."""
    here = (*_this(account_id, file), _I.offset == before.offset)
    values = {
        "line": place.at.line,
        "offset": place.at.offset,
        "counts": msgspec.json.encode(place.counts).decode(),
    }
    return connection.execute(OUTCOME_IMPORTS.update().where(*here).values(values)).rowcount == 1


def end(connection: sa.Connection, account_id: str, file: str) -> None:
    """Forget an import that has come to its end."""
    connection.execute(OUTCOME_IMPORTS.delete().where(*_this(account_id, file)))


def delete_imports(before_ms: int, connection: sa.Connection, limit: int) -> int:
    """Delete the notes on interrupted imports that began before a moment."""
    old = sa.select(_I.account_id, _I.file).where(_I.started_at_ms < before_ms).limit(limit)
    chosen = connection.execute(old).all()
    for account_id, file in chosen:
        this = (_I.account_id == account_id, _I.file == file)
        connection.execute(OUTCOME_IMPORTS.delete().where(*this))
    return len(chosen)


def _this(account_id: str, file: str) -> tuple[sa.ColumnElement[bool], ...]:
    return _I.account_id == account_id, _I.file == file
