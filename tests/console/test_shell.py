"""The shell: who sees what, which forms count, and what surrounds every answer."""

import re
from pathlib import Path
from typing import Final

import pytest

import gatehouse
from gatehouse.access.roles import UserRole
from gatehouse.admin.people.use_cases.demo import demo_link
from gatehouse.store.admin.admin_session import AdminSession
from tests.console.harness import Console

FORM_BESIDE: Final = {
    *("part.html", "playground.html", "list.html", "lists.html", "outcomes.html"),
    *("webhook.html", "accounts.html", "people.html", "experiments.html", "invoices.html"),
    "top_ups.html",
}
"""Pages with the form of the first step on them."""
NOTHING_TO_DO: Final = {"choose.html", "experiment.html"}
"""Only an administrator can give somebody a role; an experiment is counted within a minute."""


def test_every_empty_page_has_its_first_step() -> None:
    pages = Path(gatehouse.__file__).parent.rglob("*.html")
    bare = {each.name for each in pages if re.search(r"{{\s*ui\.empty\(", each.read_text())}
    assert bare == FORM_BESIDE | NOTHING_TO_DO


def test_a_stranger_is_led_to_sign_in_and_back(console: Console) -> None:
    answer = console.stranger().get("/accounts")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?next=%2Faccounts"
    assert 'name="next" value="/accounts"' in console.stranger().get("/sign-in?next=/accounts").text


@pytest.mark.parametrize("given", ["//evil.test", "https://evil.test", "/\\evil.test", "x", "/\t/"])
def test_nobody_is_led_to_another_site(console: Console, given: str) -> None:
    shown = console.stranger().client.get("/sign-in", params={"next": given}).text
    assert 'name="next" value="/"' in shown


def test_operators_find_every_account(console: Console) -> None:
    browser = console.as_role(UserRole.OPERATOR)
    assert "Other Shop" in browser.get("/accounts").text
    found = browser.get("/accounts?q=corner").text
    assert "Corner Shop" in found
    assert "Other Shop" not in found
    assert "No account is called that" in browser.get("/accounts?q=nobody").text


def test_the_navigation_stays_with_the_account_that_was_open_last(console: Console) -> None:
    browser = console.as_role(UserRole.OPERATOR)
    path = f"/a/{console.account_id}/people"
    assert f'href="{path}"' not in browser.get("/me").text
    browser.get(path)
    assert f'href="{path}"' in browser.get("/me").text
    stranger = console.as_role(UserRole.ADMINISTRATOR, console.other_id)
    stranger.client.cookies.set("gatehouse-account", console.account_id)
    assert f'href="{path}"' not in stranger.get("/me").text


def test_a_page_that_does_not_exist_says_so_in_the_person_s_language(console: Console) -> None:
    answer = console.as_role(UserRole.VIEWER, locale="de").get("/nowhere")
    assert answer.status_code == 404
    assert "Diese Seite gibt es nicht" in answer.text
    assert '<html lang="de"' in answer.text


def test_the_console_works_on_both_databases(session: AdminSession) -> None:
    console = Console(session)
    link = demo_link(session, console.account_id)
    browser = console.stranger()
    assert browser.post(f"/link/{link.token}").status_code == 303
    for path in ("/accounts", "/me", f"/a/{console.account_id}/people", "/installation/people"):
        assert browser.get(path).status_code == 200
    invited = {"login": "ada@shop.example", "role": "viewer"}
    shown = browser.post(f"/a/{console.account_id}/people", invited)
    assert "A link that works once" in shown.text
