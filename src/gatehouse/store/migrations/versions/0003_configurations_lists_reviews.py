"""Rules and pipelines: what accounts configure, their lists, payments in doubt, and reviews."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "configurations",
        sa.Column("account_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("program", sa.Text, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("note", sa.Text),
    )
    op.create_table(
        "configuration_heads",
        sa.Column("account_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("previous", sa.Integer),
        sa.Column("changed_at_ms", sa.BigInteger, nullable=False),
        sa.Column("changes", sa.Integer, nullable=False),
    )
    op.create_table(
        "lists",
        sa.Column("account_id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("changes", sa.Integer, nullable=False),
    )
    op.create_table(
        "list_entries",
        sa.Column("account_id", sa.Text, primary_key=True),
        sa.Column("list", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, primary_key=True),
        sa.Column("added_at_ms", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("shown", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger),
        sa.Column("removed_at_ms", sa.BigInteger),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "gateway_intents",
        sa.Column("request_id", sa.Text, primary_key=True),
        sa.Column("account_id", sa.Text, nullable=False),
        sa.Column("amount_minor", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_at_ms", sa.BigInteger),
        sa.Column("changed_at_ms", sa.BigInteger, nullable=False),
        sa.Column("detail", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reviews",
        sa.Column("account_id", sa.Text, primary_key=True),
        sa.Column("request_id", sa.Text, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("resolved_at_ms", sa.BigInteger),
        sa.Column("actor", sa.Text),
        sa.Column("reason", sa.Text),
    )
    live = sa.text("removed_at_ms IS NULL")
    op.create_index(
        "list_entries_live",
        "list_entries",
        ["account_id", "list", "value"],
        unique=True,
        sqlite_where=live,
        postgresql_where=live,
    )
    op.create_index("gateway_intents_by_state", "gateway_intents", ["state", "next_at_ms"])
    op.create_index("reviews_by_state", "reviews", ["account_id", "state", "request_id"])
