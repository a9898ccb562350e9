"""Tells all servers of a change when its transaction commits; they need not wait for their look.

Only PostgreSQL has several servers. A notice names what kind of thing has changed and nothing else.
"""

from enum import StrEnum
from typing import Final

import sqlalchemy as sa

CHANNEL: Final = "gatehouse"


class ChangeNotice(StrEnum):
    """What has changed."""

    REVISION = "revision"
    """Accounts, keys, prices or something configured."""
    LABELS = "labels"
    ERASED = "erased"
    JOBS = "jobs"


def notify(connection: sa.Connection, notice: ChangeNotice) -> None:
    """Tell every server, and this one, once the transaction is committed."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_notify(CHANNEL, notice.value)))
