"""Names that a shell may offer to an operator who is typing a command.

They are read from the local SQLite file alone, which the operator can read anyway: opening a
session would take longer than a person waits, and a completion must never create or migrate.
"""

from pathlib import Path
from typing import Final

from gatehouse.settings.settings import Settings
from gatehouse.store.local_names import NameKind, read_names

__all__ = ["NameKind"]

_SQLITE: Final = "sqlite:///"


def local_names(settings: Settings, kind: NameKind, account_id: str | None) -> list[str]:
    """Names of one kind; none when the data lives on a database server."""
    url = settings.effective_database_url
    if not url.startswith(_SQLITE):
        return []
    return read_names(Path(url.removeprefix(_SQLITE).partition("?")[0]), kind, account_id)
