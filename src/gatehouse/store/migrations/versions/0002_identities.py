"""Identities: who holds which card, which identifiers are held at all, and how far imports came."""

from alembic import op
from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "identities",
        *key(Text, "card", "scope", "person"),
        *required(Integer, "key_version"),
        *required(LargeBinary, "sealed"),
        *required(Text, "content"),
        *optional(Text, "reference"),
        *required(BigInteger, "updated_at_ms"),
        index("identities_by_scope", "scope", "card", "person", unique=True),
        index("identities_by_person", "person"),
        index("identities_by_reference", "reference", where="reference IS NOT NULL"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "identity_types",
        *key(Text, "scope", "type"),
        *required(BigInteger, "people"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "identity_imports",
        *key(Text, "id"),
        *required(Text, "scope"),
        *optional(Text, "file"),
        *required(BigInteger, "started_at_ms"),
        *optional(BigInteger, "finished_at_ms"),
        *required(BigInteger, "line", "offset", "added", "changed", "unchanged", "refused"),
        index("identity_imports_by_file", "scope", "file"),
    )
