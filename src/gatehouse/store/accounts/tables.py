"""What belongs to top-ups and corrections of balances; requests write none of it."""

from typing import Final

from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import declare

# The numbers of bank transfers or invoices that top-ups were recorded for: each counts once.
TOP_UP_REFERENCES: Final = declare(
    "top_up_references",
    *key(Text, "account_id", "reference"),
    *required(Text, "entry"),
    index("top_ups_by_entry", "account_id", "entry", unique=True),
)

# What of a credit is left, as of a balance of its account; once it ended, what was taken back.
EXPIRING_CREDITS: Final = declare(
    "expiring_credits",
    *key(Text, "account_id", "entry"),
    *required(BigInteger, "amount", "left", "at_balance", "expires_at_ms"),
    *optional(BigInteger, "told_at_ms", "ended_at_ms"),
    *optional(Text, "taken_by"),
    index("expiring_credits_open", "expires_at_ms", where="ended_at_ms IS NULL"),
)
