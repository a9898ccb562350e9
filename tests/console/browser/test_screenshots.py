"""The pictures in the manual of the console: each page shows what its picture is to show.

Ordinary runs take the pictures into a folder of their own. `make screenshots` keeps them in
docs/console/ and has more decisions made up, so that charts look as they do in the sandbox.
"""

import io
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from gatehouse.access.actors import Actor
from gatehouse.access.roles import Permission, UserRole
from gatehouse.admin.accounts.use_cases.default_account import DEMO_ACCOUNT
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import NewKey
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sandbox.use_cases.past import MOST_DECISIONS
from gatehouse.admin.webhooks.types.webhook import WebhookChange
from gatehouse.admin.webhooks.use_cases.endpoints import list_webhooks, update
from gatehouse.store.accounts.keys import note_uses
from gatehouse.store.admin.admin_session import AdminSession
from tests.console.browser.holders import holder_of_an_app
from tests.console.browser.past import demo_places, filled_home, path_to, wait_for_figures
from tests.console.browser.site import Site, Visitor, needs_chromium, serve_site
from tests.console.trained import full_report, keep_model

KEEPS: Final = "KEEP_SCREENSHOTS" in os.environ
DECISIONS: Final = MOST_DECISIONS if KEEPS else 100
DOCS: Final = Path(__file__).parents[3] / "docs"
PICTURES: Final = DOCS / "console"
SIZE: Final = (1280, 800)
WRONG: Final = "main :is(.empty, .notice.problem, .field-problem, .problem-page)"
CUT_OFF: Final = """[...document.querySelectorAll("main .table-wrap")]
    .filter(each => each.getBoundingClientRect().top < innerHeight)
    .filter(each => each.scrollWidth > each.clientWidth)
    .map(each => each.ariaLabel)"""
"""The tables in the window that do not fit into it."""
MOST_OF_ONE_COLOUR: Final = 0.95
"""The share of a page's main part that may have one colour; of a blank page, all of it has."""
DANA: Final = Actor.user("dana@shop.example", DEMO_ACCOUNT, may=frozenset(Permission))
RULE: Final = """

  - name: costly-order
    description: The order is worth a look before it is sent.
    condition: order.amount > 150
    outcome: REVIEW
"""
CLICKED: Final = {"signal0.0": "order.amount", "operator0.0": "more", "value0.0": "500"}
NAMED: Final = {"name": "large-order", "description": "Orders of more than 500."}


def _write_a_rule(page: Page) -> None:
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(RULE)


def _click_a_rule_together(page: Page) -> None:
    for name, value in CLICKED.items():
        field = page.locator(f'[name="{name}"]')
        if name.startswith("operator"):
            field.select_option(value)
        else:
            field.fill(value)
            field.press("Tab")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator("pre", has_text="order.amount > 500").wait_for()
    for name, value in NAMED.items():
        page.locator(f'[name="{name}"]').fill(value)


def _send_a_request(page: Page) -> None:
    page.get_by_role("button", name="Send", exact=True).click()


class Shown(NamedTuple):
    """A page, how it is headed, and what must be on it after something was done there."""

    path: str
    heading: str
    thing: str
    done: Callable[[Page], None] = lambda page: None


# The playground comes late: what is sent there is a decision, and costs money. The editor comes
# last: a browser asks before it leaves a draft.
SHOWN: Final = {
    "overview": Shown("/", "Overview", ".plot-live .u-over"),
    "decisions": Shown("/decisions", "Decisions", "#rows tbody .badge"),
    "decision": Shown("/decisions/{id}", "Review", ".timeline .timeline-head"),
    "entity": Shown("/entities/{kind}/{token}", "…", ".graph .edge"),
    "reviews": Shown("/reviews", "Reviews", "[data-row] a"),
    "review": Shown("/reviews/{id}", "Open", "[data-key=a]"),
    "rules": Shown("/rules", "Rules", "tbody .chart.spark"),
    "rule-builder": Shown(
        "/rules/{set}/build",
        "Build a rule by clicking",
        "pre:has-text('order.amount > 500')",
        _click_a_rule_together,
    ),
    "pipelines": Shown("/pipelines", "Pipelines", ".stage-chip"),
    "pipeline": Shown("/pipelines/{pipeline}", "1 ·", ".stage .stage-fee"),
    "lists": Shown("/lists", "Lists", "tbody a:text-is('blocked-networks')"),
    "models": Shown("/models", "Models", "tbody a:text-is('Model 1')"),
    "money": Shown("/money", "Money", ".chart-figure .chart"),
    "webhooks": Shown("/webhooks/{webhook}", "orders.shop.example", "tbody .badge:text-is('503')"),
    "playground": Shown("/playground", "Playground", ".headline .badge.good", _send_a_request),
    "keys": Shown("/keys", "API keys", "tbody th:has-text('checkout')"),
    "people": Shown("/people", "People", "tbody a:text-is('Kofi Mensah')"),
    "settings": Shown("/settings", "Settings", "[name=threshold]"),
    "audit": Shown("/audit", "Audit log", "tbody code:text-is('user.invite')"),
    "rule-editor": Shown("/rules/{set}/edit", "Edit starter", "#draft .flips a", _write_a_rule),
}


