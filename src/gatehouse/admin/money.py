"""Prices, balances, the ledger and statements of accounts."""

import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec

from gatehouse.access.accounts import Account
from gatehouse.admin.accounts import AccountOverview, get
from gatehouse.admin.scopes import account_change, account_reading, installation_reading
from gatehouse.billing.fees import parse_fee
from gatehouse.billing.ledger import LedgerEntry
from gatehouse.billing.statement import MonthStatement, month_bounds
from gatehouse.billing.verify import LedgerReport
from gatehouse.core import keyring
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.redaction import recordable
from gatehouse.intel.places import shown_amount
from gatehouse.store.accounts import accounts, ledger, ledger_verification
from gatehouse.store.admin.admin_session import AdminSession

_LONGEST_REFERENCE: Final = 128


class AccountStatement(msgspec.Struct, frozen=True):
    """The statement of one account for one month, written YYYY-MM."""

    account: Account
    month: str
    sums: MonthStatement


def set_prices(session: AdminSession, account_id: str, fees: Mapping[str, str]) -> Account:
    """Set fees of an account, as decimal amounts by fee type; they count from now on."""
    micros = dict(parse_fee(fee_type, amount) for fee_type, amount in fees.items())
    with account_change(session, account_id) as change:
        return accounts.set_fees(change, account_id, micros)


class TopUp(msgspec.Struct, frozen=True):
    """The account after a top-up."""

    overview: AccountOverview
    recorded_before_at_ms: int | None = None
    """When its reference was recorded first; then nothing was added this time."""


def top_up(
    session: AdminSession, account_id: str, micros: int, note: str, reference: str | None = None
) -> TopUp:
    """Add money to a balance, once for each reference, however often it is asked for."""
    named = None if reference is None else _checked_reference(reference)
    try:
        with account_change(session, account_id) as change:
            account = accounts.get(change.connection, account_id)
            state = ledger.top_up(change, account_id, micros, note, named)
            return TopUp(AccountOverview(account, state))
    except ledger.ReferenceTaken as taken:
        recorded = taken.recorded
    overview = get(session, account_id)
    if recorded.amount != micros:
        currency = overview.account.currency
        amount, at = shown_amount(recorded.amount, currency), iso_time(recorded.at_ms)
        raise Conflict(
            f"reference {named} was recorded on {at} with {amount} {currency}, which is another "
            "amount; nothing was added. Use the reference of this payment, or correct the first "
            "one with: gatehouse balance adjust"
        )
    return TopUp(overview, recorded.at_ms)


def adjust(session: AdminSession, account_id: str, micros: int, reason: str) -> AccountOverview:
    """Correct a balance by hand, upwards or downwards."""
    with account_change(session, account_id) as change:
        account = accounts.get(change.connection, account_id)
        return AccountOverview(account, ledger.adjust(change, account_id, micros, reason))


def _checked_reference(given: str) -> str:
    reference = unicodedata.normalize("NFC", given.strip())
    if not 1 <= len(reference) <= _LONGEST_REFERENCE or not reference.isprintable():
        raise InvalidInput(f"a reference has 1 to {_LONGEST_REFERENCE} printable characters")
    if recordable(reference) != reference:
        # Masked, different references would look the same, and the second would not be added.
        raise InvalidInput("this reference looks like a card number, which is never kept")
    return reference


def entries(session: AdminSession, account_id: str, limit: int) -> list[LedgerEntry]:
    """The newest ledger entries of an account, oldest first."""
    with account_reading(session, account_id) as connection:
        return ledger.entries(connection, account_id, limit)


def verify_ledger(session: AdminSession) -> LedgerReport:
    """Prove the ledger of every account, also against audit trail and decision records."""
    with installation_reading(session) as connection:
        return ledger_verification.verify(connection, session.ring.current(keyring.AUDIT)[1])


def statement(session: AdminSession, account_id: str, month: str | None) -> AccountStatement:
    """The statement of a month, of this one (in UTC) when none is named."""
    chosen = month or f"{datetime.fromtimestamp(session.clock() / 1000, UTC):%Y-%m}"
    try:
        bounds = month_bounds(chosen)
    except ValueError as error:
        raise InvalidInput(str(error)) from None
    with account_reading(session, account_id) as connection:
        account = accounts.get(connection, account_id)
        sums = ledger.statement(connection, account_id, bounds)
    return AccountStatement(account, chosen, sums)
