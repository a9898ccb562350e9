"""Lets axe look at a page: at its structure as a whole, and at colours that it has not seen yet."""

import functools
import json
from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import Page

from tests.installed_programs import npm_packages

AXE: Final = Path(__file__).with_name("axe")
_RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_COLOURS: Final = ["color-contrast", "link-in-text-block"]
"""All rules that a theme can make a difference to; others take half of the time."""
# It ends with light, in which the next page is opened.
_THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("dark", "light")
_INSIDE: Final = {"exclude": [".sidebar", ".topbar"]}
_LOOKS: Final = 5
"""While a page changes its theme, the browser tells colours of both; a true finding stays."""
DRAWN: Final = """() => new Promise(done =>
    requestAnimationFrame(() => requestAnimationFrame(done)))"""
_LOOK: Final = """([where, options]) =>
    axe.run(where ?? document, {resultTypes: ["violations"], ...options})"""
_UNSEEN: Final = """known => {
    const seen = new Set(known), hashes = new Map(), found = [];
    const word = /^[a-z-]{0,16}$/;
    const styled = ({name, value}) =>
        ["class", "style", "type", "fill", "stroke"].includes(name) ? `${name}=${value}`
        : name.startsWith("aria-") || name.startsWith("data-")
            ? `${name}=${word.test(value) ? value : ""}`
        : ["disabled", "checked", "open", "hidden", "readonly"].includes(name) ? name : "";
    const hash = each => {
        if (each === null) return 7;
        if (!hashes.has(each)) {
            let sum = hash(each.parentElement);
            for (const letter of each.tagName + [...each.attributes].map(styled).sort().join())
                sum = (Math.imul(sum, 31) + letter.codePointAt(0)) | 0;
            hashes.set(each, sum);
        }
        return hashes.get(each);
    };
    const speaks = each => each.matches("input, select, textarea")
        || [...each.childNodes].some(inner => inner.nodeType === 3 && inner.data.trim() !== "");
    for (const each of document.body.querySelectorAll("*")) {
        each.removeAttribute("data-unseen");
        if (!speaks(each) || !each.checkVisibility() || seen.has(hash(each))) continue;
        seen.add(hash(each));
        found.push(hash(each));
        each.toggleAttribute("data-unseen", true);
    }
    return found;
}"""
"""Marks the texts whose colours are not known: what styles them, and all that they are in, is as at
no text before. What is styled alike is coloured alike.
"""


@functools.cache
def _axe() -> str:
    return (npm_packages("axe", AXE) / "axe-core" / "axe.min.js").read_text()


class AxeLooks:
    """What axe finds on the pages of one window."""

    seen: Final[set[int]] = set()
    """Which styles of texts it has looked at in this process, in light and in dark."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._is_loaded = False
        self._frame_seen = False

    def load(self) -> None:
        """Have axe on this page and on those that follow."""
        if not self._is_loaded:
            self._is_loaded = True
            self._page.add_init_script(_axe())
            self._page.evaluate(_axe())

    def look(self, within: tuple[str, ...]) -> None:
        """Look at the page or at parts of it; no finding is right."""
        # The frame is the same on all pages of a window; it takes half of the time.
        where: object = _INSIDE if self._frame_seen else None
        if within:
            where = {"include": within}
        else:
            self._frame_seen = self._page.locator(".sidebar").count() > 0
        colours = {rule: {"enabled": False} for rule in _COLOURS}
        # Files of styles are the same for all pages.
        self._check("light", where, {"runOnly": _RULES, "rules": colours, "preload": where is None})
        unseen = self._page.evaluate(_UNSEEN, sorted(self.seen))
        if not unseen:
            return
        for theme in _THEMES:
            only = {"runOnly": {"type": "rule", "values": _COLOURS}, "preload": False}
            self._check(theme, {"include": ["[data-unseen]"]}, only)
        self.seen.update(unseen)

    def _check(self, theme: Literal["light", "dark"], where: object, options: object) -> None:
        self._page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for _ in range(_LOOKS):
            self._page.evaluate(DRAWN)
            problems = self._problems(where, options)
            if not problems:
                break
        assert problems == [], f"{self._page.url} in {theme}: {json.dumps(problems, indent=1)}"

    def _problems(self, where: object, options: object) -> list[Any]:
        found = self._page.evaluate(_LOOK, [where, options])["violations"]
        return [
            (each["id"], [(node["html"][:200], node["failureSummary"]) for node in each["nodes"]])
            for each in found
        ]
