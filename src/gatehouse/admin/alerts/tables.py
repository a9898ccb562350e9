"""Hours in counts, and alerts; requests write none of it."""

from typing import Final

from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import declare

# One hour of an account in counts; kept for as many weeks as make the normal.
ALERT_HOURS: Final = declare(
    "alert_hours",
    *key(Text, "account_id"),
    *key(BigInteger, "start_ms"),
    *required(Integer, "is_usual"),
    *required(LargeBinary, "counts"),
)

ALERTS: Final = declare(
    "alerts",
    *key(Text, "account_id", "id"),
    *required(Text, "kind"),
    *required(BigInteger, "began_at_ms", "seen_at_ms"),
    *optional(BigInteger, "ended_at_ms", "acknowledged_at_ms"),
    *optional(Text, "ended_by", "acknowledged_by", "note"),
    *required(LargeBinary, "found"),
    index("alerts_open", "account_id", where="ended_at_ms IS NULL"),
)
