"""How many numbers alike an account sent; what holds inner fingerprints is marked for conversion.

Fingerprints are converted with the keys of the ring, which a migration does not have: see
`store.admin.fingerprint_conversion`.
"""

from alembic import op
from sqlalchemy import BigInteger, Column, Text

from gatehouse.store.columns import key

revision = "0005"
down_revision = "0004"

_MARK = """
INSERT INTO state (name, value) SELECT 'inner-fingerprints', 'lists'
WHERE EXISTS (SELECT 1 FROM decisions) OR EXISTS (SELECT 1 FROM list_entries)
"""


def upgrade() -> None:
    op.create_table(
        "card_numbers",
        *key(Text, "card_group", "number"),
        Column("at_ms", BigInteger, nullable=False, index=True),
        sqlite_with_rowid=False,
    )
    # The requests that these were held for have ended with the servers of the older version.
    op.execute("UPDATE holds SET card = NULL")
    op.execute(_MARK)
