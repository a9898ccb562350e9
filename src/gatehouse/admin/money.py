"""Prices, balances, the ledger and statements of accounts."""

from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from gatehouse.access.accounts import Account
from gatehouse.admin.accounts import AccountOverview
from gatehouse.admin.scopes import account_change, account_reading, installation_reading
from gatehouse.billing.fees import parse_fee
from gatehouse.billing.ledger import LedgerEntry
from gatehouse.billing.statement import MonthStatement, month_bounds
from gatehouse.billing.verify import LedgerReport
from gatehouse.core import keyring
from gatehouse.core.errors import InvalidInput
from gatehouse.store.accounts import accounts, ledger, ledger_verification
from gatehouse.store.admin.admin_session import AdminSession


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


def top_up(session: AdminSession, account_id: str, micros: int, note: str) -> AccountOverview:
    """Add money to a balance."""
    with account_change(session, account_id) as change:
        account = accounts.get(change.connection, account_id)
        return AccountOverview(account, ledger.top_up(change, account_id, micros, note))


def adjust(session: AdminSession, account_id: str, micros: int, reason: str) -> AccountOverview:
    """Correct a balance by hand, upwards or downwards."""
    with account_change(session, account_id) as change:
        account = accounts.get(change.connection, account_id)
        return AccountOverview(account, ledger.adjust(change, account_id, micros, reason))


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
