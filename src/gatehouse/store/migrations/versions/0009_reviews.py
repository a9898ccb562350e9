"""Who has a review, and what happened to it: until now, at most that it was resolved."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import key, optional, required

revision = "0009"
down_revision = "0008"

_RESOLVED = """
INSERT INTO review_events (account_id, request_id, seq, at_ms, actor, kind, details, words)
SELECT account_id, request_id, 1, resolved_at_ms, actor, 'RESOLVED',
       '{"state":"' || state || '"}', reason
FROM reviews WHERE resolved_at_ms IS NOT NULL AND actor IS NOT NULL
"""


def upgrade() -> None:
    op.add_column("reviews", sa.Column("assignee", Text))
    free, taken = sa.text("assignee IS NULL"), sa.text("assignee IS NOT NULL")
    op.create_index(
        "reviews_unassigned",
        "reviews",
        ["account_id", "state", "request_id"],
        sqlite_where=free,
        postgresql_where=free,
    )
    op.create_index(
        "reviews_by_assignee",
        "reviews",
        ["account_id", "assignee", "state", "request_id"],
        sqlite_where=taken,
        postgresql_where=taken,
    )
    op.create_table(
        "review_events",
        *key(Text, "account_id", "request_id"),
        *key(Integer, "seq"),
        *required(BigInteger, "at_ms"),
        *required(Text, "actor", "kind", "details"),
        *optional(Text, "words"),
        sqlite_with_rowid=False,
    )
    op.get_bind().exec_driver_sql(_RESOLVED)
