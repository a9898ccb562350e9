"""Hostile texts that come from a gateway, and in files that people import.

A gateway's answers come through a real connector, files through the forms and commands that people
use. No script may run, no dialog open, nothing be reported by the browser's policy; all is text.
"""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import FilePayload, expect

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.connectors.use_cases import connectors
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import NewKey
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.rules.list_entries import ListKind
from gatehouse.settings.settings import load_settings
from tests.connectors.test_reading import no_file
from tests.console.browser.hostile import INNOCENT, TEXTS
from tests.console.browser.hostile_gateway import APPROVAL, CODE, hostile_gateway
from tests.console.browser.site import Site, Visitor, needs_chromium, serve_site
from tests.harness import Home, make_account
from tests.harness.samples import BODY

pytestmark = needs_chromium
CONNECTORS: Final = """\
connectors:
  evil: {{kind: http, mapping: gatehouse, base_url: '{url}', secrets: {{token: env:EVIL_TOKEN}}}}
routes: {{gateway: [{{use: [evil]}}]}}
"""
PIPELINE: Final = b"""\
pipeline: 1
name: Ask and pay
stages:
  - stage: PreCheck
  - stage: Gateway
"""
RULES: Final = """\
rule_set: evil
description: |
  {0}
rules:
  - name: everything
    description: |
      {1}
    condition: order.affiliate = '<b id=evil>'
    outcome: REVIEW
"""
_PASTE: Final = """(element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const event = {clipboardData, bubbles: true, cancelable: true};
    element.dispatchEvent(new ClipboardEvent("paste", event));
}"""


class Shop:
    """An account and a key of it."""

    def __init__(self, site: Site) -> None:
        with site.home.session() as session:
            self.account_id = make_account(session, "Imports", micros=100_000_000)
            self.key = keys.issue(session, self.account_id, NewKey("till")).key
            lists.create(session, self.account_id, NewList("evil", ListKind.USERS))
            pipelines.apply(session, self.account_id, NewVersion(PIPELINE))
        self.base = f"/a/{self.account_id}"


@pytest.fixture
def shop(site: Site) -> Shop:
    return Shop(site)


def _shows(visitor: Visitor, path: str, *texts: str) -> None:
    """Open a page: it holds the texts as they are, and nothing that was made of them."""
    page = visitor.open(path)
    assert page.evaluate(INNOCENT), path
    shown = page.evaluate("document.body.textContent")
    for text in texts:
        assert text in shown, f"{path} does not show {text}"


def _table(rows: list[tuple[str, str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([("value", "reason"), *rows])
    return text.getvalue().encode()


def _paste(visitor: Visitor, text: str) -> None:
    """Replace what the editor holds by a text, as from the clipboard."""
    written = visitor.page.locator(".cm-content")
    written.focus()
    visitor.page.keyboard.press("Control+a")
    written.evaluate(_PASTE, text)


def _import(visitor: Visitor, content: bytes) -> None:
    page = visitor.page
    name = "\"'><img src=x onerror=pwned=1>.csv"
    file = FilePayload(name=name, mimeType="text/csv", buffer=content)
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Import").click()


@pytest.fixture
def paying(site: Site, tmp_path: Path) -> Iterator[Site]:
    """Another installation, whose gateway is hostile."""
    home = Home(tmp_path / "home").migrated()
    home.settings |= {"GATEHOUSE_GATEWAY": "connectors", "EVIL_TOKEN": "secret"}
    with hostile_gateway() as url:
        with home.session(Actor.operator("oda")) as session:
            content = CONNECTORS.format(url=url).encode()
            connectors.apply(session, load_settings({}), NewVersion(content), no_file)
        with serve_site(home, site.browser) as opened:
            yield opened


def test_what_a_gateway_answers_is_text(paying: Site) -> None:
    shop = Shop(paying)
    payment = {"amount": 25, "currency": "USD"}
    body = {"pipelineId": 1, "preCheckRequest": BODY, "gatewayRequest": payment}
    with paying.server.client(shop.key) as client:
        answer = client.post("/api/v1/pipeline", json=body).json()
    assert answer["isSuccess"], answer
    paid = answer["pipelineResponse"]["gatewayResponse"]
    assert (paid["responseCode"], paid["approvalCode"]) == (CODE, APPROVAL)
    with paying.visit(paying.token(UserRole.OPERATOR)) as visitor:
        _shows(visitor, f"{shop.base}/decisions")
        _shows(visitor, f"{shop.base}/decisions/{answer['requestId']}", CODE, APPROVAL)
        _shows(visitor, "/installation/connectors", "evil")


def test_a_file_of_list_entries_is_text(site: Site, shop: Shop) -> None:
    path = f"{shop.base}/lists/evil"
    with site.visit(site.token(UserRole.OPERATOR)) as visitor:
        page = visitor.open(path)
        _import(visitor, _table([(TEXTS[0], TEXTS[1]), (TEXTS[1], TEXTS[0])]))
        page.get_by_text("The file is imported.").wait_for()
        _shows(visitor, path, *TEXTS)
        visitor.is_refused = True
        _import(visitor, b"value,reason,<b id=evil>,<img src=x onerror=pwned=1>\nx,y,z,w\n")
        expect(page.locator("main .notice.problem")).to_be_visible()
        assert page.evaluate(INNOCENT)


def test_a_file_of_labels_is_text(site: Site, shop: Shop) -> None:
    reference = TEXTS[0][:60]
    with site.server.client(shop.key) as client:
        answer = client.post("/api/v1/precheck", json={**BODY, "clientReferenceId": reference})
        request_id = answer.json()["requestId"]
    file = site.home.path / "<img src=x onerror=pwned=1>.csv"
    rows = io.StringIO()
    csv.writer(rows).writerows([("clientReferenceId", "label"), (reference, "FRAUD")])
    file.write_text(rows.getvalue())
    site.home.ok("feedback", "import", str(file), "--account", shop.account_id)
    with site.visit(site.token(UserRole.OPERATOR)) as visitor:
        _shows(visitor, f"{shop.base}/decisions/{request_id}", "Fraud")
        page = visitor.page
        page.get_by_role("button", name="Reveal personal data").first.click()
        page.get_by_text("Personal data is shown").wait_for()
        assert page.evaluate(INNOCENT)
        assert reference in page.evaluate("document.body.textContent")
        _shows(visitor, f"{shop.base}/decisions?label=FRAUD")
        _shows(visitor, f"{shop.base}/audit")


def test_a_file_of_rules_is_text(site: Site, shop: Shop) -> None:
    with site.visit(site.token(UserRole.OPERATOR)) as visitor:
        page = visitor.open(f"{shop.base}/rules/new")
        _paste(visitor, f"rule_set: evil\n{TEXTS[1]}: [\n<img src=x onerror=pwned=1>")
        page.locator("#draft [data-line]").first.wait_for()
        assert page.evaluate(INNOCENT)
        _paste(visitor, RULES.format(*TEXTS))
        page.get_by_label("Comment").fill(TEXTS[1])
        page.locator("#draft:not([aria-busy])").wait_for()
        page.get_by_role("button", name="Apply").click()
        page.get_by_text("Version 1 is in force.").wait_for()
        assert page.evaluate(INNOCENT)
        _shows(visitor, f"{shop.base}/rules?set=evil", *TEXTS)
        _shows(visitor, f"{shop.base}/rules/evil/history", TEXTS[1])
        _shows(visitor, f"{shop.base}/rules/evil/versions/1", *TEXTS)
        for name in ("edit", "build"):
            _shows(visitor, f"{shop.base}/rules/evil/{name}")
