"""The overview of an account: figures of a span, and what needs attention."""

import json
from html import unescape
from typing import Any

import msgspec
import pytest

from gatehouse.access.roles import Permission, UserRole
from gatehouse.admin.figures.use_cases.overview import FiguresNotReady, Overview, overview
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.figures.overview import OutcomeCounts
from gatehouse.store.feedback.statements import FeedbackStatement
from tests.admin.recorded import Recorder
from tests.console.harness import Console
from tests.console.test_decision import to_review
from tests.harness import make_account
from tests.store.deciding import label


def test_the_overview_counts_what_was_decided(console: Console) -> None:
    shop = Recorder(console.session, console.account_id)
    shop.keep(amount=20.0, decision=Outcome.ACCEPT)
    shop.keep(amount=90.0, decision=Outcome.DECLINE)
    to_review(console, shop)
    console.desk.columns.catch_up(console.account_id)
    page = console.as_role(UserRole.ADMINISTRATOR).get(f"/a/{console.account_id}/?span=365d").text
    assert "Decisions over time" in page
    assert "Reviews have waited longer than the target." in page
    assert "$100.00" in page
    assert "Answered by the sandbox" not in page
    service = console.as_role(UserRole.OPERATOR).get(f"/a/{console.account_id}/service?span=365d")
    assert "Answered by the sandbox" in service.text
    assert "p95" in service.text
    administrator = console.as_role(UserRole.ADMINISTRATOR)
    assert administrator.get(f"/a/{console.account_id}/service").status_code == 403
    money, data, *_ = _plots(page)
    assert sum(money["series"][0]["values"]) == 20
    assert money["axis"] == "Worth of orders in USD"
    assert data["stacked"]
    assert len(data["labels"]) == len(data["firsts"]) == len(data["series"][0]["values"])
    assert data["firsts"][0] <= data["lasts"][0] < data["lasts"][-1]


def test_a_viewer_does_not_see_the_balance(console: Console) -> None:
    page = console.as_role(UserRole.VIEWER).get(f"/a/{console.account_id}/").text
    assert "Overview" in page
    assert "$100.00" not in page


@pytest.mark.parametrize("role", [role for role in UserRole if role is not UserRole.BILLING])
def test_fees_by_operation_are_for_who_may_see_money(console: Console, role: UserRole) -> None:
    shop = Recorder(console.session, console.account_id)
    shop.keep(decision=Outcome.ACCEPT)
    console.desk.columns.catch_up(console.account_id)
    browser = console.as_role(role)
    assert browser.visitor is not None
    page = browser.get(f"/a/{console.account_id}/?span=365d").text
    [_, table] = page.split("<h2>By operation</h2>")
    table = table.partition("</table>")[0]
    assert "Pipeline" in table
    sees = browser.visitor.may(Permission.SEE_MONEY, console.account_id)
    assert ("Fees" in table, "$" in table) == (sees, sees)


def test_any_days_can_be_chosen(console: Console) -> None:
    browser = console.as_role(UserRole.VIEWER, time_zone="America/New_York")
    path = f"/a/{console.account_id}/"
    assert browser.get(f"{path}?from=2026-01-01&to=2026-01-31").status_code == 200
    assert browser.get(f"{path}?from=2026-02-01&to=2026-01-01").status_code in (400, 422)
    assert browser.get(f"{path}?from=first").status_code in (400, 422)


def test_an_account_whose_figures_are_not_ready_says_so(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_ready(*_: object, **__: object) -> None:
        raise FiguresNotReady("not yet")

    monkeypatch.setattr("gatehouse.admin.figures.pages.overview.overview", not_ready)
    answer = console.as_role(UserRole.VIEWER).get(f"/a/{console.account_id}/")
    assert answer.status_code == 200
    assert "Figures are being prepared" in answer.text


def test_a_change_against_hardly_anything_is_told_as_a_number(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = OutcomeCounts(requests=470, accepted=400, declined=70)

    def compared(requests: int) -> str:
        before = OutcomeCounts(requests=requests, accepted=requests)

        def found(*wanted: Any, **how: Any) -> Overview:
            return msgspec.structs.replace(overview(*wanted, **how), counts=now, before=before)

        monkeypatch.setattr("gatehouse.admin.figures.pages.overview.overview", found)
        return console.as_role(UserRole.VIEWER).get(f"/a/{console.account_id}/").text

    page = compared(2)
    assert "2 in the period before" in page
    assert "points on" not in page
    page = compared(100)
    assert "+370 % on the period before" in page
    assert "\N{MINUS SIGN}14.9 points on the period before" in page


def _emptiness(console: Console, role: UserRole) -> str:
    """What an overview and a search without decisions say."""
    console.desk.columns.catch_up(console.other_id)
    browser = console.as_role(role, console.other_id)
    pages = (f"/a/{console.other_id}/", f"/a/{console.other_id}/decisions")
    return "".join(browser.get(page).text for page in pages)


_ADVICE = (
    "or send the first request from the playground.",
    "or send a request from the playground.",
)


def test_only_those_who_can_open_the_playground_are_sent_there(console: Console) -> None:
    said = _emptiness(console, UserRole.ANALYST)
    assert [each in said for each in _ADVICE] == [True, True]
    for role in (UserRole.VIEWER, UserRole.FINANCE):
        said = _emptiness(console, role)
        assert [each in said for each in _ADVICE] == [False, False]
        assert "Choose a longer one." in said


def test_production_sends_nobody_to_a_playground(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {name: page for name, page in console.desk._by_name.items() if name != "playground"}
    monkeypatch.setattr(console.desk, "_by_name", pages)
    said = _emptiness(console, UserRole.ANALYST)
    assert "Choose a longer one." in said
    assert [each in said for each in _ADVICE] == [False, False]


def _plots(page: str) -> list[dict[str, Any]]:
    """What the script draws the charts of a page from."""
    return [json.loads(unescape(each.partition('"')[0])) for each in page.split('data-plot="')[1:]]


@pytest.mark.parametrize(
    ("locale", "hour", "unit"),
    [("en", "12:00\N{NARROW NO-BREAK SPACE}AM", "%"), ("de", "00:00", "\N{NO-BREAK SPACE}%")],
)
def test_axes_have_the_hour_of_a_day_alone_and_the_unit_of_shares(
    console: Console, locale: str, hour: str, unit: str
) -> None:
    account_id = make_account(console.session)
    shop = Recorder(console.session, account_id, days_ago=0)
    kept = shop.keep(later_ms=0)
    label(console.session, account_id, [kept], FeedbackStatement(Label.FRAUD), shop.at_ms)
    console.desk.columns.catch_up(account_id)
    viewer = console.as_role(UserRole.VIEWER, account_id, locale=locale)
    _, decisions, fraud = _plots(viewer.get(f"/a/{account_id}/?span=today").text)
    assert decisions["labels"][0] == hour
    assert (decisions["unit"], fraud["unit"]) == ("", unit)
