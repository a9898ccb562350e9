"""What became of requests: labels with their history, and decisions found by transaction."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# What people found before labels were kept counts like what they find from now on.
_REVIEWED = """
INSERT INTO feedback (seq, account_id, request_id, label, recorded_at_ms, actor, source)
SELECT row_number() OVER (ORDER BY resolved_at_ms, request_id), account_id, request_id,
  CASE state WHEN 'DECLINED' THEN 'FRAUD' ELSE 'LEGITIMATE' END,
  resolved_at_ms, actor, 'review'
FROM reviews WHERE state <> 'OPEN'
"""


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("account_id", sa.Text, nullable=False),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("previous", sa.Text),
        sa.Column("found_at_ms", sa.BigInteger),
        sa.Column("amount", sa.BigInteger),
        sa.Column("currency", sa.Text),
        sa.Column("recorded_at_ms", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
    )
    op.create_index("feedback_by_request", "feedback", ["account_id", "request_id", "seq"])
    op.execute(_REVIEWED)
    op.add_column("decisions", sa.Column("transaction_reference", sa.Text))
    named = sa.text("transaction_reference IS NOT NULL")
    op.create_index(
        "decisions_by_transaction",
        "decisions",
        ["account_id", "transaction_reference", "request_id"],
        sqlite_where=named,
        postgresql_where=named,
    )
