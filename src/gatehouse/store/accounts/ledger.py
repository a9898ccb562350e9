"""The ledger outside the request path: top-ups, adjustments, and all entries in a row."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.billing.ledger import AccountState, Book, Hold, LedgerEntry
from gatehouse.core.errors import Conflict
from gatehouse.core.redaction import recordable
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.tables import ACCOUNTS, HOLDS, LEDGER_ENTRIES, TOP_UP_REFERENCES

TOPPED_UP: Final = "balance.top-up"
ADJUSTED: Final = "balance.adjust"
"""The actions of the audit lines that top-ups and adjustments leave."""

_REFERENCES: Final = TOP_UP_REFERENCES.c


class ReferenceTaken(Conflict):
    """A top-up was recorded under the same reference before."""

    def __init__(self, recorded: LedgerEntry) -> None:
        super().__init__("a top-up with this reference was recorded before")
        self.recorded = recorded


def top_up(
    change: Change, account_id: str, amount: int, note: str, reference: str | None = None
) -> AccountState:
    """Add money to an account; `ReferenceTaken` when the reference was used before."""
    accounts.get_open(change.connection, account_id)
    book = _open_book(change, account_id)
    entry = change.new_id("pay")
    if reference is not None:
        _take_reference(change, account_id, reference, entry)
    book.add(account_id, entry, amount, change.now_ms, recordable(note))
    named = {} if reference is None else {"paymentReference": reference}
    change.audit(TOPPED_UP, account_id, reference=entry, micros=amount, **named)
    return _write(change, book, account_id)


def adjust(change: Change, account_id: str, amount: int, reason: str) -> AccountState:
    """Correct a balance by hand."""
    book = _open_book(change, account_id)
    reference = change.new_id("adj")
    why = recordable(reason)
    book.adjust(account_id, reference, amount, change.now_ms, why)
    change.audit(ADJUSTED, account_id, reference=reference, micros=amount, reason=why)
    return _write(change, book, account_id)


def expired_holds(connection: sa.Connection, now_ms: int, alive: str | None) -> list[Hold]:
    """Expired holds; where only one server can run, also holds of any other owner."""
    ended = HOLDS.c.expires_at_ms <= now_ms
    if alive is not None:
        ended = ended | (HOLDS.c.owner != alive)
    return [Hold(*row) for row in connection.execute(sa.select(HOLDS).where(ended).limit(10_000))]


def stream(connection: sa.Connection, query: "sa.Select[Any]") -> Iterator[LedgerEntry]:
    """The entries that a query finds, a few thousand of them in memory at a time."""
    streaming = connection.execution_options(stream_results=True, yield_per=5000)
    for row in streaming.execute(query):
        yield _entry(row)


def _take_reference(change: Change, account_id: str, reference: str, entry: str) -> None:
    """Note which top-up a reference belongs to; the table's key lets each be taken once."""
    this = (_REFERENCES.account_id == account_id) & (_REFERENCES.reference == reference)
    same = (LEDGER_ENTRIES.c.account_id == account_id) & (
        LEDGER_ENTRIES.c.reference == _REFERENCES.entry
    )
    known = sa.select(LEDGER_ENTRIES).join(TOP_UP_REFERENCES, same).where(this)
    taken = change.connection.execute(known).first()
    if taken is not None:
        raise ReferenceTaken(_entry(taken))
    row = {"account_id": account_id, "reference": reference, "entry": entry}
    change.connection.execute(TOP_UP_REFERENCES.insert(), row)


def _open_book(change: Change, account_id: str) -> Book:
    accounts.get(change.connection, account_id)
    query = sa.select(ACCOUNTS).where(ACCOUNTS.c.id == account_id).with_for_update()
    row = change.connection.execute(query).one()
    return Book({account_id: AccountState(row.balance, row.held)})


def _write(change: Change, book: Book, account_id: str) -> AccountState:
    rows = [msgspec.structs.asdict(entry) for entry in book.entries]
    change.connection.execute(LEDGER_ENTRIES.insert(), rows)
    state = book.accounts[account_id]
    change.connection.execute(
        ACCOUNTS.update().where(ACCOUNTS.c.id == account_id).values(balance=state.balance)
    )
    return state


def _entry(row: Any) -> LedgerEntry:
    return msgspec.convert(tuple(row), LedgerEntry)
