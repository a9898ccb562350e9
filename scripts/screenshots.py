"""Pictures of the console's main pages for its manual: `make screenshots`.

They are taken of the demo account in a real browser.
"""

import io
import sys
import tempfile
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Page
from tests.console.browser.past import open_filled, path_to, places, wait_for_figures
from tests.console.browser.site import CHROMIUM

import gatehouse.stages  # noqa: F401  # registers the stages, as every entry point does
from gatehouse.access.roles import UserRole

_FOLDER: Final = Path(__file__).parents[1] / "docs" / "console"
_DECISIONS: Final = 480
_PAGES: Final = {
    "overview": "/a/{account}/",
    "decisions": "/a/{account}/decisions",
    "decision": "/a/{account}/decisions/{id}",
    "entity": "/a/{account}/entities/{kind}/{token}",
    "reviews": "/a/{account}/reviews",
    "review": "/a/{account}/reviews/{id}",
    "lists": "/a/{account}/lists",
    "money": "/a/{account}/money",
    "webhooks": "/a/{account}/webhooks/{webhook}",
    "rules": "/a/{account}/rules",
    "rule-editor": "/a/{account}/rules/{set}/edit",
    "rule-builder": "/a/{account}/rules/{set}/build",
    "models": "/a/{account}/models",
}
_CLICKED: Final = {"signal0.0": "order.amount", "operator0.0": "more", "value0.0": "500"}
"""A condition for the picture of the page that clicks rules together."""


def main() -> None:
    """Take all pictures anew."""
    if CHROMIUM is None:
        sys.exit("Pictures need chromium; on Debian: apt-get install chromium")
    _FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_filled(Path(folder) / "home", _DECISIONS) as site,
    ):
        with site.home.session() as session:
            token = site.token(UserRole.ADMINISTRATOR)
            known = places(session)
        size = {"width": 1280, "height": 800}
        with site.visit(token, viewport=size, color_scheme="light") as visitor:
            wait_for_figures(visitor)
            for name, path in _PAGES.items():
                page = visitor.open(path_to(path, known))
                if name == "rule-builder":
                    _click(page)
                page.wait_for_load_state("networkidle")
                _take(page, _FOLDER / f"{name}.png")


def _click(page: Page) -> None:
    for name, value in _CLICKED.items():
        field = page.locator(f'[name="{name}"]')
        if name.startswith("operator"):
            field.select_option(value)
        else:
            field.fill(value)
            field.press("Tab")
    page.get_by_role("button", name="Check", exact=True).click()


def _take(page: Page, file: Path) -> None:
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture = picture.quantize(256, dither=Image.Dither.NONE)
    picture.save(file, optimize=True)
    print(f"{file.name}: {file.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
