"""What becomes of messages to webhooks; requests write none of it."""

from typing import Final

from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import Note, declare

# Every attempt to send a message, without what was sent or answered.
WEBHOOK_ATTEMPTS: Final = declare(
    "webhook_attempts",
    *key(Text, "webhook_id", "id"),
    *required(Text, "event_id", "type"),
    *required(BigInteger, "at_ms"),
    *required(Integer, "number", "duration_ms"),
    *optional(Integer, "status"),
    *optional(Note, "failure"),
    *optional(BigInteger, "next_at_ms"),
    index("webhook_attempts_by_event", "webhook_id", "event_id"),
    sqlite_with_rowid=False,
)
