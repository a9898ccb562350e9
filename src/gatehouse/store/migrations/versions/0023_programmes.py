"""Which steps on the way to a network's programme an account was told of."""

from alembic import op
from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import key, required

revision = "0023"
down_revision = "0022"
expands = True


def upgrade() -> None:
    op.create_table(
        "programme_alerts",
        *key(Text, "account_id", "month", "network", "programme", "level", "merchant_id", "region"),
        *key(Integer, "percent"),
        *required(BigInteger, "at_ms"),
    )
