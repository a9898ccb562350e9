"""Automatic top-ups with a stored card; and the notifications of an account in their order."""

from alembic import op
from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0042"
down_revision = "0041"
expands = True


def upgrade() -> None:
    for column in optional(Text, "kind"):
        op.add_column("top_ups", column)
    op.create_table(
        "auto_top_ups",
        *key(Text, "account_id"),
        *required(Text, "state"),
        *required(Integer, "refusals"),
        *optional(BigInteger, "floor", "amount_minor", "monthly_limit_minor"),
        *optional(Text, "connector", "card_end"),
        *optional(Integer, "key_version"),
        *optional(LargeBinary, "sealed_card"),
        *optional(BigInteger, "card_at_ms", "next_at_ms", "paused_until_ms"),
        *optional(Text, "reason", "top_up_id"),
        index("auto_top_ups_due", "next_at_ms", where="next_at_ms IS NOT NULL"),
    )
    op.create_index(
        "provider_notifications_of_account",
        "provider_notifications",
        ["account_id", "id", "state", "event", "connector"],
    )
