"""Rules in a real browser: edited by keyboard alone, previewed while typing, applied."""

import re

from gatehouse.access.roles import UserRole
from gatehouse.admin import rule_sets
from gatehouse.admin.configurations import NewVersion
from tests.console.browser.site import Site, needs_chromium

RULES = b"""\
rule_set: shop
rules:
  - name: much
    condition: order.amount > 30
    outcome: REVIEW
"""
IDLE = "#draft:not([aria-busy])"
"""The preview is what the text says."""


def _version(site: Site) -> int:
    with site.home.session() as session:
        return rule_sets.get(session, site.account_id, "shop").version


@needs_chromium
def test_a_rule_is_changed_by_keyboard_with_completion_and_mistakes(site: Site) -> None:
    with site.home.session() as session:
        rule_sets.apply(session, site.account_id, NewVersion(RULES))
    with site.visit(site.token(UserRole.MANAGER)) as visitor:
        page = visitor.open(f"/a/{site.account_id}/rules/shop/edit")
        page.locator(".cm-content").focus()
        page.keyboard.press("Control+End")
        page.keyboard.type("  - name: far\ncondition: ip.countr")
        page.get_by_role("option", name=re.compile(r"ip\.country")).wait_for()
        page.keyboard.press("Enter")
        page.keyboard.type(" = 1\noutcome: REVIEW\n")
        page.locator("#draft [data-line]").first.wait_for()
        page.locator(".cm-lint-marker-error").first.wait_for()
        page.locator(IDLE).wait_for()
        page.locator("#draft [data-go]").first.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("End")
        page.keyboard.press("Backspace")
        page.keyboard.type("'GB")
        page.locator("#draft .changes").wait_for()
        page.get_by_label("Comment").focus()
        page.keyboard.type("orders from there")
        page.locator(IDLE).wait_for()
        visitor.check()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.get_by_text("Version 2 is in force.").wait_for()
        visitor.check()
        assert _version(site) == 2
        for path in ("rules/shop/history", "rules/shop/versions/2", "rules/shop/build"):
            visitor.open(f"/a/{site.account_id}/{path}")
            visitor.check()
        visitor.open(f"/a/{site.account_id}/pipelines/1")
        visitor.check()
        visitor.open(f"/a/{site.account_id}/pipelines/1/edit")
        page.locator("#draft .notice").first.wait_for()
        page.locator(IDLE).wait_for()
        visitor.check()


@needs_chromium
def test_the_same_works_without_scripts_on_a_phone(site: Site) -> None:
    phone = {"viewport": {"width": 390, "height": 800}}
    with site.home.session() as session:
        rule_sets.apply(session, site.account_id, NewVersion(RULES.replace(b"shop", b"plain")))
    token = site.token(UserRole.ADMINISTRATOR)
    with site.visit(token, java_script_enabled=False, **phone) as visitor:
        page = visitor.open(f"/a/{site.account_id}/rules/plain/build")
        visitor.fits()
        page.get_by_label("Signal").fill("ip.tor")
        page.get_by_label("Comparison").select_option("yes")
        page.get_by_label("Name", exact=True).fill("onion")
        page.get_by_role("button", name="Add to the draft").click()
        assert "- name: onion" in page.get_by_label("Rule set", exact=True).input_value()
        page.get_by_label("Comment").fill("watch it")
        page.get_by_role("button", name="Apply").click()
        page.get_by_text("Version 2 is in force.").wait_for()
        visitor.fits()
