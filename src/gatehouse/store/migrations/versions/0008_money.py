"""Closed accounts, references of top-ups, and the ledger in the order of time."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import key, required

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("closed_at_ms", BigInteger))
    op.add_column("accounts", sa.Column("closed_reason", Text))
    op.create_table(
        "top_up_references",
        *key(Text, "account_id", "reference"),
        *required(Text, "entry"),
    )
    op.create_index("top_ups_by_entry", "top_up_references", ["account_id", "entry"], unique=True)
    op.create_index(
        "ledger_entries_by_time", "ledger_entries", ["account_id", "at_ms", "reference", "step"]
    )
