"""Invoices in the console: closing a month, reading what was issued, and crediting it."""

import dataclasses
import re
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import msgspec

from gatehouse.access.roles import UserRole
from gatehouse.admin.invoices.types.invoice import BillingDetails, Party
from gatehouse.admin.invoices.use_cases import closing, parties
from tests.admin.invoices.test_closing import SELLER, STANDARD
from tests.console.harness import Console
from tests.harness import make_account

_LONG = "Gesellschaft für Nebelkerzen und Wasserspiele Nord " * 3


def _terms(console: Console) -> None:
    parties.set_seller(console.session, SELLER)
    buyer: Party = msgspec.structs.replace(STANDARD.buyer, name=_LONG.strip())
    terms = BillingDetails(buyer, STANDARD.tax, commitment="12.50")
    parties.set_billing_details(console.session, console.account_id, terms)


def test_a_month_is_closed_read_taken_along_and_credited(console: Console) -> None:
    _terms(console)
    made = datetime.fromtimestamp(console.session.clock() / 1000, UTC)
    month = f"{made:%Y-%m}"
    later_ms = console.session.clock() + 40 * 86_400_000
    console.session.clock = lambda: later_ms
    base = f"/a/{console.account_id}/invoices"
    operator = console.as_role(UserRole.OPERATOR, locale="de")
    assert f"{month} abschließen" in operator.get(base).text
    assert operator.post(f"{base}/close", {"month": month}).status_code == 303
    again = operator.post(f"{base}/close", {"month": month})
    assert f"{month} ist schon abgeschlossen." in again.text
    finance = console.as_role(UserRole.FINANCE)
    page = finance.get(base).text
    assert "INV-000001" in page
    assert "Close a month" not in page
    shown = finance.get(f"{base}/INV-000001").text
    assert "Minimum of the month" in shown
    assert "$14.88" in shown
    assert finance.get(f"{base}/INV-000001/pdf").content.startswith(b"%PDF")
    assert "COMMITMENT,1,12.5,12.5" in finance.get(f"{base}/INV-000001/csv").text
    assert finance.get(f"{base}/INV-000001/json").json()["total"]["amount"] == 14.88
    root = ET.fromstring(finance.get(f"{base}/INV-000001/ubl").content)
    assert root.tag.endswith("}Invoice")
    form = {"amount": "2,50", "reason": "agreed"}
    assert finance.post(f"{base}/INV-000001/credit", form).status_code == 403
    assert operator.post(f"{base}/INV-000001/credit", form).status_code == 303
    assert "CN-000001" in finance.get(base).text
    assert console.as_role(UserRole.ANALYST).get(base).status_code == 403
    other = console.as_role(UserRole.FINANCE, console.other_id)
    assert other.get(f"{base}/INV-000001").status_code == 404


def test_a_month_that_cannot_be_closed_says_why(console: Console) -> None:
    operator = console.as_role(UserRole.OPERATOR)
    base = f"/a/{console.account_id}/invoices"
    for month in ("2099-01", "nonsense"):
        assert operator.post(f"{base}/close", {"month": month}).status_code in (400, 409, 422)
    later = dataclasses.replace(console.session, clock=lambda: 4_000_000_000_000)
    assert closing.months_to_close(later, console.account_id)


def test_an_operator_enters_whom_invoices_are_for_and_others_read_it(console: Console) -> None:
    parties.set_seller(console.session, SELLER)
    account = make_account(console.session, "Shop")
    page = f"/a/{account}/invoices/details"
    finance = console.as_role(UserRole.FINANCE, account)
    operator = console.as_role(UserRole.OPERATOR)
    assert "Nobody has entered yet" in finance.get(page).text
    typed = {
        **{"name": "Corner Shop Ltd", "street": "High Street 2", "postal_code": "", "city": "Cork"},
        **{"country": "ie", "vat_id": "nonsense", "category": "AE", "rate": "0", "reason": ""},
        "commitment": "-1",
    }
    refused = operator.post(page, typed)
    assert refused.status_code == 422
    wrong = {name for name in typed if f'id="field-{name}-problem"' in refused.text}
    wrong |= {name for name in typed if f'id="{name}-problem"' in refused.text}
    assert wrong == {"country", "vat_id", "commitment"}
    assert 'value="High Street 2"' in refused.text
    typed |= {"country": "IE", "vat_id": "IE1234567T", "commitment": "1,250.50"}
    assert "needs its reason" in operator.post(page, typed).text
    typed["reason"] = "Reverse charge"
    assert finance.post(page, typed).status_code == 403
    assert operator.post(page, typed).status_code == 303
    kept = parties.get_billing_details(console.session, account)
    assert (kept.buyer.city, kept.buyer.postal_code, kept.commitment) == ("Cork", None, "1250.5")
    assert re.search(r'name="commitment"[^>]*value="1250\.50?"', operator.get(page).text)
    read = finance.get(page).text
    assert "IE1234567T" in read
    assert 'name="vat_id"' not in read
