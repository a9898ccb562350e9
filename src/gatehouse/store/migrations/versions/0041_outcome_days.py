"""How often the outcomes of a day changed, so that what was counted of it can be kept; and the
payments of each kind of operation.
"""

from alembic import op
from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import key, required

revision = "0041"
down_revision = "0038"
expands = True


def upgrade() -> None:
    op.create_table(
        "outcome_days",
        *key(Text, "account_id"),
        *key(BigInteger, "day"),
        *required(BigInteger, "changes"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "payment_operations_by_kind",
        "payment_operations",
        ["account_id", "kind", "state", "request_id"],
    )
