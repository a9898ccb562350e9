"""Requests that Sentry's shared memory must be told of later."""

from alembic import op
from sqlalchemy import Text

from gatehouse.store.columns import key

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "missed_events", *key(Text, "account_id", "request_id"), sqlite_with_rowid=False
    )
