"""Identities: who holds which card, which identifiers are held at all, and how far imports came."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identities",
        sa.Column("card", sa.Text, primary_key=True),
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("key_version", sa.Integer, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("reference", sa.Text),
        sa.Column("updated_at_ms", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    by_scope = ["scope", "card", "person"]
    op.create_index("identities_by_scope", "identities", by_scope, unique=True)
    op.create_index("identities_by_person", "identities", ["person"])
    referenced = sa.text("reference IS NOT NULL")
    op.create_index(
        "identities_by_reference",
        "identities",
        ["reference"],
        sqlite_where=referenced,
        postgresql_where=referenced,
    )
    op.create_table(
        "identity_types",
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("type", sa.Text, primary_key=True),
        sa.Column("people", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "identity_imports",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("file", sa.Text),
        sa.Column("started_at_ms", sa.BigInteger, nullable=False),
        sa.Column("finished_at_ms", sa.BigInteger),
        sa.Column("line", sa.BigInteger, nullable=False),
        sa.Column("offset", sa.BigInteger, nullable=False),
        sa.Column("added", sa.BigInteger, nullable=False),
        sa.Column("changed", sa.BigInteger, nullable=False),
        sa.Column("unchanged", sa.BigInteger, nullable=False),
        sa.Column("refused", sa.BigInteger, nullable=False),
    )
    op.create_index("identity_imports_by_file", "identity_imports", ["scope", "file"])
