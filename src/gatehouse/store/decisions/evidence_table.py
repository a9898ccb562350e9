"""Where requests leave what stays readable of an order for evidence."""

from typing import Final

from sqlalchemy import Integer, Text

from gatehouse.store.columns import key, required
from gatehouse.store.metadata import declare

# Sealed, and only for accounts that want it.
ORDER_EVIDENCE: Final = declare(
    "order_evidence",
    *key(Text, "account_id", "request_id"),
    *required(Integer, "key_version"),
    *required(Text, "sealed"),
    sqlite_with_rowid=False,
)
