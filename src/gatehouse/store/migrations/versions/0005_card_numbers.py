"""The card numbers that accounts sent lately, by keyed hashes."""

from alembic import op
from sqlalchemy import BigInteger, Column, Text

from gatehouse.store.columns import key

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "card_numbers",
        *key(Text, "card_group", "number"),
        Column("at_ms", BigInteger, nullable=False, index=True),
        sqlite_with_rowid=False,
    )
    # The requests that these were held for have ended with the servers of the older version.
    op.execute("UPDATE holds SET card = NULL")
