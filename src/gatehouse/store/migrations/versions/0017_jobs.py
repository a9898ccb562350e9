"""Long work that somebody asked for; lines of the audit log are found by their account."""

from alembic import op
from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "jobs",
        *key(Text, "id"),
        *required(Text, "account_id", "kind", "state", "actor", "parameters"),
        *required(BigInteger, "created_at_ms"),
        *optional(BigInteger, "started_at_ms", "finished_at_ms", "lease_until_ms", "done", "total"),
        *required(Integer, "attempts", "canceled"),
        *optional(Text, "owner", "step", "result", "error"),
        *optional(Integer, "key_version"),
        *optional(LargeBinary, "sealed"),
        index("jobs_by_account", "account_id", "id"),
        index("jobs_unfinished", "state", "id", where="finished_at_ms IS NULL"),
    )
    op.create_index("audit_by_account", "audit", ["account_id", "seq"])
