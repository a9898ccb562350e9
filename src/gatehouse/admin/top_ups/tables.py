"""Top-ups by card, and when they are made by themselves; requests write none of it."""

from typing import Final

from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import declare

TOP_UPS: Final = declare(
    "top_ups",
    *key(Text, "account_id", "id"),
    *required(Text, "state", "connector", "currency", "actor"),
    *required(BigInteger, "amount_minor", "tax_minor", "at_ms", "changed_at_ms", "expires_at_ms"),
    *required(Integer, "attempts"),
    *optional(BigInteger, "next_at_ms"),
    *optional(Text, "url", "page_id", "reason", "kind"),
    index("top_ups_due", "next_at_ms", where="next_at_ms IS NOT NULL"),
)

# One row for each account that stored a card. The floor is in millionths, as balances are.
AUTO_TOP_UPS: Final = declare(
    "auto_top_ups",
    *key(Text, "account_id"),
    *required(Text, "state"),
    *required(Integer, "refusals"),
    *optional(BigInteger, "floor", "amount_minor", "monthly_limit_minor"),
    *optional(Text, "connector", "card_end"),
    *optional(Integer, "key_version"),
    *optional(LargeBinary, "sealed_card"),
    *optional(BigInteger, "card_at_ms", "next_at_ms", "paused_until_ms"),
    *optional(Text, "reason", "top_up_id"),
    index("auto_top_ups_due", "next_at_ms", where="next_at_ms IS NOT NULL"),
)
