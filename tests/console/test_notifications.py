"""Notifications of providers in the console: found, looked at, and applied again by who may."""

from gatehouse.access.roles import UserRole
from gatehouse.admin.outcomes.types.outcome import OutcomeFilter
from gatehouse.admin.outcomes.use_cases.listing import list_outcomes
from gatehouse.gateway.notifying import NotifiedEvent
from tests.admin.recorded import Recorder
from tests.console.harness import Console
from tests.console.paid import CAPTURED, keep_notification, keep_payment


def _paid(console: Console, name: str) -> str:
    request = Recorder(console.session, console.account_id).keep(f"u-{name}")
    return keep_payment(console.session, console.account_id, request, CAPTURED)


def _pages(console: Console) -> str:
    return f"/a/{console.account_id}/payments/notifications"


def test_a_notification_shows_what_its_payment_has_from_it_and_leads_there(
    console: Console,
) -> None:
    request = _paid(console, "told")
    told = {"reference": request, "amount_minor": 1500, "currency": "EUR", "operation_id": "re_1"}
    name = keep_notification(console.session, NotifiedEvent.REFUNDED, **told)
    manager = console.as_role(UserRole.MANAGER)
    page, payment = f"{_pages(console)}/{name}", f"/a/{console.account_id}/payments/{request}"
    shown = manager.get(page).text
    assert ">Applied<" in shown
    assert "€15.00" in shown
    assert shown.count(f'href="{payment}"') == 2
    assert f'href="{page}"' in manager.get(payment).text
    done = manager.post(f"{page}/apply")
    assert (done.status_code, done.headers["location"]) == (303, page)
    again = manager.get(page).text
    assert ">Nothing to change<" in again
    assert "That was known." in again
    assert "Refund" in again
    german = console.as_role(UserRole.FINANCE, locale="de").get(page).text
    assert ">Nichts zu ändern<" in german
    assert "Das war bekannt." in german


def test_a_dispute_and_a_report_of_fraud_lead_to_what_became_of_the_payment(
    console: Console,
) -> None:
    request = _paid(console, "disputed")
    viewer = console.as_role(UserRole.VIEWER)
    about = {"reference": request, "network": "VISA", "reason": "10.4"}
    for event, case in ((NotifiedEvent.DISPUTED, "dp/1"), (NotifiedEvent.FRAUD_REPORTED, "fr-1")):
        name = keep_notification(console.session, event, case=case, **about)
        shown = viewer.get(f"{_pages(console)}/{name}").text
        assert ">Applied<" in shown
        assert case in shown
        kind = "disputes/" if event is NotifiedEvent.DISPUTED else "outcomes?kind=FRAUD_REPORT"
        [link] = [each for each in shown.split('href="') if f"/{kind}" in each]
        assert viewer.get(link.partition('"')[0].replace("&amp;", "&")).status_code == 200
    wanted = OutcomeFilter(request_id=request)
    assert len(list_outcomes(console.session, console.account_id, wanted).outcomes) == 2


def test_notifications_are_filtered_and_paged(console: Console) -> None:
    session = console.session
    first, second = _paid(console, "first"), _paid(console, "second")
    captured = {"amount_minor": 6000, "reference": first}
    names = {
        "NOTHING": keep_notification(session, NotifiedEvent.CAPTURED, **captured),
        "UNMATCHED": keep_notification(
            session, NotifiedEvent.REFUNDED, reference=second, currency="JPY", amount_minor=5
        ),
    }
    viewer = console.as_role(UserRole.VIEWER)

    def found(query: str) -> set[str]:
        text = viewer.get(f"{_pages(console)}?{query}").text
        return {state for state, name in names.items() if name in text}

    for state in names:
        assert found(f"state={state}") == {state}
    assert found("event=captured") == {"NOTHING"}
    assert found(f"request={second}") == {"UNMATCHED"}
    assert found("connector=acquirer") == set(names)
    assert found(f"after={names['UNMATCHED']}") == {"NOTHING"}
    assert "No notification fits" in viewer.get(f"{_pages(console)}?connector=other").text
    for wrong in ("state=LOST", "event=sold", "after=x"):
        assert viewer.get(f"{_pages(console)}?{wrong}").status_code == 422
    for _ in range(50):
        keep_notification(session, NotifiedEvent.CAPTURED, **captured)
    listed = viewer.get(f"{_pages(console)}?event=captured").text
    assert names["NOTHING"] not in listed
    older = f"{_pages(console)}?" + listed.partition(f"{_pages(console)}?")[2].partition('"')[0]
    assert names["NOTHING"] in viewer.get(older.replace("&amp;", "&")).text


def test_only_who_may_work_on_payments_applies_one_again(console: Console) -> None:
    request = _paid(console, "seen")
    told = {"reference": request, "amount_minor": 100}
    name = keep_notification(console.session, NotifiedEvent.CAPTURED, **told)
    page = f"{_pages(console)}/{name}"
    analyst = console.as_role(UserRole.ANALYST)
    assert "Apply again" in console.as_role(UserRole.FINANCE).get(page).text
    assert "Apply again" not in analyst.get(page).text
    assert analyst.post(f"{page}/apply").status_code == 403
    other = console.as_role(UserRole.MANAGER, console.other_id)
    elsewhere = page.replace(console.account_id, console.other_id)
    assert other.get(elsewhere).status_code == 404
    assert other.post(f"{elsewhere}/apply").status_code == 404
    empty = other.get(f"/a/{console.other_id}/payments/notifications").text
    assert "There are no notifications yet" in empty
    assert f'href="/a/{console.other_id}/payments">Payments</a>' in empty


def test_operators_look_for_the_payments_of_those_that_have_none(console: Console) -> None:
    request = _paid(console, "late")
    name = keep_notification(
        console.session, NotifiedEvent.VOIDED, payment_id="<b>psp</b>", operation_id="<i>vo</i>"
    )
    unmatched = "/installation/connectors/notifications"
    operator = console.as_role(UserRole.OPERATOR)
    shown = operator.get(unmatched).text
    assert name in shown
    assert "&lt;i&gt;vo" in shown
    assert "No payment with its names is known." in shown
    assert name not in operator.get(_pages(console)).text
    assert request not in shown
    assert operator.post(f"{unmatched}/again").status_code == 303
    assert console.as_role(UserRole.ADMINISTRATOR).get(unmatched).status_code == 403
