"""One list while it is being changed: its rows, its total and its signature change together."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured.account_signature import refused, sign_account
from gatehouse.store.configured.list_plans import ListKey, NewRow, chunks, entries_of
from gatehouse.store.configured.signing import ListTotal
from gatehouse.store.tables import LIST_ENTRIES, LISTS

_rows: Final = LIST_ENTRIES.c
_live: Final = _rows.removed_at_ms.is_(None)


class OpenList:
    """A list in a change; nothing counts before `close`."""

    def __init__(self, change: Change, key: ListKey, kind: ListKind) -> None:
        self.key = key
        self.kind = kind
        self._change = change
        self._row: dict[str, Any] = dict(_find(change.connection, key)._mapping)
        try:
            self._total = change.signer.read_total(*key, self._row["total"])
        except ValueError:
            raise refused(key.account_id, f"list {key.name} has no total") from None

    def end_expired(self) -> None:
        """Give expired entries their end, so that no server loads them any more."""
        self._end(_rows.expires_at_ms <= self._change.now_ms, _rows.expires_at_ms)

    def end(self, values: Sequence[str], at_ms: int) -> None:
        """End the entries of these values."""
        for some in chunks(values):
            self._end(_rows.value.in_(some), at_ms)

    def end_all(self) -> int:
        """End every entry; how many were in force."""
        # After a clock was set back, an entry can begin in the future; it then ends where it began.
        now_ms = self._change.now_ms
        end = sa.case((_rows.added_at_ms > now_ms, _rows.added_at_ms), else_=now_ms)
        statement = LIST_ENTRIES.update().where(entries_of(self.key), _live)
        self._total = ListTotal()
        return self._change.connection.execute(statement.values(removed_at_ms=end)).rowcount

    def add(self, new: Sequence[NewRow]) -> None:
        """Begin entries."""
        signer, (account_id, name) = self._change.signer, self.key
        head = {"account_id": account_id, "list": name, "actor": str(self._change.actor)}
        rows = [
            signer.signed(LIST_ENTRIES, {**head, **msgspec.structs.asdict(each)}) for each in new
        ]
        self._change.connection.execute(LIST_ENTRIES.insert(), rows)
        weights = [signer.weight(*self.key, r.value, r.added_at_ms, r.expires_at_ms) for r in new]
        self._total = self._total.plus(len(weights), sum(weights))

    def close(self, *, counted: bool = True, **more: Any) -> None:
        """Store the list; a counted change is one after which servers must load it again."""
        signer = self._change.signer
        nonce = self._change.random_bytes(16)
        self._row |= {**more, "total": signer.hide_total(*self.key, self._total, nonce)}
        self._row["changes"] += counted
        signed = signer.signed(LISTS, self._row)
        self._change.connection.execute(LISTS.update().where(_this(self.key)).values(signed))
        sign_account(self._change, self.key.account_id)

    def _end(self, which: sa.ColumnElement[bool], at: Any) -> None:
        here = entries_of(self.key) & _live & which
        columns = (_rows.value, _rows.added_at_ms, _rows.expires_at_ms)
        ended = self._change.connection.execute(sa.select(*columns).where(here)).all()
        weights = [self._change.signer.weight(*self.key, *row) for row in ended]
        self._total = self._total.plus(-len(weights), -sum(weights))
        if ended:
            statement = LIST_ENTRIES.update().where(here).values(removed_at_ms=at)
            self._change.connection.execute(statement)


def insert_list(change: Change, key: ListKey, kind: str, description: str | None) -> None:
    """Store a new, empty list."""
    change.connection.execute(LISTS.insert(), new_list(change, key, kind, description))


def new_list(change: Change, key: ListKey, kind: str, description: str | None) -> dict[str, Any]:
    """The signed row of a new, empty list."""
    row = {
        **key._asdict(),
        "kind": kind,
        "description": description,
        "created_at_ms": change.now_ms,
        "changes": 1,
        "total": change.signer.hide_total(*key, ListTotal(), change.random_bytes(16)),
    }
    return change.signer.signed(LISTS, row)


def _find(connection: sa.Connection, key: ListKey) -> Any:
    return connection.execute(sa.select(LISTS).where(_this(key))).one()


def _this(key: ListKey) -> sa.ColumnElement[bool]:
    return (LISTS.c.account_id == key.account_id) & (LISTS.c.name == key.name)
