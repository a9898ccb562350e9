"""Money in the console: what an account has, its statement, and what operators may change."""

import re
import zlib

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.money.use_cases import money
from gatehouse.console.words.formats import Formats
from gatehouse.console.words.translation import read_locale
from gatehouse.core.clock import parse_time
from tests.console.harness import Browser, Console
from tests.harness import make_account


def _path(console: Console, rest: str = "") -> str:
    return f"/a/{console.account_id}/money{rest}"


def _balance(console: Console) -> int:
    return accounts.get(console.session, console.account_id).state.balance


def _notice(page: str) -> str:
    found = re.search(r'class="notice done"[^>]*>(.*?)</', page, re.DOTALL)
    assert found is not None
    return found[1]


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


def _texts(pdf: bytes) -> str:
    """What the pages of a file say, without what lies between the lines of a cell."""
    pages = [zlib.decompress(each) for each in re.findall(rb"stream\n(.*?)\nendstream", pdf, re.S)]
    found = re.findall(rb"\(((?:\\.|[^()\\])*)\) Tj", b"".join(pages))
    return b"".join(found).decode("cp1252")


def test_a_printed_statement_cuts_nothing_and_has_references_and_notes(
    console: Console, fay: Browser
) -> None:
    account_id = make_account(console.session, "Shop with a long name " * 5)
    reference = "INV-" + "0123456789WM" * 10
    note = "500 \N{EURO SIGN} \N{EN DASH} asked by Ms M\xfcller, who will send the rest later on."
    for number in range(30):
        money.top_up(console.session, account_id, 1_000_000, note, f"{reference}{number:03}")
    money.adjust(console.session, account_id, 5, "a reason of its own")
    browser = console.as_role(UserRole.FINANCE, account_id)
    said = _texts(browser.get(f"/a/{account_id}/money/statement.pdf").content)
    assert ("Shop with a long name " * 5).replace(" ", "") in said.replace(" ", "")
    for number in range(30):
        assert f"{reference}{number:03}" in said
    assert said.replace(" ", "").count(note.replace(" ", "")) == 30
    assert "a reason of its own" in said
    page = browser.get(f"/a/{account_id}/money").text
    assert f"{reference}029" in page
    assert "asked by Ms" in page


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


def test_an_operator_sets_a_credit_limit_and_takes_it_away(console: Console, fay: Browser) -> None:
    operator = console.as_role(UserRole.OPERATOR)
    page = _path(console)
    assert fay.post(_path(console, "/credit"), {"limit": "5"}).status_code == 403
    for wrong in ("-1", "much"):
        assert operator.post(_path(console, "/credit"), {"limit": wrong}).status_code == 422
    assert operator.post(_path(console, "/credit"), {"limit": "1,500.50"}).status_code == 303
    found = money.get_balance(console.session, console.account_id)
    assert found.credit_limit is not None
    assert found.credit_limit.micros == 1_500_500_000
    assert "$1,500.50" in fay.get(page).text
    operator.post(_path(console, "/credit"), {"limit": ""})
    assert money.get_balance(console.session, console.account_id).credit_limit is None
    assert "Credit limit" not in fay.get(page).text


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


@pytest.mark.parametrize(
    ("locale", "typed", "micros"),
    [
        ("en", "1,000", 1_000_000_000),
        ("en", "12.50", 12_500_000),
        ("de", "1.000", 1_000_000_000),
        ("de", "1.234,50", 1_234_500_000),
        ("de", "12,50", 12_500_000),
        ("de-CH", "1’234.50", 1_234_500_000),
    ],
)
def test_an_amount_is_read_as_the_person_writes_it_and_named_afterwards(
    console: Console, locale: str, typed: str, micros: int
) -> None:
    operator, before = console.as_role(UserRole.OPERATOR, locale=locale), _balance(console)
    assert operator.post(_path(console, "/top-up"), {"amount": typed}).status_code == 303
    assert _balance(console) == before + micros
    formats = Formats(read_locale(locale), "UTC")
    assert formats.money(micros, "USD") in _notice(operator.get(_path(console)).text)
    operator.post(_path(console, "/adjust"), {"amount": f"-{typed}", "reason": "a test"})
    assert _balance(console) == before
    assert formats.money(-micros, "USD") in _notice(operator.get(_path(console)).text)


