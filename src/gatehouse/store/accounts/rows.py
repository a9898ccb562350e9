"""The row of an account, and what is said where there is none."""

from typing import Any, Final

import sqlalchemy as sa

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.tables import ACCOUNTS

_NO_SUCH_ACCOUNT: Final = Phrase("refused.no_such_account", "no account {account_id}")


def find(connection: sa.Connection, account_id: str) -> Any:
    """The row of an account, or None."""
    return connection.execute(sa.select(ACCOUNTS).where(ACCOUNTS.c.id == account_id)).first()


def get(connection: sa.Connection, account_id: str) -> Any:
    """The row of an account, or `NotFound`."""
    row = find(connection, account_id)
    if row is None:
        raise NotFound(_NO_SUCH_ACCOUNT(account_id=recordable(account_id)))
    return row
