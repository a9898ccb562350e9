"""Events of erased requests, on their way to the memories of running servers."""

from alembic import op
from sqlalchemy import BigInteger, Integer, LargeBinary

from gatehouse.store.columns import key, required

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "forgotten_events",
        *key(BigInteger, "seq"),
        *required(BigInteger, "at_ms"),
        *required(Integer, "key_version"),
        *required(LargeBinary, "sealed"),
    )
