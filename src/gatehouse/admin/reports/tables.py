"""The reports of months as they were made; requests write none of it."""

from typing import Final

from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import key, required
from gatehouse.store.metadata import declare

REPORTS: Final = declare(
    "reports",
    *key(Text, "account_id", "month"),
    *required(BigInteger, "made_at_ms"),
    *required(Text, "content"),
)
