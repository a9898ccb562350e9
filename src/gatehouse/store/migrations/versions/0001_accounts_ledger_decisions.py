"""Accounts, keys, ledger, holds, idempotency, decisions, audit and the key ring."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("balance", sa.BigInteger, nullable=False),
        sa.Column("held", sa.BigInteger, nullable=False),
        sa.Column("fees", sa.Text, nullable=False),
        sa.Column("policies", sa.Text, nullable=False),
        sa.CheckConstraint("held >= 0 AND balance >= held", name="never_overspent"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("account_id", sa.Text, sa.ForeignKey("accounts.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("networks", sa.Text, nullable=False),
        sa.Column("rate_limit_per_second", sa.Integer),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger),
        sa.Column("revoked_at_ms", sa.BigInteger),
        sa.Column("last_used_at_ms", sa.BigInteger),
        sa.Column("successor", sa.Text),
    )
    op.create_index("ix_api_keys_account_id", "api_keys", ["account_id"])
    op.create_table(
        "ledger_entries",
        sa.Column("account_id", sa.Text, primary_key=True),
        sa.Column("reference", sa.Text, primary_key=True),
        sa.Column("step", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("held", sa.BigInteger, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("detail", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "holds",
        sa.Column("request_id", sa.Text, primary_key=True),
        sa.Column("account_id", sa.Text, nullable=False),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("card", sa.Text),
        sa.Column("claim", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "idempotency",
        sa.Column("claim_id", sa.Text, primary_key=True),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("answer", sa.Text),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_idempotency_expires_at_ms", "idempotency", ["expires_at_ms"])
    _create_records()
    _create_books()


def _create_records() -> None:
    op.create_table(
        "decisions",
        sa.Column("account_id", sa.Text, primary_key=True),
        sa.Column("request_id", sa.Text, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("operation", sa.Text, nullable=False),
        sa.Column("client_reference", sa.Text),
        sa.Column("card", sa.Text),
        sa.Column("record", sa.Text, nullable=False),
    )
    referenced = sa.text("client_reference IS NOT NULL")
    op.create_index(
        "decisions_by_client_reference",
        "decisions",
        ["account_id", "client_reference", "request_id"],
        sqlite_where=referenced,
        postgresql_where=referenced,
    )
    op.create_table(
        "card_mismatches",
        sa.Column("card", sa.Text, primary_key=True),
        sa.Column("request_id", sa.Text, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_card_mismatches_at_ms", "card_mismatches", ["at_ms"])


def _create_books() -> None:
    op.create_table(
        "audit",
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("account_id", sa.Text),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
    )
    op.create_table(
        "key_ring",
        sa.Column("purpose", sa.Text, primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("wrapped", sa.Text, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    )
    state = op.create_table(
        "state",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.bulk_insert(state, [{"name": "revision", "value": "0"}])
