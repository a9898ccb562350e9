"""Lists and the audit log in the console."""

import csv
import gzip
import io
import json
import re

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import EntryPage
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin import audit
from tests.console.harness import Browser, Console
from tests.console.wrong_numbers import WRONG_NUMBERS


@pytest.fixture(scope="module")
def blocked(console: Console) -> str:
    """The path of a list of users."""
    lists.create(
        console.session, console.account_id, NewList("blocked", ListKind.USERS, "not again")
    )
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
    assert "No rule uses this list" in page
    assert "user:mo@shop.test" in page
    mo.post(f"{blocked}/remove", {"value": "u-17"})
    assert _values(console) == ["u-18"]
    assert "u-17" in mo.get(f"{blocked}?gone=yes").text


@pytest.mark.parametrize("days", [*WRONG_NUMBERS, "0", "3651"])
def test_entries_end_within_ten_years_however_the_days_are_written(
    console: Console, mo: Browser, blocked: str, days: str
) -> None:
    answer = mo.post(f"{blocked}/add", {"values": "u-forever", "days": days})
    assert answer.status_code == 422
    assert "days-problem" in answer.text
    assert "u-forever" not in _values(console)


@pytest.mark.parametrize("number", WRONG_NUMBERS)
def test_a_page_after_no_number_is_the_first_one(mo: Browser, blocked: str, number: str) -> None:
    account = blocked.partition("/lists")[0]
    assert mo.get(f"{blocked}?after={number}.u-18").status_code == 200
    assert mo.get(f"{account}/audit?before={number}").status_code == 200


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
    assert "u-200" in mo.post(f"{blocked}/export").text


def test_a_small_file_that_unpacks_to_millions_of_lines_is_refused(
    mo: Browser, blocked: str
) -> None:
    bomb = {"file": ("bomb.csv.gz", gzip.compress(b"\n" * 6_000_000), "application/gzip")}
    answer = mo.post(f"{blocked}/import", {"skip_bad": "yes"}, files=bomb)
    assert answer.status_code == 422
    assert "The file has more than 250000 lines or 16 MB, unpacked" in answer.text


