"""The shell in a real browser: signing in by the link, the navigation, themes and phones."""

import pytest
from playwright.sync_api import expect

from gatehouse.access.roles import UserRole
from tests.console.browser.past import wait_for_figures
from tests.console.browser.site import Site, needs_chromium

PHONE = {"viewport": {"width": 390, "height": 800}}


@needs_chromium
def test_the_demo_administrator_comes_in_by_the_link_and_goes_out(site: Site) -> None:
    with site.visit() as visitor:
        page = visitor.open(site.demo_link())
        visitor.check()
        page.get_by_role("button", name="Open the console").click()
        page.wait_for_url(f"**/a/{site.account_id}/")
        page.locator(f'.sidebar a[href="/a/{site.account_id}/people"]').click()
        page.wait_for_url(f"**/a/{site.account_id}/people")
        visitor.open("/me")
        page.locator(".sidebar .person > summary").click()
        visitor.check()
        page.get_by_role("button", name="Dark").first.click()
        page.wait_for_selector('html[data-theme="dark"]')
        page.locator(".sidebar .person > summary").click()
        page.get_by_role("button", name="Sign out").first.click()
        page.wait_for_url("**/sign-in")
        visitor.check()


@needs_chromium
def test_a_text_that_cannot_be_read_is_found_however_often_the_page_was_looked_at(
    site: Site,
) -> None:
    with site.visit(site.token(UserRole.VIEWER)) as visitor:
        page = visitor.open("/me")
        visitor.check()
        page.evaluate("""() => {
            const faint = document.createElement("p");
            faint.textContent = "too faint";
            Object.assign(faint.style, {color: "#777", background: "#888"});
            document.querySelector("main").append(faint);
        }""")
        with pytest.raises(AssertionError, match="color-contrast"):
            visitor.check()


@needs_chromium
def test_a_phone_has_a_menu_and_no_page_is_too_wide(site: Site) -> None:
    with site.visit(site.token(UserRole.ADMINISTRATOR), **PHONE) as visitor:
        page = visitor.open(f"/a/{site.account_id}/people")
        visitor.fits()
        assert not page.locator(".sidebar").is_visible()
        page.locator(".menu > summary").click()
        assert page.locator(".menu nav").is_visible()
        visitor.check()
        page.keyboard.press("Escape")
        assert not page.locator(".menu nav").is_visible()
        visitor.open("/me")
        visitor.fits()


@needs_chromium
def test_charts_and_documents_are_there_without_scripts(site: Site) -> None:
    token = site.token(UserRole.MANAGER)
    with site.visit(token, java_script_enabled=False) as visitor:
        wait_for_figures(visitor)
        expect(visitor.page.locator(".chart-figure svg.chart").first).to_be_visible()
        for path, said in (("rules/starter/edit", "rule_set:"), ("pipelines/1/edit", "pipeline:")):
            page = visitor.open(f"/a/{site.account_id}/{path}")
            document = page.locator("#document")
            expect(document).to_be_visible()
            assert said in document.input_value()
        page = visitor.open(f"/a/{site.account_id}/decisions?live=yes")
        expect(page.locator("#rows tbody a").first).to_be_visible()


@needs_chromium
def test_the_theme_is_chosen_without_scripts(site: Site) -> None:
    with site.visit(site.token(UserRole.MANAGER), java_script_enabled=False) as visitor:
        page = visitor.open("/me")
        page.locator(".sidebar .person > summary").click()
        page.locator('.sidebar .theme button[value="light"]').click()
        expect(page.locator("html")).to_have_attribute("data-theme", "light")


@needs_chromium
def test_a_passkey_is_made_and_signs_in(site: Site) -> None:
    base = site.base.replace("127.0.0.1", "localhost")
    with site.visit() as visitor:
        page = visitor.page
        devtools = page.context.new_cdp_session(page)
        devtools.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
        }
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        visitor.open(site.demo_link().replace("127.0.0.1", "localhost"))
        page.get_by_role("button", name="Open the console").click()
        page.wait_for_url(f"**/a/{site.account_id}/")
        visitor.open(f"{base}/me")
        page.get_by_label("Name of the new passkey").fill("A key")
        page.get_by_role("button", name="Add a passkey").click()
        page.get_by_text("The passkey was added.").wait_for()
        page.locator(".sidebar .person > summary").click()
        page.get_by_role("button", name="Sign out").first.click()
        page.get_by_role("button", name="Sign in with a passkey").click()
        page.wait_for_url(f"**/a/{site.account_id}/")
