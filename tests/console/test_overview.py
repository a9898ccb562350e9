"""The overview of an account: figures of a span, and what needs attention."""

import json
from html import unescape
from typing import Any

import msgspec
import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.figures.overview import FiguresNotReady, Overview, overview
from gatehouse.columns.overview import OutcomeCounts
from gatehouse.core.outcomes import Outcome
from tests.admin.recorded import Recorder
from tests.console.harness import Console
from tests.console.test_decision import to_review


def test_the_overview_counts_what_was_decided(console: Console) -> None:
    shop = Recorder(console.session, console.account_id)
    shop.keep(amount=20.0, decision=Outcome.ACCEPT)
    shop.keep(amount=90.0, decision=Outcome.DECLINE)
    to_review(console, shop)
    console.desk.columns.catch_up(console.account_id)
    page = console.as_role(UserRole.ADMINISTRATOR).get(f"/a/{console.account_id}/?span=365d").text
    assert "Decisions over time" in page
    assert "Reviews wait longer than their target." in page
    assert "$100.00" in page
    assert "Answered by the sandbox" in page
    [_, *plots] = page.split('data-plot="')
    data = json.loads(unescape(plots[0].partition('"')[0]))
    assert data["stacked"]
    assert len(data["labels"]) == len(data["firsts"]) == len(data["series"][0]["values"])
    assert data["firsts"][0] <= data["lasts"][0] < data["lasts"][-1]


def test_a_viewer_does_not_see_the_balance(console: Console) -> None:
    page = console.as_role(UserRole.VIEWER).get(f"/a/{console.account_id}/").text
    assert "Overview" in page
    assert "$100.00" not in page


def test_any_days_can_be_chosen(console: Console) -> None:
    browser = console.as_role(UserRole.VIEWER, time_zone="America/New_York")
    path = f"/a/{console.account_id}/"
    assert browser.get(f"{path}?from=2026-01-01&to=2026-01-31").status_code == 200
    assert browser.get(f"{path}?from=2026-02-01&to=2026-01-01").status_code in (400, 422)
    assert browser.get(f"{path}?from=first").status_code in (400, 422)


def test_an_account_whose_figures_are_not_ready_says_so(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_ready(*_: object) -> None:
        raise FiguresNotReady("not yet")

    monkeypatch.setattr("gatehouse.console.overview.overview", not_ready)
    answer = console.as_role(UserRole.VIEWER).get(f"/a/{console.account_id}/")
    assert answer.status_code == 200
    assert "Figures are being made" in answer.text


def test_a_change_against_hardly_anything_is_told_as_a_number(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = OutcomeCounts(requests=470, accepted=400, declined=70)

    def compared(requests: int) -> str:
        before = OutcomeCounts(requests=requests, accepted=requests)

        def found(*wanted: Any) -> Overview:
            return msgspec.structs.replace(overview(*wanted), counts=now, before=before)

        monkeypatch.setattr("gatehouse.console.overview.overview", found)
        return console.as_role(UserRole.VIEWER).get(f"/a/{console.account_id}/").text

    page = compared(2)
    assert "2 in the period before" in page
    assert "points on" not in page
    page = compared(100)
    assert "+370 % on the period before" in page
    assert "\N{MINUS SIGN}14.9 points on the period before" in page
