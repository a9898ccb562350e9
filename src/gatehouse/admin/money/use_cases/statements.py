"""Statements of accounts, for commands and for callers of the API."""

import asyncio
from collections.abc import Generator

import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.access.roles import Permission
from gatehouse.admin.money.queries import statements
from gatehouse.admin.money.types import (
    AccountStatement,
    BalanceResponse,
    StatementQuery,
    StatementResponse,
    public_statement,
)
from gatehouse.admin.money.use_cases.money import get_balance
from gatehouse.billing.statement import DAY_MS, ChargeLine, Period
from gatehouse.store.accounts import accounts
from gatehouse.store.accounts.ledger_days import LedgerDays
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import use_case

# What faces keep between statements.
__all__ = ["LedgerDays"]


@use_case(
    "GET /statement",
    scope="manage:billing",
    permission=Permission.SEE_MONEY,
    operation="getManagedStatement",
    codes=frozenset({"conflict"}),
    answers="statementResponse",
)
def get_statement(
    session: AdminSession, account_id: str, wanted: StatementQuery
) -> StatementResponse:
    """Statement.

    What moved the balance, as `/api/v1/statement` tells it.
    """
    period = wanted.period(session.clock())
    return public_statement(account_statement(session, account_id, period, daily=wanted.daily))


def account_statement(
    session: AdminSession, account_id: str, period: Period, *, daily: bool = False
) -> AccountStatement:
    """The statement of an account, with its charges by day if that is asked."""
    now_ms = session.clock()
    with session.account_reading(account_id) as connection:
        account = accounts.get(connection, account_id)
        made = statements.statement(connection, account_id, period, now_ms, daily=daily)
    return AccountStatement(account, made)


def quick_account_statement(
    session: AdminSession, account_id: str, period: Period, days: LedgerDays
) -> AccountStatement:
    """The same without days, for who asks again: past days are remembered in `days`."""
    session.actor.check_account(account_id)
    now_ms = session.clock()
    with session.account_reading(account_id) as connection:
        account = accounts.get(connection, account_id)
    days.prepare(session.database, account_id, period.start_ms // DAY_MS, now_ms)
    with session.account_reading(account_id) as connection:
        made = statements.quick_statement(connection, account_id, period, now_ms, days)
    return AccountStatement(account, made)


def all_statements(
    session: AdminSession, period: Period, *, daily: bool = False
) -> Generator[AccountStatement, None, None]:
    """The statements of all accounts as of one moment, one after the other."""
    now_ms = session.clock()
    with session.installation_reading() as connection:
        for account, _ in accounts.listing(connection):
            account_id = account.account_id
            made = statements.statement(connection, account_id, period, now_ms, daily=daily)
            yield AccountStatement(account, made)


def charges_between(connection: sa.Connection, account_id: str, period: Period) -> list[ChargeLine]:
    """What was charged in a period, by fee type and fee, for who is in a transaction already."""
    return statements.charges(connection, account_id, period)


class LiveBilling:
    """Balances and statements for callers of the API, read on a thread."""

    def __init__(self, session: AdminSession) -> None:
        self._session = session
        self._one_at_a_time = asyncio.Lock()
        self.waiting: list[str] = []
        """The accounts whose statements are being made, or wait for that."""

    async def balance(self, actor: Actor, account_id: str) -> BalanceResponse:
        """What an account has, and what of it is held."""
        return await asyncio.to_thread(get_balance, self._session.acting_as(actor), account_id)

    async def statement(
        self, actor: Actor, account_id: str, period: Period, *, daily: bool
    ) -> StatementResponse:
        """The statement of an account; one at a time, because each may read much."""
        session = self._session.acting_as(actor)
        self.waiting.append(account_id)
        try:
            async with self._one_at_a_time:
                found = await asyncio.to_thread(
                    account_statement, session, account_id, period, daily=daily
                )
        finally:
            self.waiting.remove(account_id)
        return public_statement(found)
