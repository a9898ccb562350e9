"""Invoices, closed months, and the legal data of both sides; requests write none of it."""

from typing import Final

from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import declare

# Of each account, and of the seller under the name that stands for the installation.
BILLING_PARTIES: Final = declare(
    "billing_parties",
    *key(Text, "account_id"),
    *required(BigInteger, "changed_at_ms"),
    *required(Text, "details"),
)

# Numbers have no gaps: they are given in the transaction that adds the row.
INVOICES: Final = declare(
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

# What was counted when a month was closed, and less than a minor unit that was left over.
CLOSED_MONTHS: Final = declare(
    "closed_months",
    *key(Text, "account_id", "month"),
    *required(BigInteger, "closed_at_ms", "carried", "volume_credit", "commitment"),
    *required(Text, "counts"),
    *optional(Text, "invoice_id"),
)
