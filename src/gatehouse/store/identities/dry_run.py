"""Remembers what a rehearsed import would have kept so far, without keeping it."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any


class DryRun:
    """Cards, people and the hashes of their content: keyed hashes all, in a file of its own.

    SQLite removes such a file by itself; memory does not grow with what is rehearsed.
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(
            "CREATE TABLE kept (card TEXT, person TEXT, content TEXT, PRIMARY KEY (card, person)) "
            "WITHOUT ROWID"
        )

    def of(self, cards: Iterable[str]) -> list[tuple[str, str, str]]:
        """Card, person and content of whoever would have been kept for the cards."""
        query = "SELECT card, person, content FROM kept WHERE card = ?"
        ask = self._database.execute
        return [row for card in cards for row in ask(query, (card,)).fetchall()]

    def note(self, rows: Sequence[dict[str, Any]]) -> None:
        """Remember rows that would have been written."""
        values = [(row["card"], row["person"], row["content"]) for row in rows]
        self._database.execute("BEGIN")
        self._database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", values)
        self._database.execute("COMMIT")

    def close(self) -> None:
        """Forget it all."""
        self._database.close()
