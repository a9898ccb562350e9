"""Changes of many decisions at once, and what became of each, as long as it can be undone."""

from typing import Final

from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import key, optional, required
from gatehouse.store.metadata import declare

BULK_CHANGES: Final = declare(
    "bulk_changes",
    *key(Text, "account_id", "id"),
    *required(BigInteger, "at_ms"),
    *required(Text, "actor", "action", "terms", "state"),
    *optional(BigInteger, "ended_at_ms"),
)

# `before` is what undo brings back; it holds nothing about a person.
BULK_ITEMS: Final = declare(
    "bulk_items",
    *key(Text, "account_id", "bulk_id", "request_id"),
    *required(Text, "state"),
    *optional(BigInteger, "at_ms"),
    *optional(Text, "before", "why"),
)
