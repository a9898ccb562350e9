"""Invoices, closed months, and the legal data of both sides."""

from alembic import op
from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0033"
down_revision = "0032"
expands = True


def upgrade() -> None:
    op.create_table(
        "billing_parties",
        *key(Text, "account_id"),
        *required(BigInteger, "changed_at_ms"),
        *required(Text, "details"),
    )
    op.create_table(
        "invoices",
        *key(Text, "account_id", "id"),
        *required(Text, "kind"),
        *required(BigInteger, "sequence", "issued_at_ms"),
        *required(Text, "month"),
        *required(BigInteger, "net"),
        *optional(Text, "credits"),
        *required(Text, "document"),
        index("invoices_by_number", "kind", "sequence", unique=True),
    )
    op.create_table(
        "closed_months",
        *key(Text, "account_id", "month"),
        *required(BigInteger, "closed_at_ms", "carried", "volume_credit", "commitment"),
        *required(Text, "counts"),
        *optional(Text, "invoice_id"),
    )
