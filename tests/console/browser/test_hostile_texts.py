"""Stored scripts: hostile texts in every field that a merchant's customers and people can fill.

They are sent to the API and written by use cases; then every page that can show them is opened. No
script may run, no dialog open, nothing be reported by the browser's policy, and no element be made
of them.
"""

from collections.abc import Iterator

import msgspec
import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.entities.types import EntityTokens
from gatehouse.admin.invoices.types.invoice import BillingDetails
from gatehouse.admin.people.use_cases import users
from gatehouse.console.pages import Page, Reach
from gatehouse.console.routes import DECLARED
from gatehouse.core.clock import iso_time
from gatehouse.core.ids import derived_id
from gatehouse.gateway.notifying import NotifiedEvent
from tests.admin.alerts.kept import keep_alert
from tests.admin.invoices.test_closing import STANDARD
from tests.console.browser.hostile import INNOCENT, TEXTS, HostileShop
from tests.console.browser.offered import DOWNLOADS
from tests.console.browser.past import keep_bulk, keep_experiment, keep_ring, path_to
from tests.console.browser.site import Site, Visitor, needs_chromium
from tests.console.disputed import keep_dispute
from tests.console.invoiced import keep_invoice
from tests.console.paid import CAPTURED, keep_notification, keep_payment

OF_OTHERS = {"training", "webhook", "webhook-form", *DOWNLOADS}
"""Pages about what this account does not have, and files."""
pytestmark = needs_chromium

_HOSTILE_BUYER = BillingDetails(
    msgspec.structs.replace(STANDARD.buyer, name=TEXTS[0], street=TEXTS[0]), STANDARD.tax
)


@pytest.fixture
def shop(site: Site) -> Iterator[HostileShop]:
    with site.home.session() as session:
        yield HostileShop(site, session)


def _paths(site: Site, shop: HostileShop) -> Iterator[str]:
    """Every page of the account, and each one about something for all that there is."""
    base = f"/a/{shop.account_id}"
    with site.home.session() as session:
        tokens = EntityTokens(session, shop.account_id)
        [eve] = users.listing(session, shop.account_id)
        known = {
            "account": shop.account_id,
            "list": "evil",
            "user": eve.user_id,
            "set": "starter",
            "pipeline": "1",
            "version": "1",
            "id": shop.reviews()[0],
            "ring": keep_ring(session, shop.account_id, TEXTS[0]),
            "alert": keep_alert(session, shop.account_id, derived_id("alr", 1, "hostile")),
            "dispute": keep_dispute(session, shop.account_id, "dp-hostile"),
            "bulk": keep_bulk(session, shop.account_id),
            "month": iso_time(session.clock())[:7],
            "rule": "everything",
            "role": shop.role_id,
            "experiment": keep_experiment(session, shop.account_id, TEXTS[1]),
            "invoice": keep_invoice(session, shop.account_id, _HOSTILE_BUYER),
            "payment": keep_payment(session, shop.account_id, shop.reviews()[0], CAPTURED),
            "notification": keep_notification(
                session, NotifiedEvent.DISPUTED, reference=shop.reviews()[0], reason=TEXTS[0]
            ),
        }
        entities = [f"{base}/entities/{each.kind}/{tokens.token(each)}" for each in shop.entities()]
    yield from (f"{base}/decisions/{each}" for each in shop.requests)
    yield from (f"{base}/reviews/{each}" for each in shop.reviews())
    yield from entities
    for each in DECLARED:
        is_shown = each.reach in (Reach.ACCOUNT, Reach.INSTALLATION, Reach.PERSON)
        if isinstance(each, Page) and is_shown and each.name not in {"entity", *OF_OTHERS}:
            yield path_to(each.path, known)


def _reveal(visitor: Visitor) -> None:
    """Show the personal data of the page, where there is any."""
    button = visitor.page.get_by_role("button", name="Reveal personal data")
    if button.count():
        button.first.click()
        visitor.page.get_by_text("Personal data is shown").wait_for()


def test_no_text_of_a_customer_becomes_part_of_a_page(site: Site, shop: HostileShop) -> None:
    shown = set()
    with site.visit(site.token(UserRole.OPERATOR)) as visitor:
        for path in _paths(site, shop):
            page = visitor.open(path)
            assert page.evaluate(INNOCENT), path
            if "/decisions/req_" in path or "/entities/" in path:
                _reveal(visitor)
                assert page.evaluate(INNOCENT), f"{path}, revealed"
            text = page.inner_text("body")
            shown |= {each for each in TEXTS if each[:20] in text}
    assert shown == set(TEXTS)


def test_files_are_sent_to_be_saved_and_hold_no_formula(site: Site, shop: HostileShop) -> None:
    base = f"/a/{shop.account_id}"
    names = ("money/statement.csv", "money/statement.pdf", "models/1/file")
    kinds = ("text/csv", "application/pdf", "application/json")
    with site.visit(site.token(UserRole.OPERATOR)) as visitor:
        visitor.open(f"{base}/decisions")
        files = [
            visitor.send(f"{base}/decisions/export", format="csv"),
            visitor.send(f"{base}/lists/evil/export"),
            *(visitor.ask(f"{base}/{name}") for name in names),
        ]
        for each in files:
            assert each.status == 200, each.url
            assert each.headers["content-disposition"].startswith("attachment; filename="), each.url
            assert each.headers["x-content-type-options"] == "nosniff"
            assert each.headers["content-type"].partition(";")[0] in kinds
        tables = [each.text() for each in files if "csv" in each.headers["content-type"]]
    assert any("'=1+" in each for each in tables)
    assert not any(each.startswith(("=", '"=', "@", "+")) for each in _cells(tables))


def _cells(tables: list[str]) -> Iterator[str]:
    for table in tables:
        for line in table.splitlines():
            yield from line.split(",")
