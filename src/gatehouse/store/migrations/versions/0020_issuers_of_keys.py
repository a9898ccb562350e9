"""Which key issued a key, so that it can end with that one."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
expands = True


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("parent", sa.Text))
