"""Reads a user agent: who sent it, on what, how old it is, and whether it can exist at all."""

import re
from functools import cache, lru_cache
from typing import Final

import msgspec
from ua_parser_rs import UserAgentExtractor

from gatehouse.intel.agents.browsers import load_patterns, load_releases
from gatehouse.intel.agents.contradictions import contradiction, version_after, wrong_build
from gatehouse.intel.agents.devices import form_of, is_screen, system_of
from gatehouse.intel.agents.programs import MAX_NAME, compiled_words, find_program, is_webview
from gatehouse.intel.feeds.freshness import day_of

MAX_PLAUSIBLE: Final = 512
"""No browser has a longer agent."""
MAX_READ: Final = 1_024
"""Programs that name themselves are recognised up to here, and nothing is looked at beyond."""
REMEMBERED: Final = 20_000


class Agent(msgspec.Struct, frozen=True, gc=False):
    """What a user agent says about its sender; `impossible` says why it cannot be true."""

    kind: str
    """browser, webview, app, bot, library, headless, malformed, or unknown (often a shop's own app,
    as is app itself: the plain library of a phone)."""
    family: str | None = None
    """The name of the browser, of the application or of the program."""
    major: int | None = None
    system: str | None = None
    form: str | None = None
    """desktop, mobile or tablet."""
    superseded_on: int | None = None
    """The day, since 1970, on which the next major version came out, or on which the extended
    support of this one ended. None: newest, supported, or not known."""
    expected_on: int | None = None
    """Of a version that is newer than those known here: the day before which it cannot be out."""
    impossible: str | None = None
    """Why no device has this agent."""


_MALFORMED: Final = Agent("malformed")

_PLACEHOLDERS: Final = {
    *("", "-", "mozilla", "mozilla/4.0", "mozilla/5.0", "user-agent", "useragent"),
    *("null", "(null)", "none", "nil", "undefined", "unknown", "n/a"),
}

# Facebook's applications open with what others append.
_OPENS_AS_BROWSER: Final = re.compile(
    r"mozilla/\d\.\d\d? ?\(|opera/\d|ucweb/\d|(?:lightspeed )?\[fban/"
)
# The shape in which the applications of shops name themselves: Shop/5.2 (iPhone; iOS 18.1).
_OPENS_AS_APPLICATION: Final = re.compile(r"(?!mozilla)[a-z][\w .%+&!'-]{0,80}[/ -]v?\d")

_LINES: Final = {
    "Chrome": "Chrome",
    "Chrome Mobile": "Chrome",
    "Chrome Mobile iOS": "Chrome",
    "Chromium": "Chrome",
    "Edge": "Edge",
    "Edge Mobile": "Edge",
    "Firefox": "Firefox",
    "Firefox Mobile": "Firefox",
    "Firefox iOS": "Firefox",
    "IE": "IE",
    "Mobile Safari": "Mobile Safari",
    "Opera": "Opera",
    "Safari": "Safari",
    "Samsung Internet": "Samsung Internet",
}
"""The families whose versions can be dated, and the releases that date them."""

_SYSTEMS: Final = {
    "Safari": frozenset(("Mac OS X", "Windows")),
    "Mobile Safari": frozenset(("iOS",)),
    "Samsung Internet": frozenset(("Android", "Linux")),
}
"""The systems for which a browser is released. On others, a device's maker borrowed its name."""

_SUPPORTED_FIREFOX: Final = {
    102: day_of("2023-09-26"),
    115: day_of("2026-09-15"),
    128: day_of("2025-09-16"),
    140: day_of("2026-09-15"),
    153: None,
}
"""The versions with extended support, and when it ended. Companies stay with them until then, and
with 115 those whose Windows has no later one."""

_RENUMBERED: Final = frozenset(("Safari", "Mobile Safari"))
"""The families that skipped version numbers: a number in the gap was never released."""

