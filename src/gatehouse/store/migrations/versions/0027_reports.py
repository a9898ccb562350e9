"""The reports of months as they were made."""

from alembic import op
from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import key, required

revision = "0027"
down_revision = "0026"
expands = True


def upgrade() -> None:
    op.create_table(
        "reports",
        *key(Text, "account_id", "month"),
        *required(BigInteger, "made_at_ms"),
        *required(Text, "content"),
    )
