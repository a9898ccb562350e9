"""The money of months: by month in UTC and by currency, exact to the last decimal."""

from gatehouse.access.roles import UserRole
from gatehouse.admin.outcomes.types.money import MoneyReportWanted
from gatehouse.admin.outcomes.use_cases.reporting import report_money
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.core.clock import iso_time
from gatehouse.core.months import CalendarMonth
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.outcomes.told import DISPUTE, Payments, batch, kept
from tests.console.harness import open_console
from tests.harness import Home, make_account


def test_money_is_added_by_month_and_currency(session: AdminSession) -> None:
    account = make_account(session)
    month = CalendarMonth.at(session.clock())
    this, last = str(month), str(month.before)
    first, before = iso_time(month.since_ms), iso_time(month.since_ms - 1)
    sale = {"kind": "SETTLED", "at": first}
    told = [
        {**sale, "reference": "1", "amount": 0.1, "currency": "EUR"},
        {**sale, "reference": "2", "amount": 0.2, "currency": "EUR"},
        {**sale, "reference": "3", "amount": 1200, "currency": "JPY"},
        {**sale, "reference": "4", "amount": 1.234, "currency": "KWD"},
        {**sale, "reference": "5", "at": before, "amount": 7, "currency": "EUR"},
        {"kind": "REFUNDED", "reference": "6", "at": first, "amount": 1200, "currency": "JPY"},
        *(
            {"kind": "DISPUTE", "reference": name, "at": first, "amount": 5, "currency": "EUR"}
            | about
            for name, about in (
                ("7", {"result": "WON"}),
                ("8", {"result": "ACCEPTED"}),
                ("9", {"stage": "FIRST"}),
                ("10", {"stage": "INQUIRY"}),
            )
        ),
    ]
    tell(session, account, batch(*told))
    found = report_money(session, account, MoneyReportWanted(2)).months
    shown = {
        (each.month, each.currency): (each.settled.amount, each.refunded.amount) for each in found
    }
    assert shown == {
        (this, "EUR"): ("0.3", "0"),
        (this, "JPY"): ("1200", "1200"),
        (this, "KWD"): ("1.234", "0"),
        (last, "EUR"): ("7", "0"),
    }
    euros = found[0]
    sums = (euros.disputed, euros.won, euros.lost, euros.open)
    assert [(each.count, each.amount) for each in sums] == [
        *((3, "15"), (1, "5")),
        *((1, "5"), (1, "5")),
    ]


def test_people_tell_join_and_read_the_money_in_the_console(home: Home) -> None:
    with open_console(home.migrated()) as console:
        account, session = console.account_id, console.session
        payments = Payments(session, account)
        both = [payments.pay(reference="order-7", payment=each) for each in ("pay_1", "pay_2")]
        tell(session, account, batch({**DISPUTE, "clientReferenceId": "order-7"}))
        person = console.as_role(UserRole.ANALYST)
        place = f"/a/{account}/outcomes"
        page = person.get(f"{place}?kind=DISPUTE&reference=dp-1")
        assert all(each in page.text for each in both)
        assert "2 candidates" in page.text
        given = {"kind": "DISPUTE", "reference": "dp-1", "request_id": both[1]}
        assert person.post(f"{place}/join", given).status_code == 303
        assert kept(session, account)[0].request_id == both[1]
        typed = {"kind": "REFUNDED", "reference": "r-1", "at": "2026-11-04", "amount": "5.00"}
        done = person.post(f"{place}/new", {**typed, "currency": "usd", "network": "VISA"})
        assert done.status_code == 303
        refused = person.post(f"{place}/new", {**typed, "network": "VISA", "arn": "12"})
        assert refused.status_code == 422
        assert {each.reference for each in kept(session, account)} == {"dp-1", "r-1"}
        assert person.get(f"{place}/money").status_code == 200
        assert person.get(f"{place}?after=nonsense&waiting=yes").status_code == 200
        viewer = console.as_role(UserRole.VIEWER)
        assert viewer.post(f"{place}/new", typed).status_code == 403
