"""Statements of accounts, for commands and for callers of the API."""

import asyncio
from collections.abc import Generator

import msgspec

from gatehouse.access.accounts import Account
from gatehouse.access.actors import Actor
from gatehouse.admin.scopes import account_reading, installation_reading
from gatehouse.billing.statement import Period, Statement
from gatehouse.store.accounts import accounts, statements
from gatehouse.store.admin.admin_session import AdminSession


class AccountStatement(msgspec.Struct, frozen=True):
    """The statement of one account."""

    account: Account
    statement: Statement


def account_statement(
    session: AdminSession, account_id: str, period: Period, *, daily: bool = False
) -> AccountStatement:
    """The statement of an account, with its charges by day if that is asked."""
    now_ms = session.clock()
    with account_reading(session, account_id) as connection:
        account = accounts.get(connection, account_id)
        made = statements.statement(connection, account_id, period, now_ms, daily=daily)
    return AccountStatement(account, made)


def all_statements(
    session: AdminSession, period: Period, *, daily: bool = False
) -> Generator[AccountStatement, None, None]:
    """The statements of all accounts as of one moment, one after the other."""
    now_ms = session.clock()
    with installation_reading(session) as connection:
        for account, _ in accounts.listing(connection):
            account_id = account.account_id
            made = statements.statement(connection, account_id, period, now_ms, daily=daily)
            yield AccountStatement(account, made)


class LiveStatements:
    """The same for callers of the API, on a thread and one at a time: each may read much."""

    def __init__(self, session: AdminSession) -> None:
        self._session = session
        self._one_at_a_time = asyncio.Lock()

    async def get(self, actor: Actor, account_id: str, period: Period, *, daily: bool) -> Statement:
        """The statement of an account."""
        session = self._session.acting_as(actor)
        async with self._one_at_a_time:
            found = await asyncio.to_thread(
                account_statement, session, account_id, period, daily=daily
            )
        return found.statement
