"""Where outcomes of payments are kept, and which of their days changed."""

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
    # How the decision was found, and by what it can still be: names as records keep them.
    *optional(Text, "joined_by"),
    *optional(Integer, "candidates"),
    *optional(Text, "transaction_reference", "client_reference", "payment_id"),
    *optional(Text, "card_first", "card_last_four"),
    *optional(BigInteger, "transaction_ms"),
    *optional(BigInteger, "amount"),
    *optional(Text, "currency"),
    *optional(Integer, "three_d_secure"),
    *optional(Text, "reason", "fraud_type", "stage", "result"),
    # The label that the decision has from this outcome.
    *optional(Text, "label"),
    *optional(BigInteger, "respond_by_ms"),
    *required(BigInteger, "recorded_at_ms"),
    *required(Text, "actor"),
    index("outcomes_by_time", "account_id", "at_ms"),
    index("outcomes_by_request", "account_id", "request_id", where="request_id IS NOT NULL"),
    index("outcomes_by_arn", "account_id", "arn", where="arn IS NOT NULL"),
    # Settlements without a decision are many, and nobody looks for them.
    index(
        "outcomes_not_joined",
        "account_id",
        "at_ms",
        where="request_id IS NULL AND kind <> 'SETTLED'",
    ),
    # All that sales are counted by, so that a million of them is counted without their rows.
    index(
        "outcomes_counted",
        *("account_id", "kind", "at_ms", "network", "merchant_id", "region"),
        *("three_d_secure", "recorded_at_ms"),
    ),
)

# How often the outcomes of a day (UTC) changed, in the transactions that changed them: what was
# counted of the day is right as long as this stays the same.
OUTCOME_DAYS: Final = declare(
    "outcome_days",
    *key(Text, "account_id"),
    *key(BigInteger, "day"),
    *required(BigInteger, "changes"),
    sqlite_with_rowid=False,
)
