"""What became of payments."""

import sqlalchemy as sa
from alembic import op

from gatehouse.store.columns import index, key, optional, required

revision = "0022"
down_revision = "0021"
expands = True


def upgrade() -> None:
    op.create_table(
        "outcomes",
        *key(sa.Text, "account_id", "kind", "reference"),
        *required(sa.BigInteger, "at_ms"),
        *required(sa.Text, "network"),
        *optional(sa.Text, "request_id", "arn", "merchant_id", "region"),
        *optional(sa.Text, "joined_by"),
        *optional(sa.Integer, "candidates"),
        *optional(sa.Text, "transaction_reference", "client_reference", "payment_id"),
        *optional(sa.Text, "card_first", "card_last_four"),
        *optional(sa.BigInteger, "transaction_ms"),
        *optional(sa.BigInteger, "amount"),
        *optional(sa.Text, "currency"),
        *optional(sa.Integer, "three_d_secure"),
        *optional(sa.Text, "reason", "fraud_type", "stage", "result"),
        *optional(sa.Text, "label"),
        *optional(sa.BigInteger, "respond_by_ms"),
        *required(sa.BigInteger, "recorded_at_ms"),
        *required(sa.Text, "actor"),
        index("outcomes_by_time", "account_id", "at_ms"),
        index("outcomes_by_request", "account_id", "request_id", where="request_id IS NOT NULL"),
        index("outcomes_by_arn", "account_id", "arn", where="arn IS NOT NULL"),
        index(
            "outcomes_counted",
            *("account_id", "kind", "at_ms", "network", "merchant_id", "region"),
            *("three_d_secure", "recorded_at_ms"),
        ),
        index(
            "outcomes_not_joined",
            "account_id",
            "at_ms",
            where="request_id IS NULL AND kind <> 'SETTLED'",
        ),
    )
    op.create_table(
        "outcome_imports",
        *key(sa.Text, "account_id", "file"),
        *required(sa.BigInteger, "started_at_ms", "line", "offset"),
        *required(sa.Text, "counts"),
        sqlite_with_rowid=False,
    )
