"""The commands that finance people use, as they see them."""

import csv
import io

import pytest

from gatehouse.cli.app import app
from gatehouse.cli.output import table
from gatehouse.core.errors import InvalidInput
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import make_account
from tests.harness.invoking import as_data, invoke, printed

COLUMNS = ("date", "item", "reference", "note", "amount")


@pytest.fixture
def funded(session: AdminSession) -> str:
    """An account with two payments and a correction, whose notes came from outside."""
    account = make_account(session, "=Shop")
    paid = ("balance", "top-up", account)
    printed(app, *paid, "1250.5", "--reference", "INV-7", "--note", "=HYPERLINK(0)")
    printed(app, *paid, "20", "--reference", "+49 transfer", "--note", 'a "b", c')
    printed(app, "balance", "adjust", account, "-0.0025", "--reason", "@home")
    return account


def _csv(*arguments: str) -> list[dict[str, str]]:
    # As bytes: what is read as text has other ends of lines.
    text = invoke(app, *arguments, "--format", "csv").stdout_bytes.decode()
    assert text.endswith("\r\n")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_a_statement_for_a_spreadsheet_has_plain_decimals_and_no_formulas(funded: str) -> None:
    rows = _csv("statement", funded)
    assert {row["accountName"] for row in rows} == {"'=Shop"}
    today = rows[1]["date"]
    assert [tuple(row[name] for name in COLUMNS) for row in rows] == [
        (f"{today[:7]}-01", "opening balance", "", "", "0.0000"),
        (today, "top-up", "INV-7", "'=HYPERLINK(0)", "1250.5000"),
        (today, "top-up", "'+49 transfer", 'a "b", c', "20.0000"),
        (today, "adjustment", "", "'@home", "-0.0025"),
        ("", "requests not charged", "", "", "0.0000"),
        (today, "closing balance", "", "", "1270.4975"),
    ]


def test_a_statement_for_people_stands_on_the_right_with_separators(funded: str) -> None:
    lines = printed(app, "statement", "--account", funded).splitlines()
    assert "UTC; not over yet, as of" in lines[1]
    amounts = [line.rpartition("  ")[2] for line in lines[3:]]
    assert amounts[0] == "AMOUNT"
    assert amounts[2] == "1,250.5000"
    assert amounts[-1] == "1,270.4975"
    assert len({len(line) for line in lines[3:]}) == 1


def test_all_accounts_are_one_after_the_other(session: AdminSession, funded: str) -> None:
    other = make_account(session, "Yen", "JPY", 5_000_000)
    ids = [row["accountId"] for row in _csv("statement", "--all")]
    assert list(dict.fromkeys(ids)) == [funded, other]
    found = as_data(app, "statement", "--all")
    assert [one["closingBalance"] for one in found] == [
        {"currency": "USD", "amount": 1270.4975},
        {"currency": "JPY", "amount": 5},
    ]
    assert printed(app, "statement", "--all").endswith("          5\n")


def test_the_ledger_runs_through_the_balances_page_by_page(funded: str) -> None:
    first = as_data(app, "ledger", "show", funded, "--limit", "2")
    rest = as_data(app, "ledger", "show", "--account", funded, "--after", first["next"])
    lines = first["entries"] + rest["entries"]
    assert rest["next"] is None
    assert [line["balance"]["amount"] for line in lines] == [1270.4975, 1270.5, 1250.5]
    assert [line["reference"] for line in lines] == [None, "+49 transfer", "INV-7"]
    rows = _csv("ledger", "show", funded, "--kind", "top_up", "--oldest-first")
    assert [(row["reference"], row["balance"]) for row in rows] == [
        ("INV-7", "1250.50"),
        ("'+49 transfer", "1270.50"),
    ]
    assert "1,250.50" in printed(app, "ledger", "show", funded)
    assert printed(app, "ledger", "show", funded, "--kind", "EXPIRE") == "no entries\n"


def test_an_account_of_the_environment_is_only_a_default(
    funded: str, session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEHOUSE_ACCOUNT", make_account(session))
    assert as_data(app, "statement", funded)["accountId"] == funded
    assert len(as_data(app, "statement", "--all")) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("statement", "acct_1", "--account", "acct_2"), "two accounts"),
        (("statement", "--all", "--account", "acct_2"), "not both"),
        (("statement", "--month", "2026-13"), "--month is written YYYY-MM"),
        (("statement", "--from", "2026-10-01", "--to", "2026-10-01"), "--to must be after"),
        (("ledger", "show", "--to", "2026-10-01"), "--from"),
        (("accounts", "close", "--reason", "x"), "--account"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    session: AdminSession, arguments: tuple[str, ...], said: str
) -> None:
    make_account(session)
    with pytest.raises(InvalidInput, match=said):
        printed(app, *arguments)


def test_a_closed_account_is_listed_as_such(funded: str) -> None:
    done = printed(app, "accounts", "close", "--account", funded, "--reason", "left us")
    assert "1,270.4975 USD are left on it" in done
    assert f"balance adjust {funded} -1270.4975" in done
    assert as_data(app, "accounts", "list")[0]["state"] == "closed"
    assert "closed" in printed(app, "accounts", "list")
    printed(app, "accounts", "reopen", "--account", funded, "--reason", "came back")
    renamed = printed(app, "accounts", "rename", "Shop", "--account", funded)
    assert renamed == f"{funded} is called Shop\n"
    assert "left" not in printed(app, "accounts", "list")


def test_columns_stay_aligned_under_letters_that_take_two_places() -> None:
    rows = [("\u5546\u5e97", "1.00"), ("Cafe\u0301", "20.00"), ("Shop", "3.00")]
    wide, accented, plain = table(("NAME", "AMOUNT"), rows, {"AMOUNT"}).splitlines()[1:]
    assert wide == "\u5546\u5e97    1.00"
    assert accented == "Cafe\u0301   20.00"
    assert plain == "Shop    3.00"
