"""What an actor may touch, checked once for every use case: one account, or the installation.

An account that is not the actor's is `NotFound`, as one that does not exist.
"""

import contextlib
from collections.abc import Iterator

import sqlalchemy as sa

from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change


@contextlib.contextmanager
def account_reading(session: AdminSession, account_id: str) -> Iterator[sa.Connection]:
    """Read what belongs to an account."""
    session.actor.check_account(account_id)
    with session.reading() as connection:
        accounts.get(connection, account_id)
        yield connection


@contextlib.contextmanager
def account_change(
    session: AdminSession, account_id: str, *, unseen: bool = False
) -> Iterator[Change]:
    """Change what belongs to an account, in one audited transaction."""
    session.actor.check_account(account_id)
    with session.change(unseen=unseen) as change:
        accounts.get(change.connection, account_id)
        yield change


@contextlib.contextmanager
def installation_reading(session: AdminSession) -> Iterator[sa.Connection]:
    """Read what concerns all accounts."""
    session.actor.check_installation()
    with session.reading() as connection:
        yield connection


@contextlib.contextmanager
def installation_change(session: AdminSession) -> Iterator[Change]:
    """Change what concerns all accounts, in one audited transaction."""
    session.actor.check_installation()
    with session.change() as change:
        yield change
