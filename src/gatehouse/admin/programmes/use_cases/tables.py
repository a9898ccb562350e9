"""The table of thresholds that is in force: the operator's, or the one that ships."""

from functools import lru_cache
from importlib import resources
from pathlib import Path

from gatehouse.admin.programmes.types.thresholds import (
    FILE,
    MOST_BYTES,
    ProgrammeTable,
    read_table,
)
from gatehouse.core.errors import SettingsError
from gatehouse.settings.settings import Settings


def table_in_force(settings: Settings) -> ProgrammeTable:
    """The table; a file of the operator is read again when it was changed.

    `SettingsError` says what is wrong with that file. A server asks for it before it starts.
    """
    path = settings.programmes_file
    if path is None:
        return shipped_table()
    try:
        found = path.stat()
        return _own_table(path, found.st_mtime_ns, found.st_size)
    except OSError as error:
        why = f"cannot read {path}: {error.strerror}"
    except ValueError as error:
        why = str(error)
    raise SettingsError(f"GATEHOUSE_PROGRAMMES_FILE: {why}")


@lru_cache(maxsize=1)
def shipped_table() -> ProgrammeTable:
    """The table that comes with the program."""
    file = resources.files("gatehouse.admin.programmes.types") / FILE
    return read_table(file.read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _own_table(path: Path, _changed_ns: int, size: int) -> ProgrammeTable:
    if size > MOST_BYTES:
        raise ValueError(f"{path} has more than {MOST_BYTES:,} bytes")
    return read_table(path.read_text(encoding="utf-8"), str(path))
