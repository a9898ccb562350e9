"""Where a page of a list ends, as URLs name it: without the value of the entry."""

from typing import Final

from gatehouse.admin.secrets.use_cases.sealed_texts import TextSealer
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.list_reading import ListedEntry

_USE: Final = b"cursors of lists"


class EntryCursors:
    """Makes and reads the cursors of one list."""

    def __init__(self, session: AdminSession, account_id: str, name: str) -> None:
        self._sealer = TextSealer(session, account_id, _USE)
        self._name = name

    def after(self, entry: ListedEntry) -> str:
        """The cursor of the page that begins after an entry."""
        return self._sealer.token(f"{entry.added_at_ms}.{entry.value}", self._name)

    def read(self, cursor: str) -> tuple[str, int] | None:
        """The entry that a page begins after, as `EntryPage` names it; None for any other text."""
        text = self._sealer.opened(cursor, self._name)
        if text is None:
            return None
        added_at_ms, _, value = text.partition(".")
        return value, int(added_at_ms)
