"""The watch raises an alert at its next look, tells it once, and ends it when it is over."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from gatehouse.admin.alerts.tables import ALERT_HOURS, ALERTS
from gatehouse.admin.alerts.types.hours import HOUR_MS
from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.observing import SeenRequest
from gatehouse.admin.alerts.types.shown import AlertAnswer, AlertSearch, AlertShown
from gatehouse.admin.alerts.use_cases import acknowledge, list_alerts
from gatehouse.admin.alerts.worker import reading
from gatehouse.admin.alerts.worker.reading import RecentRequests, read_hour
from gatehouse.admin.alerts.worker.watch import HOURS_A_LOOK, AlertWatch
from gatehouse.admin.events.use_cases import events
from gatehouse.admin.events.use_cases.events import EventQuery
from gatehouse.core.events import EventName
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.alerts.shop import MINUTE_MS, attack, insert, learn, order, usual_hour
from tests.harness import make_account
from tests.web.described_events import check_event

_TOLD = (EventName.ALERT_RAISED, EventName.ALERT_ENDED)


class Watched:
    """An account with four usual weeks, and a clock that can be put forward."""

    def __init__(self, session: AdminSession) -> None:
        self.session, self.account = session, make_account(session)
        self.now_ms = session.clock() // HOUR_MS * HOUR_MS + 30 * MINUTE_MS
        session.clock = lambda: self.now_ms
        learn(session, self.account)
        self.watch = AlertWatch(session)

    def came(self, orders: list[SeenRequest]) -> None:
        insert(self.session, self.account, orders)

    def alerts(self, *, ended: bool = False) -> list[AlertShown]:
        return list_alerts(self.session, self.account, AlertSearch(ended=ended)).alerts

    def told(self) -> list[tuple[str, dict[str, Any]]]:
        found = events.list_events(self.session, self.account, EventQuery(types=_TOLD)).events
        for each in found:
            check_event(each)
        return [(each.type, each.data) for each in found]


@pytest.fixture
def shop(session: AdminSession) -> Iterator[Watched]:
    clock = session.clock
    yield Watched(session)
    session.clock = clock


def test_an_attack_is_raised_at_the_next_look_told_once_and_ended_when_it_is_over(
    shop: Watched,
) -> None:
    shop.watch.look()
    assert shop.alerts() == []
    shop.came(attack(shop.now_ms))
    shop.watch.look()
    # Another server has the same database, and memory of its own.
    AlertWatch(shop.session).look()
    [alert] = shop.alerts()
    assert alert.kind is AlertKind.ATTACK
    assert "cards that were not seen before were refused" in alert.said
    assert "shop/watched" in {each.value for each in alert.values}
    assert len(alert.examples) == 20
    [(kind, data)] = shop.told()
    assert (kind, data["alertId"], data["kind"]) == ("alert.raised", alert.id, "attack")
    assert "203.0.113.7" in {each["value"] for each in data["values"]}
    shop.now_ms += 50 * MINUTE_MS
    shop.watch.look()
    assert len(shop.alerts()) == 1
    shop.now_ms += 100 * MINUTE_MS
    shop.watch.look()
    assert shop.alerts() == []
    [ended] = shop.alerts(ended=True)
    assert (ended.ended_by, ended.ended_at) == (None, shop.now_ms)
    shop.watch.look()
    assert [kind for kind, _ in shop.told()] == ["alert.raised", "alert.ended"]


def test_what_a_person_ended_is_not_raised_again_at_once(shop: Watched) -> None:
    shop.came(attack(shop.now_ms))
    shop.watch.look()
    [alert] = shop.alerts()
    acknowledge(shop.session, shop.account, alert.id, AlertAnswer("a test of ours", end=True))
    shop.now_ms += 20_000
    shop.came([order(100 + n, shop.now_ms - n * 100, hostile=True) for n in range(20)])
    shop.watch.look()
    assert shop.alerts() == []
    assert shop.told()[1][1]["endedBy"]
    # The hours after, it is.
    shop.now_ms += 7 * HOUR_MS
    shop.came([order(200 + n, shop.now_ms - n * 1000, hostile=True) for n in range(40)])
    shop.watch.look()
    assert len(shop.alerts()) == 1


def test_hours_of_an_attack_do_not_become_the_normal(shop: Watched) -> None:
    shop.came(attack(shop.now_ms))
    shop.watch.look()
    this_hour = shop.now_ms // HOUR_MS * HOUR_MS
    shop.now_ms += 40 * MINUTE_MS
    shop.watch.look()
    usual = sa.select(ALERT_HOURS.c.is_usual).where(
        ALERT_HOURS.c.account_id == shop.account, ALERT_HOURS.c.start_ms == this_hour
    )
    with shop.session.reading() as connection:
        assert connection.scalar(usual) == 0


def test_hours_are_learned_newest_first_and_old_ones_deleted(session: AdminSession) -> None:
    account, watch = make_account(session), AlertWatch(session)
    now_ms = session.clock()
    insert(session, account, usual_hour(now_ms // HOUR_MS * HOUR_MS - HOUR_MS))
    old = {"account_id": account, "start_ms": 0, "is_usual": 1, "counts": b""}
    with session.writing() as connection:
        connection.execute(ALERT_HOURS.insert(), old)
    watch.look()
    watch.look()
    with session.reading() as connection:
        kept = connection.scalars(sa.select(ALERT_HOURS.c.start_ms)).all()
    newest = max(kept)
    assert sorted(kept) == [newest - n * HOUR_MS for n in reversed(range(2 * HOURS_A_LOOK))]


def test_of_very_many_requests_the_newest_are_read_and_all_are_counted(
    shop: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_READ", 10)
    monkeypatch.setattr(reading, "MOST_KEPT", 15)
    shop.came([order(n, shop.now_ms - n * 1000) for n in range(1, 31)])
    recent = RecentRequests(shop.account)
    with shop.session.reading() as connection:
        assert recent.read(connection, shop.now_ms) == 30
        assert recent.read(connection, shop.now_ms) == 0
        assert len(recent.seen) == 10
        assert recent.requests(shop.now_ms) == [30, 30, 30]
    shop.came([order(n, shop.now_ms - n) for n in range(1, 31)])
    with shop.session.reading() as connection:
        assert recent.read(connection, shop.now_ms) == 30
    assert len(recent.seen) == 15


def test_an_unreadable_record_is_passed_over(shop: Watched) -> None:
    start_ms = shop.now_ms // HOUR_MS * HOUR_MS
    shop.came(usual_hour(start_ms, 10))
    broken = order(99, start_ms + 5)
    insert(shop.session, shop.account, [broken], **{"order.amount": "x", "ip.address": 7})
    made = read_hour(shop.session.database, shop.account, start_ms)
    assert made.requests == 11


def test_alerts_are_of_their_account_alone(shop: Watched) -> None:
    other = make_account(shop.session)
    shop.came(attack(shop.now_ms))
    shop.watch.look()
    with shop.session.reading() as connection:
        assert connection.scalars(sa.select(ALERTS.c.account_id)).all() == [shop.account]
    assert list_alerts(shop.session, other, AlertSearch(ended=True)).alerts == []
