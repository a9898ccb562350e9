"""The index that decisions are searched by.

Terms are made with a key of the ring, which a migration does not have: it marks that there are
decisions to index, see `store.search.indexing`.
"""

from alembic import op
from sqlalchemy import BigInteger, Column, Text

from gatehouse.store.columns import key, optional

revision = "0007"
down_revision = "0006"

_MARK = """
INSERT INTO state (name, value) SELECT 'search-index', '' WHERE EXISTS (SELECT 1 FROM decisions)
"""


def upgrade() -> None:
    op.add_column("decisions", Column("terms", Text))
    op.create_table(
        "search_entries",
        *key(BigInteger, "term"),
        *key(Text, "request_id"),
        *optional(BigInteger, "amount"),
        sqlite_with_rowid=False,
    )
    op.create_index("feedback_by_label", "feedback", ["account_id", "label", "request_id"])
    op.execute(_MARK)