def test_the_last_moment_that_can_be_kept_is_shown_in_every_zone() -> None:
    last_ms = parse_time("9999-12-31T23:59:59.999Z")
    for zone in ("UTC", "Pacific/Kiritimati", "America/Lima"):
        assert "9999" in Formats(read_locale("en"), zone).time(last_ms)


@pytest.mark.parametrize(
    ("locale", "typed", "said"),
    [
        ("en", "12,50", "Write 12.50: decimals stand behind “.”."),
        ("en", "1.000", "This can mean 1000 or 1. Write one of these."),
        ("en", "1,00,0", "Write an amount such as 1,234.50, with at most six decimals."),
        ("de", "12.50", "Schreiben Sie 12,50: Nachkommastellen stehen hinter „,“."),
        ("de", "1,000", "Das kann 1000 oder 1 bedeuten. Schreiben Sie eines davon."),
        ("de", "viel", "Schreiben Sie einen Betrag wie 1.234,50, mit höchstens sechs"),
        ("de", "1.000.000.001", "Schreiben Sie einen Betrag von höchstens 1.000.000.000."),
    ],
)
def test_an_amount_that_could_be_another_is_refused_with_an_example(
    console: Console, locale: str, typed: str, said: str
) -> None:
    operator, before = console.as_role(UserRole.OPERATOR, locale=locale), _balance(console)
    answer = operator.post(_path(console, "/top-up"), {"amount": typed})
    assert answer.status_code == 422
    assert said in answer.text
    assert f'value="{typed}"' in answer.text
    assert _balance(console) == before


def test_a_german_reads_and_types_german_prices(console: Console) -> None:
    operator = console.as_role(UserRole.OPERATOR, locale="de")
    assert "zum Beispiel 1.234,50." in operator.get(_path(console)).text
    sent = {"PRECHECK": "0,0125", "SENTRY": "0.02", "RULES": "nichts"}
    refused = operator.post(_path(console, "/prices"), sent).text
    assert 'id="SENTRY-problem"' in refused
    assert 'id="RULES-problem"' in refused
    assert 'id="PRECHECK-problem"' not in refused
    assert 'value="0,0125"' in refused
    operator.post(_path(console, "/prices"), {"PRECHECK": "0,0125"})
    assert 'value="0,0125"' in operator.get(_path(console)).text
    assert accounts.get(console.session, console.account_id).account.fees["PRECHECK"] == 12_500


def test_prices_of_an_account_count_from_now_on(console: Console) -> None:
    operator = console.as_role(UserRole.OPERATOR)
    operator.post(_path(console, "/prices"), {"PRECHECK": "0.011"})
    assert "$0.011" in operator.get(_path(console)).text
    refused = operator.post(_path(console, "/prices"), {"PRECHECK": "free"})
    assert refused.status_code == 422


def test_only_a_changed_price_becomes_an_account_s_own_and_an_empty_one_ends_that(
    console: Console,
) -> None:
    operator = console.as_role(UserRole.OPERATOR)
    for own in ({"PRECHECK": 11_000}, {}):
        sent = {"PRECHECK": "0.011" if own else "", "SENTRY": "0.02", "RULES": "0.01"}
        operator.post(_path(console, "/prices"), sent)
        assert accounts.get(console.session, console.account_id).account.fees == own


def test_a_long_reason_is_kept_whole_or_refused(console: Console) -> None:
    operator = console.as_role(UserRole.OPERATOR)
    reason = "a wrong top-up, " * 20
    operator.post(_path(console, "/adjust"), {"amount": "-1", "reason": reason})
    [newest] = money.latest_movements(console.session, console.account_id, 1)
    assert reason.strip() in str(newest)
    answer = operator.post(_path(console, "/adjust"), {"amount": "-1", "reason": "x" * 501})
    assert answer.status_code == 422
