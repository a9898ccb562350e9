"""Events, and what each account wants to be told."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, SmallInteger, Text

from gatehouse.store.columns import index, optional, order_columns, required

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "events",
        *order_columns(),
        *required(Text, "id", "account_id"),
        *required(BigInteger, "at_ms"),
        *required(Text, "type", "actor", "about"),
        *optional(Text, "data"),
        index("events_by_id", "id", unique=True),
        index("events_by_account", "account_id", "xid", "seq"),
        sqlite_autoincrement=True,
    )
    op.add_column("accounts", sa.Column("event_filters", Text))
    op.add_column("accounts", sa.Column("low_balance", BigInteger))
    told = sa.Column("balance_told", SmallInteger, nullable=False, server_default="0")
    op.add_column("accounts", told)
