"""A made-up account: four usual weeks in counts, and orders that come in now."""

import functools
from typing import Any

import msgspec

from gatehouse.admin.alerts import queries
from gatehouse.admin.alerts.types.hours import HOUR_MS, HourCounts, count_hour
from gatehouse.admin.alerts.types.observing import SeenRequest, ValueKind
from gatehouse.conditions.catalogue import place_of
from gatehouse.core.ids import derived_id
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS
from tests.backtest.material import record, ruled, stage

MINUTE_MS = 60_000
WEEKS_HOURS = 28 * 24
SITE = "198.51.100"
USUAL_AN_HOUR = 30


def order(
    number: int, at_ms: int, *, hostile: bool = False, failed: bool = False, refused: bool = False
) -> SeenRequest:
    """An honest order, or one of somebody who tries out cards from one address."""
    address = "203.0.113.7" if hostile else f"{SITE}.{number % 200}"
    declined = refused or hostile
    return SeenRequest(
        derived_id("req", at_ms, f"{number} {hostile}"),
        at_ms,
        "DECLINE" if declined or failed else "ACCEPT",
        declined and not failed,
        "Gateway" if failed else "",
        False,
        hostile or number % 3 == 0,
        f"card-{number}-{hostile}",
        1_000_000 if hostile else 20_000_000 + number % 50 * 1_000_000,
        "USD",
        (
            (ValueKind.ADDRESS, address),
            (ValueKind.NETWORK, f"{address.rpartition('.')[0]}.0/24"),
            (ValueKind.BIN, "42424242" if hostile else f"4{number % 9}111111"),
            (ValueKind.DOMAIN, "mail.example"),
        ),
    )


def usual_hour(start_ms: int, number: int = USUAL_AN_HOUR) -> list[SeenRequest]:
    """Orders of an hour; one in ten is refused."""
    step = HOUR_MS // number
    return [order(each, start_ms + each * step, refused=each % 10 == 0) for each in range(number)]


def weeks(now_ms: int) -> dict[int, HourCounts]:
    """Four weeks of usual hours, of which no two have the same number of orders."""
    return dict(_weeks(now_ms // HOUR_MS * HOUR_MS - HOUR_MS))


@functools.cache
def _weeks(newest_ms: int) -> dict[int, HourCounts]:
    found = {}
    for number in range(WEEKS_HOURS):
        start_ms = newest_ms - number * HOUR_MS
        found[start_ms] = count_hour(usual_hour(start_ms, USUAL_AN_HOUR - 4 + number % 9))
    return found


def learn(session: AdminSession, account_id: str) -> None:
    """Let an account have four usual weeks."""
    with session.database.writing() as connection:
        queries.keep_hours(connection, account_id, weeks(session.clock()), ())


def insert(session: AdminSession, account_id: str, orders: list[SeenRequest], **more: Any) -> None:
    """Keep orders as decision records."""
    rows = [_row(account_id, each, more) for each in orders]
    with session.database.writing() as connection:
        connection.execute(DECISIONS.insert(), rows)


def _row(account_id: str, each: SeenRequest, more: dict[str, Any]) -> dict[str, Any]:
    values = dict(each.values)
    place = place_of("velocity.card.count_30d")
    assert place is not None
    velocity = [None] * place[1] + [1 if each.is_new else 5]
    assert each.amount_micros is not None
    signals = {
        "order.amount": each.amount_micros / 1_000_000,
        "order.currency": each.currency,
        "card.fingerprint": each.who,
        "card.bin": values[ValueKind.BIN],
        "ip.address": values[ValueKind.ADDRESS],
        "ip.network": values[ValueKind.NETWORK],
        "email.domain": values[ValueKind.DOMAIN],
        place[0]: velocity,
        **more,
    }
    status = "DECLINED" if each.refused else "APPROVED"
    stages = [
        ruled("ACCEPT", ["watched"] if each.refused else []),
        stage("Gateway", {"status": status}, completed=not each.failed),
    ]
    made = record(0, signals, stages, decision=each.outcome or "ACCEPT", at_ms=each.at_ms)
    made["requestId"] = each.request_id
    return {
        "account_id": account_id,
        "request_id": each.request_id,
        "at_ms": each.at_ms,
        "operation": "pipeline",
        "record": msgspec.json.encode(made).decode(),
    }


def attack(now_ms: int, number: int = 36) -> list[SeenRequest]:
    """Somebody tries out cards from one address, four a minute until now."""
    return [order(each, now_ms - 1000 - each * 15_000, hostile=True) for each in range(number)]
