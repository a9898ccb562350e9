"""The ledger outside the request path: top-ups, adjustments, and all entries in a row."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.accounts import Account
from gatehouse.billing.credits import Credit, unused
from gatehouse.billing.ledger import AccountState, Book, EntryKind, Hold, LedgerEntry
from gatehouse.billing.spending_pace import LONGEST_MS, SHORTEST_MS, SpendingPace
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.events import EventName
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import shown_amount
from gatehouse.store.accounts import accounts, credits
from gatehouse.store.accounts.tables import TOP_UP_REFERENCES
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import is_any_of
from gatehouse.store.tables import ACCOUNTS, HOLDS, LEDGER_ENTRIES, NOT_A_HOLD

_TOP_UP_RECORDED: Final = Phrase(
    "refused.top_up_recorded", "a top-up with this reference was recorded before"
)
_ADJUSTMENT_AVAILABLE: Final = Phrase(
    "refused.adjustment_available", "the adjustment takes more than the available {free}"
)
_NOTE_OR_REASON: Final = Phrase(
    "refused.note_or_reason", "a note or a reason has at most {most} characters"
)

_CREDIT_ENDED: Final = Phrase("refused.credit_ended", "this credit has ended, or not expired yet")

TOPPED_UP: Final = "balance.top-up"
ADJUSTED: Final = "balance.adjust"
"""The actions of the audit lines that top-ups and adjustments leave."""
CREDIT_USED_UP: Final = "balance.credit-used-up"

_LONGEST_NOTE: Final = 500
_MOST_CHARGES: Final = 10_000
_REFERENCES: Final = TOP_UP_REFERENCES.c


class ReferenceTaken(Conflict):
    """A top-up or an adjustment was recorded under the same reference before."""

    def __init__(self, recorded: LedgerEntry) -> None:
        super().__init__(_TOP_UP_RECORDED())
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
    book.add(account_id, entry, amount, change.now_ms, kept_note(note))
    named = {} if reference is None else {"paymentReference": reference}
    change.audit(TOPPED_UP, account_id, reference=entry, micros=amount, **named)
    state = book.accounts[account_id]
    state.note_added()
    said = {"amount": amount, "remaining": state.available, "reference": reference or entry}
    change.event(EventName.BALANCE_TOPPED_UP, account_id, entry, said)
    return _write(change, book, account_id)


def adjust(
    change: Change,
    account_id: str,
    amount: int,
    reason: str,
    named: str | None = None,
    expires_at_ms: int | None = None,
    *,
    may_owe: bool = False,
) -> AccountState:
    """Correct a balance; `ReferenceTaken` when its reference was used before.

    An amount that is added may expire: what is not spent by then is taken back. With `may_owe` the
    account owes what it does not have, and spends nothing until it has paid.
    """
    currency = accounts.get(change.connection, account_id).currency
    book = _open_book(change, account_id)
    reference = change.new_id("adj")
    if named is not None:
        _take_reference(change, account_id, named, reference)
    available = book.accounts[account_id].available
    # An account that owes more than its lowered limit can still be credited.
    is_short = amount < 0 and amount + available < 0
    if is_short and may_owe and book.accounts[account_id].credit is None:
        accounts.set_credit_limit(change, account_id, 0)
    if is_short and not may_owe:
        free = f"{shown_amount(available, currency)} {currency}"
        raise InvalidInput(_ADJUSTMENT_AVAILABLE(free=free))
    why = kept_note(reason)
    book.adjust(account_id, reference, amount, change.now_ms, why, may_owe=may_owe)
    payment: dict[str, Any] = {} if named is None else {"paymentReference": named}
    if expires_at_ms is not None:
        payment["expiresAtMs"] = expires_at_ms
        new = Credit(reference, amount, amount, expires_at_ms)
        credits.add(change.connection, account_id, new)
    change.audit(ADJUSTED, account_id, reference=reference, micros=amount, reason=why, **payment)
    if amount > 0:
        book.accounts[account_id].note_added()
    tell_if_low(change, account_id, book.accounts[account_id], reference)
    return _write(change, book, account_id)


def take_back(change: Change, account_id: str, entry: str) -> None:
    """End a credit that has expired: what is left of it is taken from the balance, once."""
    book = _open_book(change, account_id)
    state = book.accounts[account_id]
    found = credits.open_credits(change.connection, account_id, state.balance)
    credit = next((each for each in found if each.entry == entry), None)
    if credit is None or credit.expires_at_ms > change.now_ms:
        raise Conflict(_CREDIT_ENDED())
    amount, reference = unused(credit, state), None
    if amount:
        reference, why = change.new_id("adj"), f"what was left of the credit {entry} expired"
        book.adjust(account_id, reference, -amount, change.now_ms, why)
        said = {"reference": reference, "micros": -amount, "reason": why, "credit": entry}
        change.audit(ADJUSTED, account_id, **said)
        tell_if_low(change, account_id, state, reference)
        _write(change, book, account_id)
    else:
        change.audit(CREDIT_USED_UP, account_id, credit=entry)
    credits.end(change.connection, account_id, entry, amount, reference, change.now_ms)
    told = {"amount": amount, "remaining": state.available, "reference": entry}
    change.event(EventName.BALANCE_CREDIT_EXPIRED, account_id, entry, told)


def tell_if_low(change: Change, account_id: str, state: AccountState, about: str) -> None:
    """Tell an account that its balance is low, once until it was not; the caller saves that."""
    if state.note_low():
        said = {"remaining": state.available, "threshold": state.low_below}
        change.event(EventName.BALANCE_LOW, account_id, about, said)


def pace(connection: sa.Connection, account: Account, now_ms: int) -> SpendingPace | None:
    """How fast the account spends, by its newest charges of the last days; None when it does not.

    At most some thousand are looked at, so that it costs the same for the busiest account.
    """
    since_ms = max(now_ms - LONGEST_MS, account.created_at_ms)
    entry = LEDGER_ENTRIES.c
    newest = (
        sa.select(entry.amount, entry.at_ms)
        .where(entry.account_id == account.account_id, entry.at_ms >= since_ms)
        .where(sa.text(NOT_A_HOLD), entry.kind == EntryKind.CLOSE.value)
        .order_by(entry.at_ms.desc())
        .limit(_MOST_CHARGES)
        .subquery("newest")
    )
    sums = (sa.func.count(), sa.func.sum(newest.c.amount), sa.func.min(newest.c.at_ms))
    charges, charged, first_ms = connection.execute(sa.select(*sums)).one()
    since_ms = first_ms if charges == _MOST_CHARGES else since_ms
    if not charged or now_ms - since_ms < SHORTEST_MS:
        return None
    return SpendingPace(-int(charged), since_ms, now_ms)


def expired_holds(connection: sa.Connection, now_ms: int, alive: str | None) -> list[Hold]:
    """Expired holds; where only one server can run, also holds of any other owner."""
    ended = HOLDS.c.expires_at_ms <= now_ms
    if alive is not None:
        ended = ended | (HOLDS.c.owner != alive)
    return [Hold(*row) for row in connection.execute(sa.select(HOLDS).where(ended).limit(10_000))]


def holds_of(connection: sa.Connection, owner: str) -> list[Hold]:
    """The holds of a server."""
    return [
        Hold(*row) for row in connection.execute(sa.select(HOLDS).where(HOLDS.c.owner == owner))
    ]


def known_references(
    connection: sa.Connection, account_id: str, references: Sequence[str]
) -> set[str]:
    """Those of some references, such as ids of requests, that an account has entries for."""
    entry = LEDGER_ENTRIES.c
    query = sa.select(entry.reference).where(
        entry.account_id == account_id, is_any_of(connection, entry.reference, references)
    )
    return set(connection.scalars(query))


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


def kept_note(given: str) -> str:
    """A note or reason as it is kept: not too long, and without card numbers."""
    if len(given) > _LONGEST_NOTE:
        raise InvalidInput(_NOTE_OR_REASON(most=_LONGEST_NOTE))
    return recordable(given)


def _open_book(change: Change, account_id: str) -> Book:
    state = accounts.state_for_update(change, account_id)
    credits.settle(change.connection, account_id, state.balance)
    return Book({account_id: state})


def _write(change: Change, book: Book, account_id: str) -> AccountState:
    rows = [msgspec.structs.asdict(entry) for entry in book.entries]
    change.connection.execute(LEDGER_ENTRIES.insert(), rows)
    state = book.accounts[account_id]
    credits.brought_up_to(change.connection, account_id, state.balance)
    change.connection.execute(
        ACCOUNTS.update()
        .where(ACCOUNTS.c.id == account_id)
        .values(balance=state.balance, balance_told=state.told.value)
    )
    return state


def _entry(row: Any) -> LedgerEntry:
    return msgspec.convert(tuple(row), LedgerEntry)
