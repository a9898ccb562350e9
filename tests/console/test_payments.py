"""Payments in the console: found, looked at, and captured, voided and refunded by who may."""

import re
from typing import Any

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.core.ids import derived_id
from gatehouse.gateway.operating import OperationKind
from gatehouse.store.payments.operations import OperationState
from tests.console.harness import Browser, Console
from tests.console.paid import CAPTURED, keep_payment, operation_of


def _new(console: Console, name: str, *done: Any, currency: str = "EUR") -> str:
    request = derived_id("req", console.session.clock(), name)
    return keep_payment(console.session, console.account_id, request, *done, currency=currency)


@pytest.fixture
def manager(console: Console) -> Browser:
    return console.as_role(UserRole.MANAGER)


def _pages(console: Console) -> str:
    return f"/a/{console.account_id}/payments"


def test_a_payment_is_captured_and_refunded_in_the_amounts_that_its_currency_has(
    console: Console, manager: Browser
) -> None:
    request = _new(console, "in yen", CAPTURED, currency="JPY")
    page = f"{_pages(console)}/{request}"
    shown = manager.get(page).text
    assert "¥4,000 left" in shown
    assert "Captured in part" in shown
    assert "Void now" not in shown
    seen = {"operations_seen": "1"}
    assert manager.post(f"{page}/refund", {"amount": "1.5", **seen}).status_code == 422
    assert manager.post(f"{page}/refund", {"amount": "1500", **seen}).status_code == 303
    again = manager.post(f"{page}/refund", {"amount": "1500", **seen})
    assert again.status_code == 409
    assert "Something was asked for or done with the payment meanwhile" in again.text
    assert (
        manager.post(f"{page}/capture", {"amount": "", "operations_seen": "2"}).status_code == 303
    )
    german = console.as_role(UserRole.FINANCE, locale="de").get(page).text
    assert "Erstattung" in german
    assert re.search(r"1\.500\s*¥", german)
    assert german.count(">Wartet<") == 2


def test_what_is_in_doubt_is_found_and_settled_by_hand(console: Console, manager: Browser) -> None:
    request = _new(console, "doubt", (OperationKind.CAPTURE, OperationState.IN_DOUBT, 10_000))
    listed = manager.get(f"{_pages(console)}?doubt=yes").text
    assert request in listed
    page = f"{_pages(console)}/{request}"
    settle = f"{page}/operations/{operation_of(request, 0)}/settle"
    assert f'action="{settle}"' in manager.get(page).text
    assert manager.post(settle, {"succeeded": ""}).status_code == 422
    assert manager.post(settle, {"succeeded": "yes"}).status_code == 303
    assert manager.post(settle, {"succeeded": "yes"}).status_code == 409
    assert request not in manager.get(f"{_pages(console)}?doubt=yes").text
    assert request in manager.get(f"{_pages(console)}?state=CAPTURED").text


def test_payments_are_filtered_by_state_connector_day_and_amount(
    console: Console, manager: Browser
) -> None:
    refund = (OperationKind.REFUND, OperationState.SUCCEEDED, 6000)
    requests = {
        "AUTHORIZED": _new(console, "1"),
        "PARTLY_CAPTURED": _new(console, "2", CAPTURED),
        "REFUNDED": _new(console, "3", CAPTURED, refund),
        "VOIDED": _new(console, "4", (OperationKind.VOID, OperationState.SUCCEEDED, 10_000)),
    }

    def found(query: str) -> set[str]:
        text = manager.get(f"{_pages(console)}?{query}").text
        return {state for state, request in requests.items() if request in text}

    for state in requests:
        assert found(f"state={state}") == {state}
    assert found("state=REVERSED") == set()
    assert found("connector=acquirer&least=100&most=100&currency=eur") == set(requests)
    assert found("least=100.01&currency=EUR") == set()
    assert found("connector=other") == set()
    assert found("from=2020-01-01&to=2020-01-31") == set()
    for wrong in ("least=many", "from=never", "state=LOST", "currency=EURO", "after=x"):
        assert manager.get(f"{_pages(console)}?{wrong}").status_code == 422
    assert "No payment fits" in manager.get(f"{_pages(console)}?connector=other").text


def test_who_may_not_move_money_looks_only(console: Console, manager: Browser) -> None:
    request = _new(console, "looked at")
    page = f"{_pages(console)}/{request}"
    analyst = console.as_role(UserRole.ANALYST)
    assert "What can be done" in manager.get(page).text
    assert "What can be done" not in analyst.get(page).text
    for verb in ("capture", "void", "refund", "operations/op/settle"):
        assert analyst.post(f"{page}/{verb}", {}).status_code == 403
    other = console.as_role(UserRole.MANAGER, console.other_id)
    elsewhere = page.replace(console.account_id, console.other_id)
    assert other.get(elsewhere).status_code == 404
    assert other.post(f"{elsewhere}/void", {}).status_code == 404
    empty = other.get(f"/a/{console.other_id}/payments").text
    assert "There are no payments yet" in empty
