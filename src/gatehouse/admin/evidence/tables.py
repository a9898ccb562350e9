"""Where the desk for disputes keeps what people decided and attached."""

from typing import Final

from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import declare

# What was decided about a dispute. The words of people, and what they gave about the delivery, are
# sealed.
DISPUTE_CASES: Final = declare(
    "dispute_cases",
    *key(Text, "account_id", "reference"),
    *optional(Text, "request_id", "decision", "actor"),
    *optional(BigInteger, "decided_at_ms"),
    *required(BigInteger, "changed_at_ms"),
    *required(Integer, "key_version"),
    *required(LargeBinary, "sealed"),
    index("dispute_cases_by_request", "account_id", "request_id", where="request_id IS NOT NULL"),
)

# Files that people attached. Name and content are sealed.
DISPUTE_FILES: Final = declare(
    "dispute_files",
    *key(Text, "account_id", "reference", "file_id"),
    *optional(Text, "request_id"),
    *required(Text, "type", "actor"),
    *required(Integer, "size", "key_version"),
    *required(BigInteger, "at_ms"),
    *required(LargeBinary, "sealed_name", "sealed"),
    index("dispute_files_by_request", "account_id", "request_id", where="request_id IS NOT NULL"),
)
