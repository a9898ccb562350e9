"""The money of every account at a glance: balances, credit, invoices that are open, usage."""

from collections.abc import Iterator
from typing import Final

import msgspec

from gatehouse.access.accounts import Account
from gatehouse.admin.invoices import queries
from gatehouse.admin.invoices.queries import Invoiced
from gatehouse.admin.money.use_cases.statements import quick_account_statement
from gatehouse.billing.ledger import AccountState
from gatehouse.billing.statement import read_period
from gatehouse.core.files.csv_output import plain_cell
from gatehouse.core.money import format_amount
from gatehouse.store.accounts import accounts
from gatehouse.store.accounts.ledger_days import LedgerDays
from gatehouse.store.admin.admin_session import AdminSession

ACCOUNT_HEADINGS: Final = (
    *("accountId", "accountName", "currency", "closed", "balance", "held", "creditLimit"),
    *("available", "usedThisMonth", "invoiced", "open"),
)
_NOTHING: Final = Invoiced(0, 0)


class AccountMoney(msgspec.Struct, frozen=True):
    """What an account has, has used this month, and owes by its invoices, in millionths."""

    account: Account
    state: AccountState
    used: int
    """Charged since this month began, in UTC."""
    invoiced: int
    """All invoices with tax, less their credit notes."""
    open: int
    """What of them is to be paid: no top-up has the number of the invoice as its reference."""


def money_of_accounts(
    session: AdminSession,
    days: LedgerDays | None = None,
    *,
    wanted: str = "",
    after: str | None = None,
) -> Iterator[AccountMoney]:
    """The accounts whose name has some letters, or with that id, newest first; lazily.

    With `after`, those that follow the account of this id. `days` remembers for who asks again.
    """
    with session.installation_reading() as connection:
        found = list(reversed(accounts.listing(connection)))
        invoiced = queries.invoiced(connection)
    if after is not None:
        ids = [account.account_id for account, _ in found]
        found = found[ids.index(after) + 1 :] if after in ids else []
    period, days = read_period(None, None, None, session.clock()), days or LedgerDays()
    for account, state in found:
        if wanted.casefold() not in account.name.casefold() and wanted != account.account_id:
            continue
        made = quick_account_statement(session, account.account_id, period, days).statement
        known = invoiced.get(account.account_id, _NOTHING)
        yield AccountMoney(account, state, made.charged, known.total, known.open)


def account_row(one: AccountMoney) -> tuple[object, ...]:
    """An account as cells below `ACCOUNT_HEADINGS`."""
    account, state = one.account, one.state
    amounts = (state.available, one.used, one.invoiced, one.open)
    credit = "" if state.credit is None else format_amount(state.credit)
    closed = "" if account.closed_at_ms is None else "yes"
    return (
        *(account.account_id, plain_cell(account.name), account.currency, closed),
        *(format_amount(state.balance), format_amount(state.held), credit),
        *(format_amount(each) for each in amounts),
    )
