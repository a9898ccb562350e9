"""What decisions are found by until they are indexed."""

from alembic import op
from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import key, optional, required

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "search_waiting",
        *key(Text, "request_id"),
        *required(Text, "terms"),
        *optional(BigInteger, "amount"),
        sqlite_with_rowid=False,
    )
