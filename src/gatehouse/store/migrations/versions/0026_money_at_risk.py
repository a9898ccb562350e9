"""What an open review puts at risk: by that the queue can begin with what is worth most."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger, Text

revision = "0026"
down_revision = "0025"
expands = True


def upgrade() -> None:
    op.add_column("reviews", sa.Column("at_risk", BigInteger, nullable=False, server_default="0"))
    op.add_column("reviews", sa.Column("currency", Text))
