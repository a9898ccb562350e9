"""Credit limits: how far below nothing the balance of a customer who is invoiced may go."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import BigInteger

from gatehouse.store.weaker_checks import WeakerCheck

revision = "0032"
down_revision = "0029"
expands = True


def upgrade() -> None:
    op.add_column("accounts", sa.Column("credit_limit", BigInteger))
    weaker = WeakerCheck(
        "accounts",
        "never_overspent",
        before="held >= 0 AND balance >= held",
        now="held >= 0 AND (balance >= held OR credit_limit IS NOT NULL)",
    )
    op.invoke(weaker)
