"""What is usual for an account in each hour, and the alerts about what departs from it."""

from alembic import op
from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0025"
down_revision = "0024"
expands = True


def upgrade() -> None:
    op.create_table(
        "alert_hours",
        *key(Text, "account_id"),
        *key(BigInteger, "start_ms"),
        *required(Integer, "is_usual"),
        *required(LargeBinary, "counts"),
    )
    op.create_table(
        "alerts",
        *key(Text, "account_id", "id"),
        *required(Text, "kind"),
        *required(BigInteger, "began_at_ms", "seen_at_ms"),
        *optional(BigInteger, "ended_at_ms", "acknowledged_at_ms"),
        *optional(Text, "ended_by", "acknowledged_by", "note"),
        *required(LargeBinary, "found"),
        index("alerts_open", "account_id", where="ended_at_ms IS NULL"),
    )
