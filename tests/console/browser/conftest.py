"""One console and one browser for the tests of a module."""

from collections.abc import Iterator

import pytest

from tests.console.browser.site import CHROMIUM, Site, open_site
from tests.harness import Home


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A running console with the demo account."""
    if CHROMIUM is None:
        pytest.skip("CHROMIUM IS MISSING: no page of the console was opened in a browser")
    home = Home(tmp_path_factory.mktemp("site") / "home").migrated()
    with open_site(home) as opened:
        yield opened
