"""Accounts: creating, finding, renaming, closing, and giving them what new ones begin with."""

from typing import Final

import msgspec

from gatehouse.access.accounts import Account
from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.types import AccountShown
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_payment_approved
from gatehouse.billing.ledger import AccountState
from gatehouse.core.api_values import money
from gatehouse.core.clock import Moment
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts, ledger
from gatehouse.store.accounts.price_list import fees_of
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.admin.use_case import use_case
from gatehouse.store.configured import defaults

_OPENING_NEGATIVE: Final = Phrase(
    "refused.opening_negative", "an opening balance cannot be negative"
)


class AccountOverview(msgspec.Struct, frozen=True):
    """An account with its balance and what is held of it."""

    account: Account
    state: AccountState


def create(
    session: AdminSession, name: str, currency: str, opening_micros: int = 0
) -> AccountOverview:
    """Create an account; an opening balance is a top-up with an audit line of its own."""
    if opening_micros < 0:
        raise InvalidInput(_OPENING_NEGATIVE())
    with session.installation_change() as change:
        account = accounts.create(change, name, currency)
        if opening_micros:
            kind = ApprovalKind.TOP_UPS
            check_payment_approved(change, account.account_id, kind, opening_micros)
            ledger.top_up(change, account.account_id, opening_micros, "opening balance")
    return AccountOverview(account, AccountState(opening_micros, 0))


def listing(session: AdminSession) -> list[AccountOverview]:
    """All accounts that the actor may see, oldest first."""
    with session.reading() as connection:
        found = accounts.listing(connection)
    only = session.actor.account_id
    return [AccountOverview(*each) for each in found if only in (None, each[0].account_id)]


@use_case(
    "GET /account",
    scope="manage:account",
    permission=Permission.ACCESS,
    operation="getAccount",
    answers="accountResponse",
)
def describe(reading: Reading, account_id: str) -> AccountShown:
    """Account.

    The account and its fees.
    """
    account = accounts.get(reading.connection, account_id)
    schedule = fees_of(reading.session.settings, account, reading.now_ms)
    fees = {kind: money(account.currency, fee) for kind, fee in schedule.items()}
    made = Moment(account.created_at_ms)
    return AccountShown(account_id, account.name, account.currency, made, fees)


def get(session: AdminSession, account_id: str) -> AccountOverview:
    """One account."""
    with session.account_reading(account_id) as connection:
        account = accounts.get(connection, account_id)
        return AccountOverview(account, accounts.state(connection, account_id))


def rename(session: AdminSession, account_id: str, name: str) -> AccountOverview:
    """Give an account another name."""
    with session.account_change(account_id) as change:
        renamed = accounts.rename(change, account_id, name)
        return AccountOverview(renamed, accounts.state(change.connection, account_id))


def close(session: AdminSession, account_id: str, reason: str) -> AccountOverview:
    """Close an account; its records and its ledger stay, and what is left can be paid out."""
    session.actor.check_installation()
    with session.account_change(account_id) as change:
        closed = accounts.close(change, account_id, reason)
        return AccountOverview(closed, accounts.state(change.connection, account_id))


def reopen(session: AdminSession, account_id: str, reason: str) -> AccountOverview:
    """Open a closed account again; keys that were not revoked meanwhile work again."""
    session.actor.check_installation()
    with session.account_change(account_id) as change:
        opened = accounts.reopen(change, account_id, reason)
        return AccountOverview(opened, accounts.state(change.connection, account_id))


def seed_defaults(session: AdminSession, account_id: str) -> list[str]:
    """Give an account the starter rule set and pipelines as far as it has none; what it got."""
    with session.account_reading(account_id) as connection:
        if defaults.is_complete(connection, account_id):
            return []
    with session.account_change(account_id) as change:
        return defaults.seed_defaults(change, account_id)
