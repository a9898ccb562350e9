"""People who sign in: users, sessions, one-time tokens, failures, saved searches, proposals."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        "users",
        *key(Text, "id"),
        sa.Column("login", Text, nullable=False, unique=True),
        sa.Column("subject", Text, unique=True),
        *required(BigInteger, "changes"),
        *required(Integer, "key_version"),
        *required(LargeBinary, "sealed"),
    )
    op.create_table(
        "user_accounts",
        *key(Text, "account_id", "user_id"),
        index("user_accounts_by_user", "user_id"),
    )
    op.create_table(
        "user_sessions",
        *key(Text, "id"),
        sa.Column("hash", Text, nullable=False, unique=True),
        *required(Text, "user_id"),
        *required(BigInteger, "created_at_ms", "expires_at_ms", "seen_at_ms", "rights"),
        *required(Integer, "key_version"),
        *required(LargeBinary, "sealed"),
        index("user_sessions_by_user", "user_id"),
        index("user_sessions_by_end", "expires_at_ms"),
    )
    op.create_table(
        "one_time_tokens",
        *key(Text, "hash"),
        *required(Text, "kind"),
        *optional(Text, "user_id"),
        *required(BigInteger, "expires_at_ms"),
        *required(Integer, "key_version"),
        *required(LargeBinary, "sealed"),
        index("one_time_tokens_by_user", "user_id"),
        index("one_time_tokens_by_end", "expires_at_ms"),
    )
    op.create_table(
        "sign_in_failures",
        *key(Text, "subject"),
        *required(Integer, "failures"),
        *required(BigInteger, "last_at_ms"),
        index("sign_in_failures_by_time", "last_at_ms"),
    )
    op.create_table(
        "saved_searches",
        *key(Text, "id"),
        *required(Text, "user_id", "account_id"),
        *required(BigInteger, "created_at_ms"),
        *required(Integer, "key_version"),
        *required(LargeBinary, "sealed"),
        index("saved_searches_by_user", "user_id", "account_id", "id"),
    )
    op.create_table(
        "proposals",
        *key(Text, "id"),
        *required(Text, "account_id", "kind", "state", "proposer"),
        *required(BigInteger, "created_at_ms", "expires_at_ms"),
        *optional(Text, "decided_by", "reason"),
        *optional(BigInteger, "decided_at_ms"),
        *required(Integer, "key_version"),
        *required(LargeBinary, "sealed"),
        index("proposals_by_account", "account_id", "state", "id"),
    )
