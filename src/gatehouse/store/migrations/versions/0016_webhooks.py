"""Webhooks, the messages that wait for their next attempt, and all attempts."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "webhooks",
        *key(Text, "id"),
        sa.Column("account_id", Text, sa.ForeignKey("accounts.id"), nullable=False, index=True),
        *required(Text, "terms", "state"),
        *optional(Text, "disabled_because"),
        *required(BigInteger, "created_at_ms", "changed_at_ms"),
        *required(Integer, "changes", "key_version"),
        *required(LargeBinary, "sealed"),
        *required(Text, "cursor"),
        *optional(BigInteger, "failing_since_ms", "resume_at_ms", "deleted_at_ms"),
        *optional(Text, "claimed_by"),
        *optional(BigInteger, "claimed_until_ms"),
    )
    op.create_table(
        "webhook_deliveries",
        *key(Text, "webhook_id", "event_id"),
        *required(BigInteger, "xid", "seq"),
        *required(Integer, "attempts"),
        *required(BigInteger, "next_at_ms"),
        index("webhook_deliveries_by_time", "next_at_ms"),
        index("webhook_deliveries_by_webhook", "webhook_id", "next_at_ms"),
    )
    op.create_table(
        "webhook_attempts",
        *key(Text, "webhook_id", "id"),
        *required(Text, "event_id", "type"),
        *required(BigInteger, "at_ms"),
        *required(Integer, "number", "duration_ms"),
        *optional(Integer, "status"),
        *optional(Text, "failure"),
        *optional(BigInteger, "next_at_ms"),
        index("webhook_attempts_by_event", "webhook_id", "event_id"),
        sqlite_with_rowid=False,
    )
