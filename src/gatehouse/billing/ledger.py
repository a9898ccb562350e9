"""The ledger's decisions: how money is held, charged, released and added.

A `Book` is the working copy of the accounts that one transaction touches. It decides every
operation in order and collects the entries to append; the store loads it and writes it back.
The balance of an account is the sum of its entries' `amount`, its open holds the sum of `held`.
"""

from collections.abc import Iterable
from enum import IntEnum, StrEnum
from typing import Final

import msgspec

from gatehouse.core.errors import AccountClosed, AuthorizationLost, InvalidInput
from gatehouse.core.money import MAX_AMOUNT, format_amount
from gatehouse.core.wording.sentences import Phrase

_ACCOUNT_CLOSED: Final = Phrase("refused.account_closed", "account {account} is closed")
AUTHORIZATION_ENDED: Final = Phrase(
    "refused.authorization_ended", "the authorization of this request has already ended"
)
_CLOSES_MORE: Final = Phrase(
    "refused.closes_more", "a request cannot close more than it authorized"
)
_TOP_UP_POSITIVE: Final = Phrase("refused.top_up_positive", "a top-up adds a positive amount")
_ADJUSTMENT_NOTHING: Final = Phrase(
    "refused.adjustment_nothing", "an adjustment of nothing changes nothing"
)
_ADJUSTMENT_REASON: Final = Phrase("refused.adjustment_reason", "an adjustment needs a reason")
_ADJUSTMENT_TOO_MUCH: Final = Phrase(
    "refused.adjustment_too_much", "the adjustment takes more than is available"
)
_BALANCE_MOST: Final = Phrase("refused.balance_most", "a balance is at most {most}")


class EntryKind(StrEnum):
    """Why an entry was appended."""

    TOP_UP = "TOP_UP"
    ADJUST = "ADJUST"
    AUTHORIZE = "AUTHORIZE"
    CLOSE = "CLOSE"
    RELEASE = "RELEASE"
    EXPIRE = "EXPIRE"


# A request has at most one entry of each step, so the ledger's key itself forbids a second close.
STEP_OPEN: Final = 0
STEP_END: Final = 1


class LedgerEntry(msgspec.Struct, frozen=True, array_like=True):
    """One line of the ledger; never changed, never removed."""

    account_id: str
    reference: str
    step: int
    kind: EntryKind
    amount: int
    held: int
    at_ms: int
    detail: str | None = None


def charged_items(detail: str | None) -> list[tuple[str, int]]:
    """What a close charged, item by item: fee types with their fees, as `Book.close` notes them."""
    parts = (part.partition("=") for part in (detail or "").split())
    return [(fee_type, int(fee)) for fee_type, _, fee in parts]


class BalanceTold(IntEnum):
    """What an account was told of its balance since that was last enough."""

    NOTHING = 0
    LOW = 1
    DEPLETED = 2


class AccountState(msgspec.Struct):
    """The balance of an account and what is held of it."""

    balance: int
    held: int
    closed: bool = False
    """Whether the account is closed, so that nothing more may be held."""
    low_below: int | None = None
    """The balance below which the account wants to be told so."""
    told: BalanceTold = BalanceTold.NOTHING
    credit: int | None = None
    """How far below nothing the balance may go; None for an account that pays in advance."""

    @property
    def available(self) -> int:
        """The amount that can be spent."""
        return self.balance + (self.credit or 0) - self.held

    @property
    def is_low(self) -> bool:
        """Whether the balance is below the account's threshold.

        What is held does not count: it may be given back, and the balance would seem to recover.
        """
        return self.low_below is not None and self.balance < self.low_below

    def note_low(self) -> bool:
        """Whether the account must be told now that its balance is low; once until it was not."""
        if not self.is_low or self.told is not BalanceTold.NOTHING:
            return False
        self.told = BalanceTold.LOW
        return True

    def note_depleted(self) -> bool:
        """Whether the account must be told now that its balance does not suffice."""
        if self.told is BalanceTold.DEPLETED:
            return False
        self.told = BalanceTold.DEPLETED
        return True

    def note_added(self) -> None:
        """Money was added: what is told next is news again."""
        self.told = min(self.told, BalanceTold.LOW if self.is_low else BalanceTold.NOTHING)


