"""One browser, one server and one console for all tests of this folder."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from gatehouse.access.roles import UserRole
from tests.console.browser.past import open_filled, places
from tests.console.browser.site import CHROMIUM, Site, open_browser


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium, in which pages are opened."""
    if CHROMIUM is None:
        pytest.skip("CHROMIUM IS MISSING: no page of the console was opened in a browser")
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="package")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """What `make run` starts, with a demo account that has been used for some weeks."""
    with open_filled(tmp_path_factory.mktemp("site") / "home", browser) as opened:
        yield opened


@pytest.fixture(scope="package")
def known(site: Site) -> dict[str, str]:
    """What stands for the parts of paths."""
    site.token(UserRole.VIEWER)
    with site.home.session() as session:
        return places(session)
