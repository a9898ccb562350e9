"""Credits that expire, and top-ups by card."""

from alembic import op
from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0038"
down_revision = "0037"
expands = True


def upgrade() -> None:
    op.create_table(
        "expiring_credits",
        *key(Text, "account_id", "entry"),
        *required(BigInteger, "amount", "left", "at_balance", "expires_at_ms"),
        *optional(BigInteger, "told_at_ms", "ended_at_ms"),
        *optional(Text, "taken_by"),
        index("expiring_credits_open", "expires_at_ms", where="ended_at_ms IS NULL"),
    )
    op.create_table(
        "top_ups",
        *key(Text, "account_id", "id"),
        *required(Text, "state", "connector", "currency", "actor"),
        *required(
            BigInteger, "amount_minor", "tax_minor", "at_ms", "changed_at_ms", "expires_at_ms"
        ),
        *required(Integer, "attempts"),
        *optional(BigInteger, "next_at_ms"),
        *optional(Text, "url", "page_id", "reason"),
        index("top_ups_due", "next_at_ms", where="next_at_ms IS NOT NULL"),
    )
