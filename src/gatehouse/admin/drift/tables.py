"""What is usual for an account, and what is not as usual; requests write none of it."""

from typing import Final

from sqlalchemy import BigInteger, Float, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import declare

# Six hours of an account in counts; kept for as many weeks as are compared.
DRIFT_PROFILES: Final = declare(
    "drift_profiles",
    *key(Text, "account_id"),
    *key(BigInteger, "start_ms"),
    *required(Integer, "requests"),
    *required(LargeBinary, "profile"),
)

DRIFTS: Final = declare(
    "drifts",
    *key(Text, "account_id", "kind", "name"),
    *key(BigInteger, "began_at_ms"),
    *required(Float, "figure", "usual"),
    *required(Integer, "requests"),
    *required(BigInteger, "seen_at_ms"),
    *optional(BigInteger, "ended_at_ms"),
    index("drifts_open", "account_id", where="ended_at_ms IS NULL"),
)
