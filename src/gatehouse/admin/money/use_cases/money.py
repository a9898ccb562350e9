"""Prices, balances and the ledger of accounts."""

import unicodedata
from collections.abc import Mapping
from typing import Final

import msgspec

from gatehouse.access.accounts import Account
from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import (
    ApprovalKind,
    check_approved,
    check_payment_approved,
)
from gatehouse.admin.money.queries import ledger_pages, ledger_verification, statements
from gatehouse.admin.money.queries.ledger_pages import LedgerLine, LedgerPage, LedgerSearch
from gatehouse.admin.money.types import BalanceResponse, public_balance
from gatehouse.billing.credits import check_expiry
from gatehouse.billing.fees import MOST_OWN, parse_fee
from gatehouse.billing.ledger import LedgerEntry
from gatehouse.billing.spending_pace import SpendingPace
from gatehouse.billing.statement import Movement
from gatehouse.billing.verify import LedgerReport
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.secrets import keyring
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import shown_amount
from gatehouse.store.accounts import accounts, credits, ledger
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import use_case

_REFERENCE_LENGTH: Final = Phrase(
    "refused.reference_length", "a reference has 1 to {most} printable characters"
)
_REFERENCE_CARD: Final = Phrase(
    "refused.reference_card", "this reference looks like a card number, which is never kept"
)

_MANY_FEES: Final = Phrase("refused.many_fees", "an account has at most {most} fees of its own")
_LIMIT_NEGATIVE: Final = Phrase("refused.limit_negative", "a credit limit cannot be negative")

# What the store takes and returns, for faces.
__all__ = ["LedgerLine", "LedgerPage", "LedgerSearch"]

_REFERENCE_TAKEN: Final = Phrase(
    "refused.reference_taken",
    "reference {named} was recorded on {at} with {amount} {currency}, which is another "
    "amount; nothing was added. Use the reference of this payment, or correct the first one",
)

_LONGEST_REFERENCE: Final = 128


@use_case(
    "GET /balance",
    scope="manage:billing",
    permission=Permission.SEE_MONEY,
    operation="getManagedBalance",
    answers="balanceResponse",
)
def get_balance(reading: Reading, account_id: str) -> BalanceResponse:
    """Balance.

    What the account has, as `/api/v1/balance` tells it.
    """
    return _balance(reading, account_id)


def _balance(within: Reading | Change, account_id: str) -> BalanceResponse:
    state = accounts.state(within.connection, account_id)
    currency = accounts.currency_of(within.connection, account_id)
    found = credits.open_credits(within.connection, account_id, state.balance)
    return public_balance(state, currency, within.now_ms, found)


def set_prices(session: AdminSession, account_id: str, fees: Mapping[str, str]) -> Account:
    """Set fees of an account by fee type, as decimal amounts or `list`; they count from now on."""
    micros = check_prices(fees)
    with session.account_change(account_id) as change:
        check_approved(change, account_id, ApprovalKind.PRICES)
        if len({**accounts.get(change.connection, account_id).fees, **micros}) > MOST_OWN:
            raise Conflict(_MANY_FEES(most=MOST_OWN))
        return accounts.set_fees(change, account_id, micros)


def check_prices(fees: Mapping[str, str]) -> dict[str, int | None]:
    """Fees in millionths by fee type, None for the list's; `InvalidInput` for what is no fee."""
    return dict(parse_fee(fee_type, amount) for fee_type, amount in fees.items())


class TopUp(msgspec.Struct, frozen=True):
    """The balance after a top-up or an adjustment."""

    balance: BalanceResponse
    recorded_before_at_ms: int | None = None
    """When its reference was recorded first; then nothing was added this time."""


