"""Kept hours, and alerts."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.admin.alerts.tables import ALERT_HOURS, ALERTS
from gatehouse.admin.alerts.types.hours import HourCounts, decode_hour, encode_hour
from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.shown import AlertFound
from gatehouse.core.ids import first_id
from gatehouse.store.counting import count_rows
from gatehouse.store.tables import ACCOUNTS, DECISIONS

_H: Final = ALERT_HOURS.c
_A: Final = ALERTS.c
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(AlertFound).decode


class StoredAlert(NamedTuple):
    """An alert that goes on, or went on."""

    id: str
    kind: AlertKind
    began_at_ms: int
    seen_at_ms: int
    ended_at_ms: int | None
    ended_by: str | None
    acknowledged_at_ms: int | None
    acknowledged_by: str | None
    note: str | None
    found: AlertFound


def accounts_since(connection: sa.Connection, since_ms: int) -> list[str]:
    """The open accounts with a decision since a moment, or an alert that goes on."""
    of_account = (
        DECISIONS.c.account_id == ACCOUNTS.c.id,
        DECISIONS.c.request_id > first_id("req", since_ms),
    )
    going_on = (_A.account_id == ACCOUNTS.c.id, _A.ended_at_ms.is_(None))
    query = sa.select(ACCOUNTS.c.id).where(
        ACCOUNTS.c.closed_at_ms.is_(None),
        sa.or_(
            sa.exists().where(*of_account).correlate(ACCOUNTS),
            sa.exists().where(*going_on).correlate(ACCOUNTS),
        ),
    )
    return list(connection.scalars(query.order_by(ACCOUNTS.c.id)))


def raised_between(connection: sa.Connection, account_id: str, since_ms: int, until_ms: int) -> int:
    """How many alerts were raised between two moments."""
    within = (_A.account_id == account_id, _A.began_at_ms >= since_ms, _A.began_at_ms < until_ms)
    return count_rows(connection, ALERTS, *within)


def known_hours(connection: sa.Connection, account_id: str, since_ms: int) -> set[int]:
    """When the hours begin that are kept."""
    query = sa.select(_H.start_ms).where(_H.account_id == account_id, _H.start_ms >= since_ms)
    return set(connection.scalars(query))


def usual_hours(connection: sa.Connection, account_id: str, since_ms: int) -> dict[int, HourCounts]:
    """The kept hours that are part of the normal."""
    wanted = (_H.account_id == account_id, _H.start_ms >= since_ms, _H.is_usual == 1)
    query = sa.select(_H.start_ms, _H.counts).where(*wanted)
    return {start_ms: decode_hour(kept) for start_ms, kept in connection.execute(query)}


def keep_hours(
    connection: sa.Connection,
    account_id: str,
    hours: Mapping[int, HourCounts],
    unusual: Iterable[int],
) -> None:
    """Keep hours in place of earlier ones."""
    if not hours:
        return
    apart = set(unusual)
    this = (_H.account_id == account_id, _H.start_ms == sa.bindparam("at_ms"))
    connection.execute(ALERT_HOURS.delete().where(*this), [{"at_ms": each} for each in hours])
    rows = [
        {
            "account_id": account_id,
            "start_ms": start_ms,
            "counts": encode_hour(counts),
            "is_usual": int(start_ms not in apart),
        }
        for start_ms, counts in hours.items()
    ]
    connection.execute(ALERT_HOURS.insert(), rows)


def delete_old(connection: sa.Connection, hours_ms: int, alerts_ms: int) -> None:
    """Delete hours that are not compared any more, and alerts that ended long ago."""
    connection.execute(ALERT_HOURS.delete().where(_H.start_ms < hours_ms))
    connection.execute(ALERTS.delete().where(_A.ended_at_ms < alerts_ms))


def listing(
    connection: sa.Connection, account_id: str, limit: int, *, ended: bool = False
) -> list[StoredAlert]:
    """Alerts, newest first, those that go on before the others."""
    query = sa.select(ALERTS).where(_A.account_id == account_id)
    if not ended:
        query = query.where(_A.ended_at_ms.is_(None))
    order = (_A.ended_at_ms.is_not(None), _A.began_at_ms.desc(), _A.id.desc())
    return [_stored(row) for row in connection.execute(query.order_by(*order).limit(limit))]


def since(connection: sa.Connection, account_id: str, at_ms: int) -> list[StoredAlert]:
    """Alerts that went on at a moment or later."""
    lately = sa.or_(_A.ended_at_ms.is_(None), _A.ended_at_ms >= at_ms)
    query = sa.select(ALERTS).where(_A.account_id == account_id, lately)
    return [_stored(row) for row in connection.execute(query.order_by(_A.began_at_ms))]


def get(connection: sa.Connection, account_id: str, alert_id: str) -> StoredAlert | None:
    """One alert of an account."""
    query = sa.select(ALERTS).where(_A.account_id == account_id, _A.id == alert_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else _stored(row)


def begin(
    connection: sa.Connection,
    account_id: str,
    alert_id: str,
    kind: AlertKind,
    found: AlertFound,
    now_ms: int,
) -> None:
    """Raise an alert."""
    row = {"account_id": account_id, "id": alert_id, "kind": kind.value, "found": _encode(found)}
    connection.execute(ALERTS.insert(), row | {"began_at_ms": now_ms, "seen_at_ms": now_ms})


def see(
    connection: sa.Connection, account_id: str, alert_id: str, now_ms: int, found: AlertFound | None
) -> None:
    """Note that an alert goes on, and what is found by now."""
    values: dict[str, Any] = {"seen_at_ms": now_ms}
    if found is not None:
        values["found"] = _encode(found)
    _update(connection, account_id, alert_id, values)


def end(
    connection: sa.Connection, account_id: str, alert_id: str, now_ms: int, by: str | None = None
) -> None:
    """End an alert."""
    _update(connection, account_id, alert_id, {"ended_at_ms": now_ms, "ended_by": by})


def acknowledge(
    connection: sa.Connection,
    account_id: str,
    alert_id: str,
    now_ms: int,
    by: str,
    note: str | None,
) -> None:
    """Note who looks after an alert."""
    values = {"acknowledged_at_ms": now_ms, "acknowledged_by": by, "note": note}
    this = (_A.account_id == account_id, _A.id == alert_id)
    connection.execute(ALERTS.update().where(*this).values(**values))


def _update(
    connection: sa.Connection, account_id: str, alert_id: str, values: Mapping[str, Any]
) -> None:
    this = (_A.account_id == account_id, _A.id == alert_id, _A.ended_at_ms.is_(None))
    connection.execute(ALERTS.update().where(*this).values(**values))


def _stored(row: "sa.Row[Any]") -> StoredAlert:
    return StoredAlert(
        row.id,
        AlertKind(row.kind),
        row.began_at_ms,
        row.seen_at_ms,
        row.ended_at_ms,
        row.ended_by,
        row.acknowledged_at_ms,
        row.acknowledged_by,
        row.note,
        _decode(row.found),
    )
