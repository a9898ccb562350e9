"""Payments that stand, and what is done with them."""

from alembic import op
from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0034"
down_revision = "0033"
expands = True


def upgrade() -> None:
    op.create_table(
        "payments",
        *key(Text, "account_id", "request_id"),
        *required(BigInteger, "at_ms", "amount_minor"),
        *required(Text, "currency"),
        *optional(Text, "party", "payment_id", "reference"),
        index("payments_by_party", "party", "payment_id", where="payment_id IS NOT NULL"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "payment_operations",
        *key(Text, "id"),
        *required(Text, "account_id", "request_id", "kind", "state", "actor"),
        *required(BigInteger, "amount_minor", "at_ms", "changed_at_ms"),
        *required(Integer, "attempts"),
        *optional(BigInteger, "next_at_ms"),
        *optional(Text, "code", "party_reference", "detail"),
        index("payment_operations_of_payment", "account_id", "request_id", "id"),
        index("payment_operations_due", "next_at_ms", where="next_at_ms IS NOT NULL"),
    )
