"""What became of requests: labels with their history, and decisions found by transaction."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0004"
down_revision = "0003"

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
        *key(BigInteger, "seq"),
        *required(Text, "account_id", "request_id", "label"),
        *optional(Text, "previous"),
        *optional(BigInteger, "found_at_ms", "amount"),
        *optional(Text, "currency"),
        *required(BigInteger, "recorded_at_ms"),
        *required(Text, "actor", "source"),
        index("feedback_by_request", "account_id", "request_id", "seq"),
    )
    op.execute(_REVIEWED)
    op.add_column("decisions", sa.Column("transaction_reference", Text))
    named = sa.text("transaction_reference IS NOT NULL")
    op.create_index(
        "decisions_by_transaction",
        "decisions",
        ["account_id", "transaction_reference", "request_id"],
        sqlite_where=named,
        postgresql_where=named,
    )
