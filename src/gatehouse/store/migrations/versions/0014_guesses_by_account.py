"""Wrong guesses at a card are also counted by the account behind it, while requests are open."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("holds", sa.Column("card_account", sa.Text))
