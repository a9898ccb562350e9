"""Names for shell completion, read from a SQLite file without the store: they must come at once."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, Literal

NameKind = Literal["accounts", "lists", "rule sets", "pipelines"]

_WAIT_S: Final = 0.1
_MOST: Final = 500
_HEADS: Final = "FROM configuration_heads WHERE (?1 IS NULL OR account_id = ?1) AND kind ="
_QUERIES: Final[dict[NameKind, str]] = {
    "accounts": "SELECT id FROM accounts WHERE ?1 IS NULL OR id = ?1",
    "lists": "SELECT DISTINCT name FROM lists WHERE ?1 IS NULL OR account_id = ?1",
    "rule sets": f"SELECT DISTINCT name {_HEADS} 'rules'",
    "pipelines": f"SELECT DISTINCT name {_HEADS} 'pipeline'",
}


def read_names(file: Path, kind: NameKind, account_id: str | None) -> list[str]:
    """Names of one kind, of all accounts unless one is named; `sqlite3.Error`."""
    address = f"{file.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=_WAIT_S)) as connection:
        found = connection.execute(f"{_QUERIES[kind]} ORDER BY 1 LIMIT {_MOST}", (account_id,))
        return [name for (name,) in found]
