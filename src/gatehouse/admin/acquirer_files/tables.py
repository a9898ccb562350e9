"""How far imports of acquirers' files have come."""

from typing import Final

from sqlalchemy import BigInteger, Text

from gatehouse.store.columns import key, required
from gatehouse.store.metadata import declare

# Imports of files, so that one that was interrupted goes on where it was.
OUTCOME_IMPORTS: Final = declare(
    "outcome_imports",
    *key(Text, "account_id", "file"),
    *required(BigInteger, "started_at_ms", "line", "offset"),
    *required(Text, "counts"),
    sqlite_with_rowid=False,
)