def top_up(
    session: AdminSession, account_id: str, micros: int, note: str, reference: str | None = None
) -> TopUp:
    """Add money to a balance, once for each reference, however often it is asked for."""
    named = None if reference is None else _checked_reference(reference)
    try:
        with session.account_change(account_id) as change:
            check_payment_approved(change, account_id, ApprovalKind.TOP_UPS, micros)
            ledger.top_up(change, account_id, micros, note, named)
            return TopUp(_balance(change, account_id))
    except ledger.ReferenceTaken as taken:
        return _recorded_before(session, account_id, taken.recorded, (micros, named))


def _recorded_before(
    session: AdminSession, account_id: str, recorded: LedgerEntry, asked: tuple[int, str | None]
) -> TopUp:
    """What a repeat is told; `Conflict` when it is another amount."""
    micros, named = asked
    balance = get_balance(session, account_id)
    if recorded.amount != micros:
        currency = balance.currency
        amount, at = shown_amount(recorded.amount, currency), iso_time(recorded.at_ms)
        raise Conflict(_REFERENCE_TAKEN(named=named, at=at, amount=amount, currency=currency))
    return TopUp(balance, recorded.at_ms)


def adjust(
    session: AdminSession,
    account_id: str,
    micros: int,
    reason: str,
    reference: str | None = None,
    until: str | None = None,
) -> TopUp:
    """Correct a balance by hand, upwards or downwards, once for each reference.

    With a last day, what is not spent of it until then is taken back.
    """
    named = None if reference is None else _checked_reference(reference)
    expires_at_ms = None if until is None else check_expiry(micros, until, session.clock())
    try:
        with session.account_change(account_id) as change:
            check_payment_approved(change, account_id, ApprovalKind.ADJUSTMENTS, micros)
            ledger.adjust(change, account_id, micros, reason, named, expires_at_ms)
            return TopUp(_balance(change, account_id))
    except ledger.ReferenceTaken as taken:
        return _recorded_before(session, account_id, taken.recorded, (micros, named))


def set_credit_limit(session: AdminSession, account_id: str, micros: int | None) -> BalanceResponse:
    """Let the balance go below nothing up to a limit; None is that it is paid in advance again."""
    if micros is not None and micros < 0:
        raise InvalidInput(_LIMIT_NEGATIVE())
    with session.account_change(account_id) as change:
        more = micros or 0
        if more <= (accounts.state(change.connection, account_id).credit or 0):
            more = 0
        check_payment_approved(change, account_id, ApprovalKind.TOP_UPS, more)
        accounts.set_credit_limit(change, account_id, micros)
        return _balance(change, account_id)


def spending_pace(session: AdminSession, account_id: str) -> SpendingPace | None:
    """How fast an account spends; None when it does not, or is too young to tell."""
    with session.account_reading(account_id) as connection:
        return ledger.pace(connection, accounts.get(connection, account_id), session.clock())


def _checked_reference(given: str) -> str:
    reference = unicodedata.normalize("NFC", given.strip())
    if not 1 <= len(reference) <= _LONGEST_REFERENCE or not reference.isprintable():
        raise InvalidInput(_REFERENCE_LENGTH(most=_LONGEST_REFERENCE))
    if recordable(reference) != reference:
        # Masked, different references would look the same, and the second would not be added.
        raise InvalidInput(_REFERENCE_CARD())
    return reference


def ledger_page(session: AdminSession, account_id: str, search: LedgerSearch) -> LedgerPage:
    """Some ledger entries of an account, each with the balance after it."""
    with session.account_reading(account_id) as connection:
        return ledger_pages.page(connection, account_id, search)


def latest_movements(session: AdminSession, account_id: str, limit: int) -> list[Movement]:
    """The newest top-ups and adjustments of an account, however much it was used since."""
    with session.account_reading(account_id) as connection:
        return statements.latest_movements(connection, account_id, limit)


def verify_ledger(session: AdminSession) -> LedgerReport:
    """Prove the ledger of every account, also against audit trail and decision records."""
    with session.installation_reading() as connection:
        return ledger_verification.verify(connection, session.ring.current(keyring.AUDIT)[1])
