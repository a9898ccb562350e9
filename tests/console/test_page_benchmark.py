"""The benchmark of pages: its account adds up, it asks for every page, and it judges by the bar."""

import re
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from scripts.bench.beside_console import Beside, BesideRound, p99
from scripts.bench.console_browser import next_page, server_ms
from scripts.bench.console_home import opened, with_job
from scripts.bench.console_pages import Asked, Timed, every_page, forms, summary
from scripts.bench.console_people import walk
from scripts.bench.console_rows import Rows

from gatehouse.access.roles import UserRole
from gatehouse.admin.money.use_cases import money
from gatehouse.billing.ledger import charged_items
from gatehouse.console.pages import Page
from gatehouse.console.routes import DECLARED
from gatehouse.store.tables import ACCOUNTS
from tests.console.harness import Console

COUNT = 40


@pytest.fixture(scope="module")
def rows(console: Console) -> Rows:
    return Rows(console.session, console.account_id, COUNT, console.session.clock())


def _timed(name: str, median_ms: float, bar_ms: float = 300) -> Timed:
    return Timed(Asked(name, "/", bar_ms=bar_ms), 900, median_ms, 5)


def test_its_rows_are_what_a_server_would_have_left(console: Console, rows: Rows) -> None:
    file = console.desk.settings.home / "sandbox.db"
    rows.write(file, "wh_1")
    with console.session.database.writing() as connection:
        spent = ACCOUNTS.c.balance - rows.charged
        this = ACCOUNTS.c.id == console.account_id
        connection.execute(sa.update(ACCOUNTS).where(this).values(balance=spent))
    assert not money.verify_ledger(console.session).problems
    viewer = console.as_role(UserRole.VIEWER)
    page = viewer.get(f"/a/{console.account_id}/decisions").text
    assert rows.ids[-1] in page
    assert len(re.findall("<tr", page)) > COUNT
    declined = [n for n in range(COUNT) if rows.purchase(n).outcome == "DECLINE"]
    page = viewer.get(f"/a/{console.account_id}/decisions?decision=DECLINE").text
    assert {*re.findall(r"req_\w{26}", page)} == {rows.ids[n] for n in declined}


def test_what_a_request_cost_is_told_item_by_item(rows: Rows) -> None:
    assert rows.ids == sorted(rows.ids)
    for each in rows.purchases:
        assert sum(fee for _, fee in charged_items(each.items)) == each.fees


def test_it_asks_for_every_page_that_is_declared_of_what_its_account_has(tmp_path: Path) -> None:
    made = with_job(tmp_path, opened(tmp_path, 10 * COUNT))
    asked = [*every_page(made)]
    names = {each.name.partition(" ")[0] for each in asked}
    assert names == {each.name for each in DECLARED if isinstance(each, Page)}
    assert all("{" not in each.path for each in asked)
    # A page about something that the account has not would be measured by its refusal.
    of_nothing = {each.name for each in asked if "/none" in each.path}
    assert of_nothing == {"link"}
    assert {each.name for each in asked if each.by_operator} >= {"installation-accounts"}
    assert [each.bar_ms for each in forms(made)] == [300, 300, 2000]
    assert [each.name for each in walk(made)].count("preview") == 1


@pytest.mark.parametrize(("median_ms", "said"), [(300.0, "300 met"), (300.1, "300 NOT MET")])
def test_a_page_is_judged_by_its_median(median_ms: float, said: str) -> None:
    assert _timed("money", median_ms).line.replace("  ", " ").endswith(said)


def test_the_summary_names_what_is_nearest_to_its_bar() -> None:
    found = [_timed("money", 290), _timed("preview", 1100, 2000), _timed("keys", 9)]
    assert summary(found).startswith("3 of 3 meet their bars")
    assert "money, 290 ms" in summary(found)
    assert "2 of 3" in summary([*found[1:], _timed("money", 301)])


def test_times_are_those_that_the_console_says(console: Console) -> None:
    answer = console.as_role(UserRole.VIEWER).get(f"/a/{console.account_id}/decisions")
    assert re.fullmatch(r"total;dur=\d+\.\d", answer.headers["server-timing"])
    said = httpx.Response(200, headers={"server-timing": "total;dur=12.5"})
    assert server_ms(said) == 12.5


def test_strangers_are_not_told_how_long_something_took(console: Console) -> None:
    assert "server-timing" not in console.stranger().get("/sign-in").headers
    refused = console.stranger().post("/sign-in", {"login": "a@b.test", "password": "wrong"})
    assert "server-timing" not in refused.headers


def test_a_list_goes_on_where_it_says() -> None:
    page = httpx.Response(200, text='<a class="b" href="/a?x=1&amp;after=2" rel="next">Older</a>')
    assert next_page(page) == "/a?x=1&after=2"
    assert next_page(httpx.Response(200, text="")) is None


def _rounds(*p99s_ms: float) -> list[BesideRound]:
    return [BesideRound(1, each, 0.5, 0.2) for each in p99s_ms]


@pytest.mark.parametrize(("slowest", "said"), [(12.0, "1.2 met"), (12.1, "1.2 NOT MET")])
def test_payments_beside_people_are_judged_by_the_median_of_their_rounds(
    slowest: float, said: str
) -> None:
    found = Beside(_rounds(10, 90, 10), _rounds(slowest, 1, 200))
    assert (p99(found.without), p99(found.beside)) == (10, slowest)
    assert found.line.endswith(said)
