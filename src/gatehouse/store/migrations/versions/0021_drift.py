"""What is usual for an account's requests, and what is not as usual."""

from alembic import op
from sqlalchemy import BigInteger, Float, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0021"
down_revision = "0020"
expands = True


def upgrade() -> None:
    op.create_table(
        "drift_profiles",
        *key(Text, "account_id"),
        *key(BigInteger, "start_ms"),
        *required(Integer, "requests"),
        *required(LargeBinary, "profile"),
    )
    op.create_table(
        "drifts",
        *key(Text, "account_id", "kind", "name"),
        *key(BigInteger, "began_at_ms"),
        *required(Float, "figure", "usual"),
        *required(Integer, "requests"),
        *required(BigInteger, "seen_at_ms"),
        *optional(BigInteger, "ended_at_ms"),
        index("drifts_open", "account_id", where="ended_at_ms IS NULL"),
    )
