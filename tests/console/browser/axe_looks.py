"""Lets axe look at a page: at its structure as a whole, and at colours that it has not seen yet."""

import functools
import json
from collections.abc import Callable
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
_LOOK: Final = """async ([where, options]) => {
    const found = await axe.run(where ?? document, {resultTypes: ["violations"], ...options});
    return found.violations.map(({id, nodes}) =>
        [id, nodes.map(each => [each.html.slice(0, 200), each.failureSummary])]);
}"""
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
        each.removeAttribute("data-look");
        if (!speaks(each) || !each.checkVisibility() || seen.has(hash(each))) continue;
        seen.add(hash(each));
        found.push(hash(each));
        each.setAttribute("data-unseen", hash(each));
    }
    return found;
}"""
"""Marks the texts whose colours are not known: what styles them, and all that they are in, is as at
no text before. What is styled alike is coloured alike.
"""
_LOOK_AT_COLOURS: Final = """async ([known, options]) => {
    const read = new Set(known), styles = new Map(), colours = new Map();
    const style = each => {
        if (!styles.has(each)) styles.set(each, getComputedStyle(each));
        return styles.get(each);
    };
    const coloured = each => {
        const {color, fontSize, fontWeight, textShadow, display, textDecorationLine} = style(each);
        const size = parseFloat(fontSize), isLarge = size >= (fontWeight >= 700 ? 18.66 : 24);
        const off = ":disabled, [aria-disabled=true]", label = each.closest("label")?.control;
        const isOff = each.closest(off) !== null || label?.matches(off) === true;
        const parts = [color, isLarge, isOff, textShadow];
        if (each.matches("a") && display === "inline") {
            const around = style(each.parentElement);
            parts.push(fontWeight, around.fontWeight, around.color, textDecorationLine);
        }
        for (let inner = each, through = true; inner; inner = inner.parentElement) {
            const {opacity, filter, position, backgroundColor, backgroundImage} = style(inner);
            if (opacity !== "1" || filter !== "none") parts.push(opacity, filter);
            if (!through) continue;
            if (backgroundColor !== "rgba(0, 0, 0, 0)" || backgroundImage !== "none")
                parts.push(backgroundColor, backgroundImage);
            through = /^rgba|[/]|^transparent/.test(backgroundColor);
            // Behind it is something else than what it is in.
            if (through && /absolute|fixed|sticky/.test(position)) parts.push(each.dataset.unseen);
        }
        return parts.join();
    };
    for (const each of document.querySelectorAll("[data-unseen]")) {
        colours.set(each, coloured(each));
        each.toggleAttribute("data-look", !read.has(colours.get(each)));
    }
    if (document.querySelector("[data-look]") === null) return [[], []];
    const {violations, passes} = await axe.run({include: ["[data-look]"]},
        {resultTypes: ["violations", "passes"], elementRef: true, ...options});
    const readable = passes.filter(each => each.id === "color-contrast")
        .flatMap(each => each.nodes.map(node => colours.get(node.element)));
    return [
        violations.map(({id, nodes}) =>
            [id, nodes.map(each => [each.html.slice(0, 200), each.failureSummary])]),
        [...new Set(readable)].filter(each => each !== undefined),
    ];
}"""
"""Looks at those of the marked texts whose colours, size and background were not read before."""


@functools.cache
def _axe() -> str:
    return (npm_packages("axe", AXE) / "axe-core" / "axe.min.js").read_text()


class AxeLooks:
    """What axe finds on the pages of one window."""

    seen: Final[set[int]] = set()
    """Which styles of texts it has looked at in this process, in light and in dark."""
    read: Final[set[str]] = set()
    """With which colours, sizes and backgrounds it could read a text."""

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
        options = {"runOnly": _RULES, "rules": colours, "preload": where is None}
        self._check("light", lambda: self._page.evaluate(_LOOK, [where, options]))
        unseen = self._page.evaluate(_UNSEEN, sorted(self.seen))
        if not unseen:
            return
        for theme in _THEMES:
            self._check(theme, self._look_at_colours)
        self.seen.update(unseen)

    def _look_at_colours(self) -> list[Any]:
        only = {"runOnly": {"type": "rule", "values": _COLOURS}, "preload": False}
        problems, readable = self._page.evaluate(_LOOK_AT_COLOURS, [sorted(self.read), only])
        self.read.update(readable)
        return list(problems)

    def _check(self, theme: Literal["light", "dark"], look: Callable[[], list[Any]]) -> None:
        self._page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for _ in range(_LOOKS):
            self._page.evaluate(DRAWN)
            problems = look()
            if not problems:
                break
        assert problems == [], f"{self._page.url} in {theme}: {json.dumps(problems, indent=1)}"
