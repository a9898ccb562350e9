"""Remembers what a dry run of an import would have stored so far."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any


class DryRun:
    """Cards, people and their content, all as keyed hashes, in a file of its own.

    SQLite removes such a file by itself; memory does not grow with the import.
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(
            "CREATE TABLE stored (card TEXT, person TEXT, content TEXT, PRIMARY KEY (card, person))"
            " WITHOUT ROWID"
        )

    def of(self, cards: Iterable[str]) -> list[tuple[str, str, str]]:
        """Card, person and content of the people that would have been stored for the cards."""
        query = "SELECT card, person, content FROM stored WHERE card = ?"
        ask = self._database.execute
        return [row for card in cards for row in ask(query, (card,)).fetchall()]

    def note(self, rows: Sequence[dict[str, Any]]) -> None:
        """Remember rows that would have been written."""
        values = [(row["card"], row["person"], row["content"]) for row in rows]
        self._database.execute("BEGIN")
        self._database.executemany("INSERT OR REPLACE INTO stored VALUES (?, ?, ?)", values)
        self._database.execute("COMMIT")

    def close(self) -> None:
        """Forget everything."""
        self._database.close()