@pytest.fixture
def shop(browser: Browser, tmp_path: Path) -> Iterator[Site]:
    """The demo account as no other test has changed it."""
    home = filled_home(tmp_path / "home", DECISIONS)
    with home.session(DANA) as session:
        _furnish(session)
    with serve_site(home, browser) as opened:
        yield opened


def _furnish(session: AdminSession) -> None:
    """Keep a model and a used key, and give the webhook an address as a real shop would have it."""
    keep_model(session, DEMO_ACCOUNT, full_report())
    terms = NewKey("checkout", ["pipeline"], ["203.0.113.0/24"])
    issued = keys.issue(session, DEMO_ACCOUNT, terms)
    with session.database.writing() as connection:
        note_uses(connection, {issued.issued.key_id: session.clock() - 59_000})
    [webhook] = list_webhooks(session, DEMO_ACCOUNT).webhooks
    address = WebhookChange(url="https://orders.shop.example/gatehouse")
    update(session, DEMO_ACCOUNT, webhook.id, address)


def _hire(shop: Site) -> str:
    """Have people work in the shop, who are those of the demo's reviews; Dana's session."""
    operator = Actor.operator("root")
    token = shop.invite(DANA.name, UserRole.ADMINISTRATOR, "Dana Novak", operator)
    holder_of_an_app(shop, "kofi@shop.example", "Kofi Mensah", DANA)
    shop.invite("mirela@shop.example", UserRole.MANAGER, "Mirela Popa", DANA)
    with shop.home.session(DANA) as session:
        users.invite(session, DEMO_ACCOUNT, "elif@shop.example", UserRole.VIEWER, "Elif Aydin")
    return token


def _show(visitor: Visitor, known: dict[str, str], shown: Shown) -> Image.Image:
    """Open a page, do there what is to be done, and see that it is as it should be."""
    page = visitor.open(path_to("/a/{account}" + shown.path, known))
    shown.done(page)
    expect(page.locator("main h1")).to_contain_text(shown.heading)
    expect(page.locator(f"main {shown.thing}").first).to_be_visible()
    picture = Image.open(io.BytesIO(visitor.picture())).convert("RGB")
    expect(page.locator(WRONG)).to_have_count(0)
    assert page.evaluate(CUT_OFF) == [], page.url
    return picture


def _check(name: str, picture: Image.Image) -> None:
    """Fail if there is nothing in the main part of a page."""
    assert picture.size == SIZE, name
    main = picture.crop((240, 0, *SIZE))
    colours = main.getcolors(main.width * main.height)
    assert colours is not None
    share = max(pixels for pixels, _ in colours) / (main.width * main.height)
    assert share < MOST_OF_ONE_COLOUR, f"{name} is blank: {share:.0%} of it has one colour"


def _keep(picture: Image.Image, file: Path) -> None:
    picture.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)


@needs_chromium
def test_the_main_pages_show_what_their_pictures_in_the_manual_show(
    shop: Site, tmp_path: Path
) -> None:
    token = _hire(shop)
    with shop.home.session() as session:
        known = demo_places(session)
    folder = PICTURES if KEEPS else tmp_path
    size = {"width": SIZE[0], "height": SIZE[1]}
    with shop.visit(token, viewport=size, color_scheme="light") as visitor:
        wait_for_figures(visitor)
        for name, shown in SHOWN.items():
            picture = _show(visitor, known, shown)
            _check(name, picture)
            _keep(picture, folder / f"{name}.png")
    assert {each.stem for each in folder.glob("*.png")} == set(SHOWN)


def test_the_manual_has_the_picture_of_each_main_page_and_no_others() -> None:
    used = re.findall(r"!\[[^]]+\]\(console/([a-z-]+)\.png\)", (DOCS / "console.md").read_text())
    assert sorted(used) == sorted(SHOWN)
    for name in SHOWN:
        with Image.open(PICTURES / f"{name}.png") as picture:
            _check(name, picture.convert("RGB"))
    assert {each.stem for each in PICTURES.iterdir()} == set(SHOWN)