def test_a_list_is_taken_along_whole_however_it_is_read(
    console: Console, mo: Browser, blocked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mo.post(f"{blocked}/add", {"values": "u-300\nu-301\nu-302"})
    whole = mo.post(f"{blocked}/export").text
    monkeypatch.setattr("gatehouse.admin.lists.use_cases.lists._READ_AT_ONCE", 2)
    assert mo.post(f"{blocked}/export").text == whole
    assert {"u-300,,", "u-301,,", "u-302,,"} <= {*whole.splitlines()}


def test_a_list_is_taken_along_with_an_audit_line(console: Console, blocked: str) -> None:
    analyst = console.as_role(UserRole.ANALYST, login="ann@shop.test")
    assert f'action="{blocked}/export"' in analyst.get(blocked).text
    assert analyst.get(f"{blocked}/export").status_code == 404
    assert analyst.post(f"{blocked}/export").status_code == 200
    line = _last_line(console)
    assert (line.action, line.actor) == ("list.export", "user:ann@shop.test")
    assert line.details == {"list": "blocked"}
    viewer = console.as_role(UserRole.VIEWER)
    assert f'action="{blocked}/export"' not in viewer.get(blocked).text
    assert viewer.post(f"{blocked}/export").status_code == 403
    nowhere = f"/a/{console.account_id}/lists/nowhere/export"
    assert analyst.post(nowhere).status_code == 404
    assert _last_line(console) == line


def _last_line(console: Console) -> audit.AuditLine:
    with console.session.reading() as connection:
        return audit.read(connection, None, 1000)[-1]


MASKED = (
    (ListKind.USERS, "customer-4711", "cu…11"),
    (ListKind.DEVICES, "phone-of-jane", "ph…ne"),
    (ListKind.NETWORKS, "203.0.113.77", "203.0.•.•"),
    (ListKind.NETWORKS, "2001:db8:1::77", "2001:db8:…"),
)
WHOLE = (
    (ListKind.NETWORKS, "198.51.100.0/24"),
    (ListKind.COUNTRIES, "GB"),
    (ListKind.BINS, "424242"),
    (ListKind.WORDS, "casino"),
)


@pytest.mark.parametrize("role", [UserRole.VIEWER, UserRole.FINANCE])
def test_who_may_not_reveal_sees_no_person_on_a_list(
    console: Console, mo: Browser, role: UserRole
) -> None:
    base, reader = f"/a/{console.account_id}/lists", console.as_role(role)
    for kind in ListKind:
        mo.post(f"{base}/new", {"name": f"some-{kind}", "kind": kind})
    for kind, value, masked in MASKED:
        path = f"{base}/some-{kind}"
        mo.post(f"{path}/add", {"values": value})
        for person, shown, hidden in ((mo, value, masked), (reader, masked, value)):
            pages = person.get(path).text, person.post(f"{base}/find", {"value": value}).text
            for page in pages:
                assert f"<bdi>{shown}</bdi>" in page
                assert hidden not in page
    for kind, value in WHOLE:
        path = f"{base}/some-{kind}"
        mo.post(f"{path}/add", {"values": value})
        assert f"<bdi>{value}</bdi>" in reader.get(path).text


def test_the_pages_of_a_list_have_addresses_that_say_nothing_of_its_entries(
    console: Console, mo: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatehouse.admin.lists.pages.lists._ON_A_PAGE", 2)
    values = [f"buyer.{number}" for number in range(5)]
    paths = [f"/a/{console.account_id}/lists/{name}" for name in ("paged", "paged-too")]
    for path in paths:
        lists.create(
            console.session, console.account_id, NewList(path.split("/")[-1], ListKind.USERS)
        )
        mo.post(f"{path}/add", {"values": "\n".join(values)})
    shown, path = [], paths[0]
    while path:
        assert "buyer" not in path
        page = mo.get(path).text
        shown.append(re.findall(r'<th scope="row"[^>]*><bdi>([^<]+)</bdi>', page))
        [path] = re.findall(r'href="([^"]+)" rel="next"', page) or [""]
    assert shown == [values[:2], values[2:4], values[4:]]
    first = mo.get(paths[0]).text
    [cursor] = re.findall(r'\?after=([^"]+)" rel="next"', first)
    assert values[0] not in mo.get(f"{paths[0]}?after={cursor}").text
    assert values[0] in mo.get(f"{paths[1]}?after={cursor}").text
    for wrong in ("1.buyer.3", "x" * 5000, cursor[:-2], "%C3%A9"):
        assert values[0] in mo.get(f"{paths[0]}?after={wrong}").text


def test_a_word_that_begins_like_a_formula_is_none_in_a_file_and_itself_when_it_comes_back(
    console: Console, mo: Browser
) -> None:
    lists.create(console.session, console.account_id, NewList("words", ListKind.WORDS))
    path = f"/a/{console.account_id}/lists/words"
    mo.post(f"{path}/add", {"values": "=1+cmd", "reason": "@evil"})
    file = mo.post(f"{path}/export").text
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


def test_viewers_see_lists_and_change_none(console: Console, blocked: str) -> None:
    viewer = console.as_role(UserRole.VIEWER)
    page = viewer.get(blocked).text
    assert "Put on the list" not in page
    assert viewer.post(f"{blocked}/add", {"values": "u-1"}).status_code == 403
    assert "u-1" not in _values(console)


def test_the_audit_log_tells_who_did_what(console: Console, mo: Browser, blocked: str) -> None:
    mo.post(f"{blocked}/add", {"values": "u-300"})
    path = f"/a/{console.account_id}/audit"
    page = mo.get(f"{path}?actor=mo@shop&action=list.").text
    assert "user:mo@shop.test" in page
    assert '<span class="muted">added</span> <bdi>1</bdi>' in page
    assert "No such lines" in mo.get(f"{path}?actor=nobody").text
    assert mo.get(f"{path}?from=yesterday").status_code in (400, 422)
    assert console.as_role(UserRole.VIEWER).get(path).status_code == 403


def test_the_audit_log_is_taken_along_and_says_so(
    console: Console, mo: Browser, blocked: str
) -> None:
    with console.session.change() as change:
        change.audit("list.made", console.account_id, name="=HYPERLINK(1)")
    path = f"/a/{console.account_id}/audit/export"
    rows = [*csv.reader(io.StringIO(mo.post(path, {"action": "list.made"}).text))]
    assert rows[0] == ["line", "at", "by", "action", "accountId", "details"]
    assert [row[3] for row in rows[1:]] == ["list.made"]
    lines = [json.loads(each) for each in mo.post(path, {"format": "jsonl"}).text.splitlines()]
    assert lines[0]["action"] == lines[1]["action"] == "audit.export"
    assert {each["accountId"] for each in lines} == {console.account_id}
    assert console.as_role(UserRole.ANALYST).post(path).status_code == 403
    everything = console.as_role(UserRole.OPERATOR).post("/installation/audit/export").text
    assert console.other_id in everything


def test_operators_read_the_log_of_all_and_verify_it(console: Console) -> None:
    operator = console.as_role(UserRole.OPERATOR)
    assert console.other_id in operator.get("/installation/audit").text
    assert "is whole" in operator.get("/installation/audit?verify=yes").text
