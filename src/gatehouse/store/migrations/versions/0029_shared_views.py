"""Which saved searches are shared in the account."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Integer

revision = "0029"
down_revision = "0028"
expands = True


def upgrade() -> None:
    op.add_column("saved_searches", sa.Column("shared", Integer))
