"""Where outcomes of payments are kept."""

from typing import Final

from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import declare

OUTCOMES: Final = declare(
    "outcomes",
    *key(Text, "account_id", "kind", "reference"),
    *required(BigInteger, "at_ms"),
    *required(Text, "network"),
    *optional(Text, "request_id", "arn", "merchant_id", "region"),
    *optional(BigInteger, "amount"),
    *optional(Text, "currency"),
    *optional(Integer, "three_d_secure"),
    *optional(Text, "reason", "fraud_type", "stage", "result"),
    *optional(BigInteger, "respond_by_ms"),
    *required(BigInteger, "recorded_at_ms"),
    *required(Text, "actor"),
    index("outcomes_by_time", "account_id", "at_ms"),
    index("outcomes_by_request", "account_id", "request_id", where="request_id IS NOT NULL"),
    index("outcomes_by_arn", "account_id", "arn", where="arn IS NOT NULL"),
    sqlite_with_rowid=False,
)
