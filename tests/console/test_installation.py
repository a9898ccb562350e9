"""What operators do in the console for the whole installation: accounts and connectors."""

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.connectors.use_cases import connectors
from tests.console.harness import Browser, Console
from tests.console.wrong_numbers import WRONG_NUMBERS

_CONFIGURATION = """\
connectors:
  play:
    kind: sandbox
routes:
  precheck:
    - use: [play]
"""


@pytest.fixture
def oda(console: Console) -> Browser:
    return console.as_role(UserRole.OPERATOR)


def test_an_operator_makes_renames_closes_and_reopens_an_account(
    console: Console, oda: Browser
) -> None:
    sent = {"name": "Night Market", "currency": "eur", "opening": "12.50"}
    assert oda.post("/installation/accounts/new", sent).status_code == 303
    [made] = [a for a in accounts.listing(console.session) if a.account.name == "Night Market"]
    assert (made.account.currency, made.state.balance) == ("EUR", 12_500_000)
    one = f"/installation/accounts/{made.account.account_id}"
    oda.post(f"{one}/rename", {"name": "Day Market"})
    oda.post(f"{one}/close", {"reason": "the contract ended"})
    page = oda.get("/installation/accounts?q=day").text
    assert "Day Market" in page
    assert "the contract ended" in page
    oda.post(f"{one}/reopen", {"reason": "it goes on"})
    again = accounts.get(console.session, made.account.account_id)
    assert again.account.closed_at_ms is None


def test_an_opening_balance_is_read_in_the_language_of_the_operator(console: Console) -> None:
    german = console.as_role(UserRole.OPERATOR, locale="de")
    sent = {"name": "Nachtmarkt", "currency": "EUR", "opening": "12.50"}
    refused = german.post("/installation/accounts/new", sent)
    assert "Schreiben Sie 12,50: " in refused.text
    german.post("/installation/accounts/new", {**sent, "opening": "1.000"})
    [made] = [a for a in accounts.listing(console.session) if a.account.name == "Nachtmarkt"]
    assert made.state.balance == 1_000_000_000


def test_an_account_without_a_currency_is_not_made(console: Console, oda: Browser) -> None:
    before = len(accounts.listing(console.session))
    answer = oda.post("/installation/accounts/new", {"name": "X", "currency": "money"})
    assert answer.status_code == 422
    assert "currency-problem" in answer.text
    assert len(accounts.listing(console.session)) == before


def test_connectors_are_changed_with_all_problems_told_first(
    console: Console, oda: Browser
) -> None:
    assert "No server reports" in oda.get("/installation/connectors").text
    wrong = oda.post("/installation/connectors/edit", {"document": "connectors: 7\nroutes: no\n"})
    assert wrong.status_code == 422
    assert "connectors: 7" in wrong.text
    assert connectors.find(console.session) is None
    long = {"document": _CONFIGURATION, "base": "0", "note": "x" * 201}
    assert oda.post("/installation/connectors/edit", long).status_code == 422
    assert connectors.find(console.session) is None
    sent = {"document": _CONFIGURATION, "base": "0", "note": "the first"}
    done = oda.post("/installation/connectors/edit", sent)
    assert done.status_code == 303, done.text
    page = oda.get("/installation/connectors").text
    assert "the first" in page
    second = _CONFIGURATION.replace("play", "other")
    oda.post("/installation/connectors/edit", {"document": second, "base": "1"})
    late = oda.post("/installation/connectors/edit", {"document": _CONFIGURATION, "base": "1"})
    assert late.status_code == 409
    oda.post("/installation/connectors/rollback", {"to": "1", "base": "2"})
    assert connectors.get(console.session).version == 1


def test_a_secret_that_was_not_released_at_a_terminal_is_not_named_in_the_console(
    console: Console, oda: Browser
) -> None:
    before = connectors.find(console.session)
    party = "{kind: http, mapping: gatehouse, base_url: 'https://oda.example', secrets: {token: X}}"
    for source in ("env:HOME", "env:GATEHOUSE_SECRET_KEY", "file:/etc/hostname"):
        document = f"connectors: {{p: {party}}}\nroutes: {{precheck: [{{use: [p]}}]}}\n"
        sent = {"document": document.replace("X", f'"{source}"')}
        refused = oda.post("/installation/connectors/edit", sent)
        assert refused.status_code == 422
        assert ("not released" in refused.text) == ("GATEHOUSE" not in source)
    assert connectors.find(console.session) == before


@pytest.mark.parametrize("number", WRONG_NUMBERS)
def test_a_base_of_connectors_that_is_no_version_changes_nothing(
    console: Console, oda: Browser, number: str
) -> None:
    before = connectors.find(console.session)
    assert oda.get(f"/installation/connectors/edit?version={number}").status_code == 200
    sent = {"document": _CONFIGURATION.replace("play", "late"), "base": number}
    assert oda.post("/installation/connectors/edit", sent).status_code == 422
    assert connectors.find(console.session) == before


@pytest.mark.parametrize("path", ["/installation/accounts", "/installation/connectors"])
def test_the_installation_is_hidden_from_everybody_else(console: Console, path: str) -> None:
    browser = console.as_role(UserRole.ADMINISTRATOR)
    assert browser.get(path).status_code in (403, 404)
    assert path not in browser.get(f"/a/{console.account_id}/keys").text
