"""Accounts, keys, ledger, holds, idempotency, decisions, audit and the key ring."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Integer, SmallInteger, Text

from gatehouse.store.columns import index, key, optional, required

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        *key(Text, "id"),
        *required(Text, "name", "currency"),
        *required(BigInteger, "created_at_ms", "balance", "held"),
        *required(Text, "fees", "policies"),
        sa.CheckConstraint("held >= 0 AND balance >= held", name="never_overspent"),
    )
    op.create_table(
        "api_keys",
        *key(Text, "id"),
        sa.Column("account_id", Text, sa.ForeignKey("accounts.id"), nullable=False),
        *required(Text, "name"),
        sa.Column("hash", Text, nullable=False, unique=True),
        *required(Text, "scopes", "networks"),
        *optional(Integer, "rate_limit_per_second"),
        *required(BigInteger, "created_at_ms"),
        *optional(BigInteger, "expires_at_ms", "revoked_at_ms", "last_used_at_ms"),
        *optional(Text, "successor"),
        index("ix_api_keys_account_id", "account_id"),
    )
    op.create_table(
        "ledger_entries",
        *key(Text, "account_id", "reference"),
        *key(SmallInteger, "step"),
        *required(Text, "kind"),
        *required(BigInteger, "amount", "held", "at_ms"),
        *optional(Text, "detail"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "holds",
        *key(Text, "request_id"),
        *required(Text, "account_id"),
        *required(BigInteger, "amount", "expires_at_ms"),
        *required(Text, "owner"),
        *optional(Text, "card", "claim"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "idempotency",
        *key(Text, "claim_id"),
        *required(Text, "request_id", "body"),
        *optional(Text, "answer"),
        *required(BigInteger, "expires_at_ms"),
        index("ix_idempotency_expires_at_ms", "expires_at_ms"),
    )
    _create_records()
    _create_books()


def _create_records() -> None:
    op.create_table(
        "decisions",
        *key(Text, "account_id", "request_id"),
        *required(BigInteger, "at_ms"),
        *required(Text, "operation"),
        *optional(Text, "client_reference", "card"),
        *required(Text, "record"),
        index(
            "decisions_by_client_reference",
            "account_id",
            "client_reference",
            "request_id",
            where="client_reference IS NOT NULL",
        ),
    )
    op.create_table(
        "card_mismatches",
        *key(Text, "card", "request_id"),
        *required(BigInteger, "at_ms"),
        index("ix_card_mismatches_at_ms", "at_ms"),
        sqlite_with_rowid=False,
    )


def _create_books() -> None:
    op.create_table(
        "audit",
        *key(BigInteger, "seq"),
        *required(BigInteger, "at_ms"),
        *required(Text, "actor", "action"),
        *optional(Text, "account_id"),
        *required(Text, "details", "hash"),
    )
    op.create_table(
        "key_ring",
        *key(Text, "purpose"),
        *key(Integer, "version"),
        *required(Text, "wrapped"),
        *required(BigInteger, "created_at_ms"),
    )
    state = op.create_table("state", *key(Text, "name"), *required(Text, "value"))
    op.bulk_insert(state, [{"name": "revision", "value": "0"}])
