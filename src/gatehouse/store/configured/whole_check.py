"""Checks everything that an account has configured at once, for people who look after it."""

import sqlalchemy as sa

from gatehouse.core.errors import ConfigurationRefused
from gatehouse.core.wording.sentences import said_by
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.account_signature import check_account, refused
from gatehouse.store.configured.signing import Signer
from gatehouse.store.tables import API_KEYS, CONFIGURATIONS


def why_refused(connection: sa.Connection, signer: Signer, account_id: str) -> str | None:
    """Why something of an account's configuration is refused; None when all of it is genuine."""
    try:
        check_account(connection, signer, account_id)
        list_reading.load(connection, account_id, signer)
        for table, called in ((CONFIGURATIONS, "a version"), (API_KEYS, "a key")):
            query = sa.select(table).where(table.c.account_id == account_id)
            for row in connection.execute(query):
                if not signer.is_genuine(table, row._mapping):
                    raise refused(account_id, f"{called} of {row.name} was changed")
    except ConfigurationRefused as error:
        return said_by(error)
    return None
