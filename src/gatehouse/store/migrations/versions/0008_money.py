"""Closed accounts, references of top-ups, and the ledger in the order of time."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import key, required

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("closed_at_ms", BigInteger))
    op.add_column("accounts", sa.Column("closed_reason", Text))
    op.create_table(
        "top_up_references",
        *key(Text, "account_id", "reference"),
        *required(Text, "entry"),
    )
    op.create_index("top_ups_by_entry", "top_up_references", ["account_id", "entry"], unique=True)
    columns = ["account_id", "at_ms", "reference", "step"]
    _index("ledger_entries_by_time", columns, "kind <> 'AUTHORIZE'")
    _index("ledger_movements_by_time", columns[:3], "kind IN ('TOP_UP', 'ADJUST')")


def _index(name: str, columns: list[str], rows: str) -> None:
    some = sa.text(rows)
    op.create_index(name, "ledger_entries", columns, sqlite_where=some, postgresql_where=some)
