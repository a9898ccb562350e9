"""Requests in flight are counted by their card, however many have ended since the last vacuum."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
expands = True


def upgrade() -> None:
    for column in ("card", "card_account"):
        some = sa.text(f"{column} IS NOT NULL")
        name = f"holds_by_{column}"
        op.create_index(name, "holds", [column], sqlite_where=some, postgresql_where=some)
