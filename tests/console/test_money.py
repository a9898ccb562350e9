"""Money in the console: what an account has, its statement, and what operators may change."""

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin import accounts
from tests.console.harness import Browser, Console


def _path(console: Console, rest: str = "") -> str:
    return f"/a/{console.account_id}/money{rest}"


def _balance(console: Console) -> int:
    return accounts.get(console.session, console.account_id).state.balance


@pytest.fixture
def fay(console: Console) -> Browser:
    return console.as_role(UserRole.FINANCE)


def test_finance_sees_the_balance_the_prices_and_the_ledger(console: Console, fay: Browser) -> None:
    page = fay.get(_path(console)).text
    assert "$100.00" in page
    assert "PreCheck" in page
    assert "PRECHECK" not in page
    ledger = fay.get(_path(console, "/ledger")).text
    assert "Top-up" in ledger


def test_amounts_are_written_as_the_person_is_used_to(console: Console) -> None:
    page = console.as_role(UserRole.FINANCE, locale="de").get(_path(console)).text
    assert "100,00\N{NO-BREAK SPACE}$" in page


def test_a_statement_can_be_taken_along(console: Console, fay: Browser) -> None:
    assert "Closing balance" in fay.get(_path(console, "/statement")).text
    sheet = fay.get(_path(console, "/statement.csv"))
    assert sheet.headers["content-disposition"].startswith('attachment; filename="statement-')
    assert sheet.text.splitlines()[-1].endswith(",100.00")
    pdf = fay.get(_path(console, "/statement.pdf"))
    assert pdf.content.startswith(b"%PDF-")
    assert pdf.headers["content-type"] == "application/pdf"


@pytest.mark.parametrize("rest", ["/statement", "/statement.csv", "/statement.pdf"])
def test_a_month_that_is_none_is_refused(console: Console, fay: Browser, rest: str) -> None:
    answer = fay.get(_path(console, f"{rest}?month=2026-13"))
    assert answer.status_code in (400, 422)
    assert "Write it as 2026-01." in answer.text


def test_only_operators_move_money(console: Console, fay: Browser) -> None:
    before = _balance(console)
    assert "Correct the balance" not in fay.get(_path(console)).text
    for rest in ("/top-up", "/adjust", "/prices"):
        sent = {"amount": "5", "reason": "x", "PRECHECK": "0"}
        assert fay.post(_path(console, rest), sent).status_code == 403
    assert _balance(console) == before


def test_a_payment_counts_once_for_its_reference(console: Console) -> None:
    operator, before = console.as_role(UserRole.OPERATOR), _balance(console)
    form = {"amount": "250.00", "reference": "INV-2026-17"}
    assert operator.post(_path(console, "/top-up"), form).status_code == 303
    operator.post(_path(console, "/top-up"), form)
    assert "Nothing was added this time" in operator.get(_path(console)).text
    assert _balance(console) == before + 250_000_000
    operator.post(_path(console, "/adjust"), {"amount": "-250", "reason": "a test"})
    assert _balance(console) == before


@pytest.mark.parametrize("amount", ["", "-5", "1e9", "12,5", "0", "<b>"])
def test_an_amount_that_is_none_changes_nothing(console: Console, amount: str) -> None:
    operator, before = console.as_role(UserRole.OPERATOR), _balance(console)
    answer = operator.post(_path(console, "/top-up"), {"amount": amount})
    assert answer.status_code == 422
    assert "amount-problem" in answer.text
    assert _balance(console) == before


def test_prices_of_an_account_count_from_now_on(console: Console) -> None:
    operator = console.as_role(UserRole.OPERATOR)
    operator.post(_path(console, "/prices"), {"PRECHECK": "0.011"})
    assert "$0.011" in operator.get(_path(console)).text
    refused = operator.post(_path(console, "/prices"), {"PRECHECK": "free"})
    assert refused.status_code == 422
