"""Which steps on the way to a programme an account was told of; requests write none of it."""

from typing import Final

from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import key, required
from gatehouse.store.metadata import declare

# An empty merchant id or region stands for none.
PROGRAMME_ALERTS: Final = declare(
    "programme_alerts",
    *key(Text, "account_id", "month", "network", "programme", "level", "merchant_id", "region"),
    *key(Integer, "percent"),
    *required(BigInteger, "at_ms"),
)
