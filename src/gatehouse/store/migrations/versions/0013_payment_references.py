"""How a gateway finds a payment that must be reversed, where the request id is not enough."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("gateway_intents", sa.Column("reference", sa.Text))
