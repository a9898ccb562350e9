"""Who looks after the money of all accounts: everything about money, and nothing else."""

import csv
import io

from gatehouse.access.roles import UserRole
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.invoices.use_cases import invoices
from gatehouse.admin.money.use_cases import money
from tests.console.harness import Browser, Console
from tests.console.invoiced import keep_invoice
from tests.harness import make_account

PAGE = "/installation/money"


def _row(browser: Browser, account_id: str) -> dict[str, str]:
    rows = csv.DictReader(io.StringIO(browser.get(f"{PAGE}.csv").text))
    return next(row for row in rows if row["accountId"] == account_id)


def test_billing_sees_the_money_of_every_account_and_nothing_else(console: Console) -> None:
    bea = console.as_role(UserRole.BILLING)
    for account_id in (console.account_id, console.other_id):
        here = f"/a/{account_id}"
        for page in ("money", "money/usage", "money/statement", "money/ledger", "invoices"):
            assert bea.get(f"{here}/{page}").status_code == 200, page
        for page in ("", "decisions", "reviews", "rules", "keys", "people", "programmes", "audit"):
            assert bea.get(f"{here}/{page}").status_code == 403, page
        for form in ("top-up", "prices", "credit"):
            sent = {"amount": "5", "limit": "5", "PRECHECK": "0"}
            assert bea.post(f"{here}/money/{form}", sent).status_code == 403, form
    assert bea.get("/a/acct_nowhere/money").status_code == 404
    for page in ("accounts", "people", "connectors", "audit"):
        assert bea.get(f"/installation/{page}").status_code == 403, page
    shown = bea.get("/").headers["location"]
    assert f'href="/a/{console.other_id}/money"' in bea.get(shown).text
    page = bea.get(PAGE).text
    assert "Corner Shop" in page
    assert "Other Shop" in page
    assert "/installation/people" not in page
    found = bea.get(f"{PAGE}?q=corner").text
    assert f"{console.account_id}</small>" in found
    assert f"{console.other_id}</small>" not in found
    for role in (UserRole.FINANCE, UserRole.ADMINISTRATOR):
        assert console.as_role(role).get(PAGE).status_code == 403
    assert console.as_role(UserRole.OPERATOR).get(PAGE).status_code == 200


def test_billing_credits_and_corrects_and_sees_what_is_open(console: Console) -> None:
    account_id = make_account(console.session, "=Invoiced", micros=5_000_000)
    bea, here = console.as_role(UserRole.BILLING), f"/a/{account_id}"
    keep_invoice(console.session, account_id)
    [made] = invoices.list_invoices(console.session, account_id).invoices
    row = _row(bea, account_id)
    assert (row["accountName"], row["invoiced"], row["open"]) == ("'=Invoiced", "5.95", "5.95")
    form = {"amount": "1", "reason": "agreed"}
    assert bea.post(f"{here}/invoices/{made.number}/credit", form).status_code == 303
    assert _row(bea, account_id)["open"] == "4.76"
    money.top_up(console.session, account_id, 4_000_000, "", made.number)
    row = _row(bea, account_id)
    assert (row["invoiced"], row["open"], row["balance"]) == ("4.76", "0", "5")
    before = money.get_balance(console.session, account_id).balance.micros
    assert bea.post(f"{here}/money/adjust", {"amount": "-1", "reason": "x"}).status_code == 303
    after = money.get_balance(console.session, account_id).balance.micros
    assert after == before - 1_000_000


def test_two_pairs_of_eyes_hold_for_billing_too(console: Console) -> None:
    account_id = make_account(console.session, "Careful", micros=5_000_000)
    approvals.set_wanted(console.session, account_id, ("adjustments",))
    bea = console.as_role(UserRole.BILLING)
    sent = bea.post(f"/a/{account_id}/money/adjust", {"amount": "-1", "reason": "x"})
    assert sent.headers["location"] == f"/a/{account_id}/money"
    [proposed] = proposals.listing(console.session, account_id)
    assert proposed.proposer == str(bea.visitor and bea.visitor.actor(account_id))
    assert money.get_balance(console.session, account_id).balance.micros == 5_000_000
