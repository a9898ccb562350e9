"""Rules and pipelines: what accounts configure, their lists, payments in doubt, and reviews."""

from alembic import op
from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "configurations",
        *key(Text, "account_id", "kind", "name"),
        *key(Integer, "version"),
        *required(Text, "document", "program"),
        *required(BigInteger, "created_at_ms"),
        *required(Text, "actor"),
        *optional(Text, "note"),
    )
    op.create_table(
        "configuration_heads",
        *key(Text, "account_id", "kind", "name"),
        *required(Integer, "version"),
        *optional(Integer, "previous"),
        *required(BigInteger, "changed_at_ms"),
        *required(Integer, "changes"),
    )
    op.create_table(
        "lists",
        *key(Text, "account_id", "name"),
        *required(Text, "kind"),
        *optional(Text, "description"),
        *required(BigInteger, "created_at_ms"),
        *required(Integer, "changes"),
    )
    op.create_table(
        "list_entries",
        *key(Text, "account_id", "list", "value"),
        *key(BigInteger, "added_at_ms"),
        *required(Text, "shown"),
        *optional(Text, "reason"),
        *required(Text, "actor"),
        *optional(BigInteger, "expires_at_ms", "removed_at_ms"),
        index(
            "list_entries_live",
            "account_id",
            "list",
            "value",
            unique=True,
            where="removed_at_ms IS NULL",
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "gateway_intents",
        *key(Text, "request_id"),
        *required(Text, "account_id"),
        *required(BigInteger, "amount_minor"),
        *required(Text, "currency"),
        *required(BigInteger, "at_ms"),
        *required(Text, "state"),
        *required(Integer, "attempts"),
        *optional(BigInteger, "next_at_ms"),
        *required(BigInteger, "changed_at_ms"),
        *optional(Text, "detail"),
        index("gateway_intents_by_state", "state", "next_at_ms"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reviews",
        *key(Text, "account_id", "request_id"),
        *required(BigInteger, "at_ms"),
        *required(Text, "state"),
        *optional(BigInteger, "resolved_at_ms"),
        *optional(Text, "actor", "reason"),
        index("reviews_by_state", "account_id", "state", "request_id"),
    )
