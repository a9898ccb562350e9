"""Top-ups by card; requests write none of it."""

from typing import Final

from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import declare

TOP_UPS: Final = declare(
    "top_ups",
    *key(Text, "account_id", "id"),
    *required(Text, "state", "connector", "currency", "actor"),
    *required(BigInteger, "amount_minor", "tax_minor", "at_ms", "changed_at_ms", "expires_at_ms"),
    *required(Integer, "attempts"),
    *optional(BigInteger, "next_at_ms"),
    *optional(Text, "url", "page_id", "reason"),
    index("top_ups_due", "next_at_ms", where="next_at_ms IS NOT NULL"),
)
