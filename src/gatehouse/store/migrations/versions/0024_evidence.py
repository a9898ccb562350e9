"""Evidence for disputes: what stays readable of orders, and the desk."""

import sqlalchemy as sa
from alembic import op

from gatehouse.store.columns import index, key, optional, required

revision = "0024"
down_revision = "0023"
expands = True


def upgrade() -> None:
    op.create_table(
        "order_evidence",
        *key(sa.Text, "account_id", "request_id"),
        *required(sa.Integer, "key_version"),
        *required(sa.Text, "sealed"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dispute_cases",
        *key(sa.Text, "account_id", "reference"),
        *optional(sa.Text, "request_id", "decision", "actor"),
        *optional(sa.BigInteger, "decided_at_ms"),
        *required(sa.BigInteger, "changed_at_ms"),
        *required(sa.Integer, "key_version"),
        *required(sa.LargeBinary, "sealed"),
        index(
            "dispute_cases_by_request",
            "account_id",
            "request_id",
            where="request_id IS NOT NULL",
        ),
    )
    op.create_table(
        "dispute_files",
        *key(sa.Text, "account_id", "reference", "file_id"),
        *optional(sa.Text, "request_id"),
        *required(sa.Text, "type", "actor"),
        *required(sa.Integer, "size", "key_version"),
        *required(sa.BigInteger, "at_ms"),
        *required(sa.LargeBinary, "sealed_name", "sealed"),
        index(
            "dispute_files_by_request",
            "account_id",
            "request_id",
            where="request_id IS NOT NULL",
        ),
    )
