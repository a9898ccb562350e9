"""The steps that accounts were told of; every query is bound to an account."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from gatehouse.admin.programmes.tables import PROGRAMME_ALERTS

_A: Final = PROGRAMME_ALERTS.c


class AlertKey(NamedTuple):
    """What an account is told of once in a month."""

    network: str
    programme: str
    level: str
    merchant_id: str
    region: str


def told_steps(connection: sa.Connection, account_id: str, month: str) -> dict[AlertKey, int]:
    """The last step of each that was told in a month."""
    query = sa.select(_A.network, _A.programme, _A.level, _A.merchant_id, _A.region, _A.percent)
    query = query.where(_A.account_id == account_id, _A.month == month).order_by(_A.percent)
    return {AlertKey(*row[:-1]): row[-1] for row in connection.execute(query)}


def add_alerts(
    connection: sa.Connection,
    account_id: str,
    month: str,
    steps: Sequence[tuple[AlertKey, int]],
    now_ms: int,
) -> None:
    """Note the steps that an account is told of now."""
    if steps:
        about = {"account_id": account_id, "month": month, "at_ms": now_ms}
        rows = [{**about, **each._asdict(), "percent": percent} for each, percent in steps]
        connection.execute(PROGRAMME_ALERTS.insert(), rows)


def alerts_of(connection: sa.Connection, account_id: str, month: str) -> "Sequence[sa.Row[Any]]":
    """What an account was told of in a month, newest first."""
    query = sa.select(PROGRAMME_ALERTS).where(_A.account_id == account_id, _A.month == month)
    order = (_A.at_ms.desc(), _A.percent.desc(), _A.network, _A.programme, _A.merchant_id)
    return connection.execute(query.order_by(*order)).all()


def delete_old(connection: sa.Connection, before: str) -> None:
    """Delete what was told in months before one."""
    connection.execute(PROGRAMME_ALERTS.delete().where(_A.month < before))
