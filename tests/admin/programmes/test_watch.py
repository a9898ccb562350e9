"""The watch tells an account once of each step on the way to a level, and only its own."""

from typing import Any

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.events.use_cases import events
from gatehouse.admin.events.use_cases.events import EventQuery
from gatehouse.admin.programmes import queries
from gatehouse.admin.programmes.queries import AlertKey
from gatehouse.admin.programmes.types.report import MeterFilter
from gatehouse.admin.programmes.use_cases.alerts import alerts_now
from gatehouse.admin.programmes.use_cases.metering import get_programmes
from gatehouse.admin.programmes.worker import ProgrammeWatch
from gatehouse.core.clock import iso_time
from gatehouse.core.events import EventName
from gatehouse.core.months import CalendarMonth
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.programmes.test_programmes import sent, told
from tests.console.harness import open_console
from tests.harness import Home, make_account
from tests.web.described_events import check_event


def _events(session: AdminSession, account: str) -> list[dict[str, Any]]:
    wanted = EventQuery(types=(EventName.PROGRAMME_THRESHOLD,))
    found = events.list_events(session, account, wanted).events
    for each in found:
        check_event(each)
    return [each.data for each in found]


class Shop:
    """An account of Mastercard with 1,000 sales in the month before."""

    def __init__(self, session: AdminSession) -> None:
        self.session, self.account = session, make_account(session)
        self.now = iso_time(session.clock())
        self.month = CalendarMonth.at(session.clock())
        before = iso_time(self.month.before.since_ms)
        self._disputes = 0
        for start in range(0, 1000, 500):
            self._told("SETTLED", range(start, start + 500), before)

    def dispute(self, number: int, merchant: str = "M-1") -> None:
        """So many more, of this month."""
        first = self._disputes
        self._disputes += number
        self._told("DISPUTE", range(first, self._disputes), self.now, merchant)

    def _told(self, kind: str, numbers: range, at: str, merchant: str = "M-1") -> None:
        same = {"kind": kind, "at": at, "network": "MASTERCARD", "merchantId": merchant}
        items = [sent(**same, reference=f"{kind}-{number}") for number in numbers]
        told(self.session, self.account, *items)


def test_each_step_is_told_once_in_a_month(session: AdminSession) -> None:
    shop, watch = Shop(session), ProgrammeWatch(session)
    steps = []
    # Both the number (100) and the ratio (15 of 1,000) must be met: 100 are needed.
    for more in (49, 1, 0, 24, 16, 0, 10):
        if more:
            shop.dispute(more)
        watch.look()
        steps.append([each["percent"] for each in _events(session, shop.account)])
    assert [sorted(each) for each in steps] == [
        [],
        [50],
        [50],
        [50],
        [50, 90],
        [50, 90],
        [50, 90, 100],
    ]
    [first] = [each for each in _events(session, shop.account) if each["percent"] == 50]
    assert (first["programme"], first["events"], first["sales"]) == ("ECM", 50, 1000)
    assert (first["neededEvents"], first["basisPoints"]) == (100, "500.00")
    alerts = get_programmes(session, shop.account, MeterFilter()).alerts
    assert [each.percent for each in alerts] == [100, 90, 50]


def test_a_merchant_id_is_told_of_beside_the_account_only_where_there_are_several(
    sqlite_session: AdminSession,
) -> None:
    session = sqlite_session
    shop, watch = Shop(session), ProgrammeWatch(session)
    shop.dispute(80)
    shop.dispute(1, "M-2")
    watch.meter(shop.account, shop.month)
    found = {(each["merchantId"], each["percent"]) for each in _events(session, shop.account)}
    assert found == {(None, 75), ("M-1", 75)}


def test_an_account_without_outcomes_of_this_month_costs_nothing(
    sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, account = sqlite_session, make_account(sqlite_session)
    told(session, account, sent(at="2020-01-01T00:00:00Z"))
    monkeypatch.setattr(ProgrammeWatch, "meter", None)
    ProgrammeWatch(session).look()
    assert _events(session, account) == []


def test_steps_of_long_ago_are_forgotten(sqlite_session: AdminSession) -> None:
    session, account = sqlite_session, make_account(sqlite_session)
    month, found = CalendarMonth.at(session.clock()), []
    key = AlertKey("VISA", "VAMP", "excessive", "", "")
    for _ in range(26):
        month = month.before
        found.append(str(month))
        with session.writing() as connection:
            queries.add_alerts(connection, account, str(month), [(key, 50)], 1)
    ProgrammeWatch(session).look()
    with session.reading() as connection:
        kept = [len(queries.alerts_of(connection, account, each)) for each in found]
    assert kept == [1] * 24 + [0] * 2


def test_the_overview_tells_those_who_see_money_of_the_furthest_step(sqlite_home: Home) -> None:
    with open_console(sqlite_home.migrated()) as console:
        key = AlertKey("VISA", "VAMP", "excessive", "", "")
        month = str(CalendarMonth.at(console.session.clock()))
        with console.session.writing() as connection:
            steps = [(key, 50), (key, 90)]
            queries.add_alerts(connection, console.account_id, month, steps, 1)
        assert [each.percent for each in alerts_now(console.session, console.account_id)] == [
            90,
            50,
        ]
        said = "90 % of the way to the programme VAMP are reached."
        place = f"/a/{console.account_id}/"
        assert said in console.as_role(UserRole.ADMINISTRATOR).get(place).text
        assert said not in console.as_role(UserRole.VIEWER).get(place).text
        page = console.as_role(UserRole.ADMINISTRATOR).get(f"{place}programmes")
        assert "90 % of the way to VAMP (VISA) are reached." in page.text
