"""What parties tell of payments by themselves, and an index of operations in doubt."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0035"
down_revision = "0034"
expands = True


def upgrade() -> None:
    op.add_column("payment_operations", sa.Column("notification_id", Text))
    op.create_index(
        "payment_operations_in_doubt",
        "payment_operations",
        ["id"],
        sqlite_where=sa.text("state = 'IN_DOUBT'"),
        postgresql_where=sa.text("state = 'IN_DOUBT'"),
    )
    op.create_table(
        "provider_notifications",
        *key(Text, "id"),
        *required(Text, "connector", "name", "event", "state", "content"),
        *required(BigInteger, "received_at_ms", "changed_at_ms"),
        *required(Integer, "attempts"),
        *optional(BigInteger, "at_ms", "next_at_ms"),
        *optional(Text, "account_id", "request_id", "about", "detail"),
        index("provider_notifications_once", "connector", "name", unique=True),
        index("provider_notifications_of_payment", "account_id", "request_id", "id"),
        index("provider_notifications_about", "connector", "about", where="about IS NOT NULL"),
        index("provider_notifications_due", "next_at_ms", where="next_at_ms IS NOT NULL"),
    )
