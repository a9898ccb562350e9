"""Signatures of what is configured: they are missing until it is signed for the first time."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import key, required

revision = "0006"
down_revision = "0005"

_SIGNED = (
    *("accounts", "api_keys", "configurations", "configuration_heads", "lists", "list_entries"),
)


def upgrade() -> None:
    op.add_column("lists", sa.Column("total", Text))
    for table in _SIGNED:
        op.add_column(table, sa.Column("signature", Text))
    op.create_table(
        "configuration_totals",
        *key(Text, "account_id"),
        *required(BigInteger, "changes"),
        *required(Text, "signature"),
    )