_FIRST_ALIGNED_FIREFOX_IOS: Final = 100
"""Before this version, Firefox for iOS had version numbers of its own."""

_PLAIN_CHROME: Final = frozenset(("Chrome", "Chrome Mobile"))
_BARE_ENGINES: Final = frozenset(
    ("Chrome Mobile WebView", "Mobile Safari UI/WKWebView", "Apple Mail")
)
"""The names that the patterns give to an engine without a browser."""


@cache
def _families() -> UserAgentExtractor:
    return UserAgentExtractor([(*row, None, None, None) for row in load_patterns()])


_releases: Final = cache(load_releases)


def load_agents() -> None:
    """Load what `read_agent` needs, which it would otherwise do at its first call."""
    _families()
    _releases()
    compiled_words()


def read_agent(text: str) -> Agent:
    """What a user agent says. Any text may be given; what is too long is cut before it is read."""
    # Long ones are not cached: they would take much memory, and no browser sends them.
    return _read(text[:MAX_READ]) if len(text) > MAX_PLAUSIBLE else _remembered(text)


def _read(text: str) -> Agent:
    text = text.strip()
    if not text.isprintable():
        return _MALFORMED
    # No word that is searched for holds other characters than ASCII.
    if not text.isascii():
        text = text.encode("ascii", "replace").decode("ascii")
    lower = text.lower()
    if lower in _PLACEHOLDERS:
        return _MALFORMED
    program = find_program(text, lower)
    system = system_of(lower)
    if program is not None:
        return Agent(program.kind, program.name, None, system, form_of(lower, system))
    if len(text) > MAX_PLAUSIBLE:
        return _MALFORMED
    if _OPENS_AS_BROWSER.match(lower) is not None:
        return _browser(text, lower, system)
    if system is None or _OPENS_AS_APPLICATION.match(lower) is None:
        return _MALFORMED
    return Agent("unknown", None, None, system, form_of(lower, system))


_remembered = lru_cache(REMEMBERED)(_read)


def _browser(text: str, lower: str, system: str | None) -> Agent:
    family, major = _family(text)
    webview = family in _BARE_ENGINES or is_webview(lower)
    chrome = version_after(lower, "chrome/")
    if not webview:
        line, version = _LINES.get(family or ""), major
    elif system == "Android":
        line, version = "Chrome", chrome
    else:
        # The engine in an application for desktops is its maker's choice, not the person's.
        line, version = None, None
    if line is not None and (is_screen(lower) or system not in _SYSTEMS.get(line, {system})):
        line = None
    if family == "Firefox iOS" and version is not None:
        version = max(version, _FIRST_ALIGNED_FIREFOX_IOS)
    impossible = (
        contradiction(lower)
        or (
            "a build of another version" if family in _PLAIN_CHROME and wrong_build(lower) else None
        )
        or _never_released(line, version)
        or _never_released("Chrome", chrome)
    )
    superseded_on = expected_on = None
    if line is not None and version is not None:
        releases = _releases()[line]
        superseded_on = releases.superseded_on(version)
        expected_on = releases.expected_on(version)
    if family == "Firefox" and version in _SUPPORTED_FIREFOX:
        superseded_on = _SUPPORTED_FIREFOX[version]
    kind = "webview" if webview else "unknown" if family is None else "browser"
    form = form_of(lower, system)
    return Agent(kind, family, major, system, form, superseded_on, expected_on, impossible)


def _family(text: str) -> tuple[str | None, int | None]:
    found = _families().extract(text)
    if found is None:
        return None, None
    major = found.major
    # Six digits are enough to see that a version is absurd.
    version = int(major[:6]) if major is not None and major.isdecimal() else None
    return found.family[:MAX_NAME], version


def _never_released(line: str | None, version: int | None) -> str | None:
    if line is None or version is None:
        return None
    releases = _releases()[line]
    if version > releases.highest_plausible:
        return "from the future"
    if line in _RENUMBERED and releases.was_skipped(version):
        return "a version that was never released"
    return None
