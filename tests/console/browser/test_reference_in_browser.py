"""The search of the API reference, in a real browser: what other pages have is found too."""

from playwright.sync_api import expect

from tests.console.browser.site import Site, needs_chromium


@needs_chromium
def test_the_search_of_the_reference_finds_test_cards_and_codes_on_other_pages(site: Site) -> None:
    with site.visit() as visitor:
        page = visitor.open(f"{site.server.base}/docs")
        # The hidden place of what is found leaves no line above the first section.
        expect(page.locator("section:visible").first).to_have_css("border-top-width", "0px")
        search = page.get_by_role("searchbox")
        elsewhere = page.locator("section", has=page.get_by_role("heading", name="On other pages"))
        search.fill("4000000000009979")
        expect(elsewhere.get_by_role("link", name="Triggers")).to_be_visible()
        expect(elsewhere).to_contain_text("stolen card")
        search.fill("no-such-word-anywhere")
        expect(elsewhere).to_be_hidden()
        search.fill("insufficient_balance")
        elsewhere.get_by_role("link", name="Error codes").click()
        page.wait_for_url("**/docs/guides/errors#*")


@needs_chromium
def test_a_sample_of_the_reference_is_tried_as_a_form_against_the_sandbox(site: Site) -> None:
    with site.visit() as visitor:
        page = visitor.open(f"{site.server.base}/docs")
        check = page.locator("section", has=page.get_by_role("heading", name="PreCheck"))
        check.get_by_role("button", name="Try it").click()
        check.get_by_role("button", name="Send").click()
        expect(check.get_by_role("status")).to_contain_text("Enter an API key first")
        check.get_by_label("API key").fill(site.key)
        check.get_by_role("button", name="Send").click()
        expect(check.get_by_role("status")).to_contain_text("200 after")
        expect(check.locator(".trying pre")).to_contain_text('"isSuccess": true')
        one = page.locator(
            "section", has=page.get_by_role("heading", name="One decision", exact=True)
        )
        one.get_by_role("button", name="Try it").click()
        one.get_by_role("button", name="Send").click()
        expect(one.get_by_role("status")).to_contain_text("Replace $")