class Hold(msgspec.Struct, frozen=True, array_like=True):
    """An open authorization."""

    request_id: str
    account_id: str
    amount: int
    expires_at_ms: int
    owner: str
    card: str | None = None
    """By which mark wrong guesses at its card are counted, if it could be one."""
    claim: str | None = None
    card_account: str | None = None
    """The same of the account behind the card, if it is known."""


class Item(msgspec.Struct, frozen=True):
    """One executed service of a request and what it costs when it completed."""

    fee_type: str
    fee: int
    completed: bool


class Book:
    """The accounts of one transaction, and the entries that it appends."""

    def __init__(self, accounts: dict[str, AccountState]) -> None:
        self.accounts = accounts
        self.entries: list[LedgerEntry] = []

    def authorize(self, hold: Hold, at_ms: int, by: str | None = None) -> bool:
        """Hold the amount for who asks, if it is available; returns whether it was held."""
        account, state = hold.account_id, self.accounts[hold.account_id]
        if state.closed:
            raise AccountClosed(_ACCOUNT_CLOSED(account=account))
        if hold.amount > state.available:
            return False
        state.held += hold.amount
        kind, amount = EntryKind.AUTHORIZE, hold.amount
        self.entries.append(
            LedgerEntry(account, hold.request_id, STEP_OPEN, kind, 0, amount, at_ms, by)
        )
        return True

    def close(self, hold: Hold | None, items: Iterable[Item], at_ms: int) -> int:
        """End a hold by charging what completed; the rest becomes spendable again."""
        if hold is None:
            raise AuthorizationLost(AUTHORIZATION_ENDED())
        charged = [(item.fee_type, item.fee) for item in items if item.completed]
        total = sum(fee for _, fee in charged)
        if total > hold.amount:
            raise InvalidInput(_CLOSES_MORE())
        detail = " ".join(f"{fee_type}={fee}" for fee_type, fee in charged)
        self._end(hold, EntryKind.CLOSE, total, at_ms, detail or None)
        return total

    def release(self, hold: Hold, at_ms: int, *, kind: EntryKind = EntryKind.RELEASE) -> None:
        """End a hold without charging anything."""
        self._end(hold, kind, 0, at_ms, None)

    def add(self, account_id: str, reference: str, amount: int, at_ms: int, note: str) -> None:
        """Add money paid in by the account's holder."""
        if amount <= 0:
            raise InvalidInput(_TOP_UP_POSITIVE())
        self._move(account_id, reference, amount, at_ms, (EntryKind.TOP_UP, note))

    def adjust(
        self,
        account_id: str,
        reference: str,
        amount: int,
        at_ms: int,
        why: str,
        *,
        may_owe: bool = False,
    ) -> None:
        """Correct a balance; only what is owed by contract is taken from what is held, or lacks."""
        if amount == 0:
            raise InvalidInput(_ADJUSTMENT_NOTHING())
        if not why.strip():
            raise InvalidInput(_ADJUSTMENT_REASON())
        if amount < 0 and not may_owe and amount + self.accounts[account_id].available < 0:
            raise InvalidInput(_ADJUSTMENT_TOO_MUCH())
        self._move(account_id, reference, amount, at_ms, (EntryKind.ADJUST, why))

    def _end(
        self, hold: Hold, kind: EntryKind, charged: int, at_ms: int, detail: str | None
    ) -> None:
        account, state = hold.account_id, self.accounts[hold.account_id]
        state.held -= hold.amount
        state.balance -= charged
        deltas = -charged, -hold.amount
        self.entries.append(
            LedgerEntry(account, hold.request_id, STEP_END, kind, *deltas, at_ms, detail)
        )

    def _move(
        self, account_id: str, reference: str, amount: int, at_ms: int, why: tuple[EntryKind, str]
    ) -> None:
        state = self.accounts[account_id]
        if state.balance + amount > MAX_AMOUNT:
            raise InvalidInput(_BALANCE_MOST(most=format_amount(MAX_AMOUNT)))
        state.balance += amount
        kind, note = why
        entry = LedgerEntry(account_id, reference, STEP_OPEN, kind, amount, 0, at_ms, note or None)
        self.entries.append(entry)
