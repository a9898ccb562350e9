"""Changes of many decisions at once, and what became of each."""

from alembic import op
from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import key, optional, required

revision = "0028"
down_revision = "0027"
expands = True


def upgrade() -> None:
    op.create_table(
        "bulk_changes",
        *key(Text, "account_id", "id"),
        *required(BigInteger, "at_ms"),
        *required(Text, "actor", "action", "terms", "state"),
        *optional(BigInteger, "ended_at_ms"),
    )
    op.create_table(
        "bulk_items",
        *key(Text, "account_id", "bulk_id", "request_id"),
        *required(Text, "state"),
        *optional(BigInteger, "at_ms"),
        *optional(Text, "before", "why"),
    )
