"""The network's id of a payment, sealed, for later payments with the same stored card."""

from alembic import op
from sqlalchemy import Text

from gatehouse.store.columns import optional

revision = "0037"
down_revision = "0035"
expands = True


def upgrade() -> None:
    for column in optional(Text, "network_id"):
        op.add_column("payments", column)
