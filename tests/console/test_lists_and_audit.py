"""Lists and the audit log in the console."""

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin import lists
from gatehouse.admin.lists import EntryPage
from gatehouse.rules.list_entries import ListKind
from tests.console.harness import Browser, Console


@pytest.fixture(scope="module")
def blocked(console: Console) -> str:
    """The path of a list of users."""
    lists.create(console.session, console.account_id, "blocked", ListKind.USERS, "not again")
    return f"/a/{console.account_id}/lists/blocked"


@pytest.fixture
def mo(console: Console) -> Browser:
    return console.as_role(UserRole.MANAGER, login="mo@shop.test")


def _values(console: Console) -> list[str]:
    page = EntryPage(console.session.clock())
    found = lists.entries(console.session, console.account_id, "blocked", page)
    return [entry.value for entry in found]


def test_entries_are_put_on_a_list_and_taken_off(
    console: Console, mo: Browser, blocked: str
) -> None:
    sent = {"values": "u-17\r\nu-18\r\n", "reason": "returned stolen goods", "days": "30"}
    assert mo.post(f"{blocked}/add", sent).status_code == 303
    page = mo.get(blocked).text
    assert "returned stolen goods" in page
    assert "No rule looks things up on this list" in page
    assert "user:mo@shop.test" in page
    mo.post(f"{blocked}/remove", {"value": "u-17"})
    assert _values(console) == ["u-18"]
    assert "u-17" in mo.get(f"{blocked}?gone=yes").text


def test_which_lists_hold_a_value(console: Console, mo: Browser, blocked: str) -> None:
    mo.post(f"{blocked}/add", {"values": "u-99"})
    path = f"/a/{console.account_id}/lists/find"
    assert "blocked" in mo.post(path, {"value": "u-99"}).text
    assert "No list holds it" in mo.post(path, {"value": "u-100"}).text


def test_a_file_goes_in_whole_or_not_at_all_and_comes_out_again(
    console: Console, mo: Browser, blocked: str
) -> None:
    before = _values(console)
    bad = {"file": ("more.csv", b"value,reason,expires\nu-200,ok,\nu-201,ok,never\n", "text/csv")}
    assert mo.post(f"{blocked}/import", files=bad).status_code == 422
    assert _values(console) == before
    mo.post(f"{blocked}/import", {"skip_bad": "yes"}, files=bad)
    assert "u-200" in _values(console)
    assert "u-200" in mo.get(f"{blocked}/export.csv").text


def test_a_list_is_taken_along_whole_however_it_is_read(
    console: Console, mo: Browser, blocked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mo.post(f"{blocked}/add", {"values": "u-300\nu-301\nu-302"})
    whole = mo.get(f"{blocked}/export.csv").text
    monkeypatch.setattr("gatehouse.console.lists._READ_AT_ONCE", 2)
    assert mo.get(f"{blocked}/export.csv").text == whole
    assert {"u-300,,", "u-301,,", "u-302,,"} <= {*whole.splitlines()}


def test_a_word_that_begins_like_a_formula_is_none_in_a_file_and_itself_when_it_comes_back(
    console: Console, mo: Browser
) -> None:
    lists.create(console.session, console.account_id, "words", ListKind.WORDS, None)
    path = f"/a/{console.account_id}/lists/words"
    mo.post(f"{path}/add", {"values": "=1+cmd", "reason": "@evil"})
    file = mo.get(f"{path}/export.csv").text
    assert "\r\n'=1+cmd,'@evil," in file
    mo.post(f"{path}/remove", {"value": "=1+cmd"})
    mo.post(f"{path}/import", files={"file": ("back.csv", file.encode(), "text/csv")})
    page = EntryPage(console.session.clock(), 10)
    [back] = lists.entries(console.session, console.account_id, "words", page)
    assert (back.value, back.reason) == ("=1+cmd", "@evil")


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>"])
def test_words_of_others_stay_words(mo: Browser, blocked: str, words: str) -> None:
    mo.post(f"{blocked}/add", {"values": words, "reason": words})
    page = mo.get(blocked).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_analysts_see_lists_and_change_none(console: Console, blocked: str) -> None:
    analyst = console.as_role(UserRole.ANALYST)
    page = analyst.get(blocked).text
    assert "Put on the list" not in page
    assert analyst.post(f"{blocked}/add", {"values": "u-1"}).status_code == 403
    assert "u-1" not in _values(console)


def test_the_audit_log_tells_who_did_what(console: Console, mo: Browser, blocked: str) -> None:
    mo.post(f"{blocked}/add", {"values": "u-300"})
    path = f"/a/{console.account_id}/audit"
    page = mo.get(f"{path}?actor=mo@shop&action=list.").text
    assert "user:mo@shop.test" in page
    assert "No such lines" in mo.get(f"{path}?actor=nobody").text
    assert mo.get(f"{path}?from=yesterday").status_code in (400, 422)
    assert console.as_role(UserRole.VIEWER).get(path).status_code == 403


def test_operators_read_the_log_of_all_and_verify_it(console: Console) -> None:
    operator = console.as_role(UserRole.OPERATOR)
    assert console.other_id in operator.get("/installation/audit").text
    assert "is whole" in operator.get("/installation/audit?verify=yes").text
