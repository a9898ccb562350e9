"""Finds contradictions in a user agent: combinations that no real device sends.

Agents that are assembled from pieces or edited by hand leave such traces.
"""

import re
from bisect import bisect_right
from typing import Final

_NUMBER: Final = re.compile(r"\d{1,6}")
_BUILD: Final = re.compile(r"\d{1,6}\.0\.(\d{1,6})\.")
_WINDOWS_VERSION: Final = re.compile(r"\d{1,3}\.\d{1,3}")

_APPLE: Final = ("(iphone", "(ipad", "(ipod")

_LAST_SAFARI_FOR_WINDOWS: Final = 5
_FIRST_EDGE_WITH_CHROME: Final = 79
_EDGE_LAG: Final = 2

# Windows 11 is 10.0 too, and so will its successors be: browsers froze the number.
_WINDOWS_VERSIONS: Final = {
    *("3.1", "3.5", "3.51", "4.0", "5.0", "5.01", "5.1", "5.2"),
    *("6.0", "6.1", "6.2", "6.3", "6.4", "10.0"),
}

# The third number of Chrome's version counts builds and grows with the first, which reveals an
# invented one. Between these points it grows evenly enough for the slack.
_BUILD_MAJORS: Final = (30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150)
_BUILDS: Final = (1599, 2214, 2661, 3112, 3538, 3987, 4430, 4896, 5481, 6099, 6723, 7339, 7871)
_BUILD_SLACK: Final = 150
# After the last point, more builds per version than Chrome ever had are allowed.
_MOST_BUILDS_PER_VERSION: Final = 70


def version_after(lower: str, word: str) -> int | None:
    """The number that follows a word, such as "chrome/", where it first occurs."""
    place = lower.find(word)
    found = _NUMBER.match(lower, place + len(word)) if place >= 0 else None
    return None if found is None else int(found[0])


def contradiction(lower: str) -> str | None:
    """Why no device has this agent, which is in lower case; None when it may exist."""
    # These phones named all other systems on purpose.
    if "windows phone" in lower:
        return None
    windows = "windows nt " in lower
    # The name alone is not enough: other makers have phones with similar names.
    apple = "like mac os x" in lower or any(name in lower for name in _APPLE)
    android = "android" in lower
    if windows:
        if apple:
            return "iPhone or iPad on Windows"
        if android:
            return "Android on Windows"
        if "macintosh" in lower:
            return "Macintosh on Windows"
        place = lower.index("windows nt ") + len("windows nt ")
        version = _WINDOWS_VERSION.match(lower, place)
        if version is not None and version[0] not in _WINDOWS_VERSIONS:
            return "a Windows that does not exist"
    elif android and apple:
        return "iPhone or iPad on Android"
    return _engines(lower, windows=windows, apple=apple)


def _engines(lower: str, *, windows: bool, apple: bool) -> str | None:
    chrome = version_after(lower, "chrome/")
    if chrome is None:
        # Facebook once shipped its iPhone application, with its engine, for Windows.
        if not windows or "safari/" not in lower or "[fban" in lower:
            return None
        safari = version_after(lower, "version/")
        too_new = safari is not None and safari > _LAST_SAFARI_FOR_WINDOWS
        return "Safari on Windows" if too_new else None
    if "trident/" in lower or "msie " in lower:
        return "Internet Explorer and Chrome at once"
    if "firefox/" in lower:
        return "Firefox and Chrome at once"
    if apple:
        return "Chrome for other devices on iPhone or iPad"
    edge = version_after(lower, " edg/")
    if edge is not None and edge >= _FIRST_EDGE_WITH_CHROME and abs(edge - chrome) > _EDGE_LAG:
        return "Edge and Chrome of different versions"
    return None


def wrong_build(lower: str) -> bool:
    """Whether the build number of Chrome belongs to another version.

    Only for Chrome itself: other browsers that name it may count builds of their own.
    """
    major = version_after(lower, "chrome/")
    found = _BUILD.match(lower, lower.find("chrome/") + len("chrome/"))
    if major is None or major < _BUILD_MAJORS[0] or found is None:
        return False
    build = int(found[1])
    if build == 0:
        return False
    place = bisect_right(_BUILD_MAJORS, major) - 1
    if place + 1 == len(_BUILD_MAJORS):
        most = (major - _BUILD_MAJORS[place]) * _MOST_BUILDS_PER_VERSION
        return not -_BUILD_SLACK <= build - _BUILDS[place] <= most + _BUILD_SLACK
    step = (major - _BUILD_MAJORS[place]) / (_BUILD_MAJORS[place + 1] - _BUILD_MAJORS[place])
    expected = _BUILDS[place] + step * (_BUILDS[place + 1] - _BUILDS[place])
    return abs(build - expected) > _BUILD_SLACK
