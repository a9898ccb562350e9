"""Tells from a user agent in lower case which system it names, and which form the device has."""

from typing import Final

_SYSTEMS: Final = (
    ("windows phone", "Windows Phone"),
    ("like mac os x", "iOS"),
    ("(iphone", "iOS"),
    ("(ipad", "iOS"),
    ("(ipod", "iOS"),
    ("kaios", "KaiOS"),
    ("harmonyos", "HarmonyOS"),
    ("openharmony", "HarmonyOS"),
    ("tizen", "Tizen"),
    ("web0s", "webOS"),
    ("webos", "webOS"),
    ("android", "Android"),
    ("windows", "Windows"),
    ("cros ", "Chrome OS"),
    ("macintosh", "Mac OS X"),
    ("playstation", "PlayStation"),
    ("nintendo", "Nintendo"),
    ("blackberry", "BlackBerry OS"),
    ("bb10", "BlackBerry OS"),
    ("playbook", "BlackBerry OS"),
    ("symbian", "Symbian"),
    ("iphone", "iOS"),
    ("ipad", "iOS"),
    (" ios", "iOS"),
    ("(ios", "iOS"),
    ("ios/", "iOS"),
    ("mac os", "Mac OS X"),
    ("macos", "Mac OS X"),
    ("linux", "Linux"),
    ("x11", "Linux"),
)
"""The words of each system, the most specific first: agents of Android also name Linux, and makers
of Android devices imitate the name iPhone."""

_PHONES: Final = frozenset(("Windows Phone", "KaiOS", "Symbian"))
_DESKTOPS: Final = frozenset(("Mac OS X", "Chrome OS", "Linux"))
_HANDHELD: Final = frozenset(("iOS", "HarmonyOS"))
_TABLETS: Final = ("(ipad", "tablet", "playbook", "kindle")

_SCREENS: Final = (
    *("smart-tv", "smarttv", "hbbtv", "androidtv", "android tv", "appletv", "googletv", " tv "),
    *("crkey", "bravia", "; aft", "viera", "netcast", " omi/", "web0s", "webos"),
    *("xbox", "playstation", "nintendo"),
)
"""The words of televisions and consoles, which are neither desktop, mobile nor tablet."""


def system_of(lower: str) -> str | None:
    """The system that an agent names. Its version is not read: browsers froze it."""
    for word, system in _SYSTEMS:
        if word in lower:
            return system
    return None


def is_screen(lower: str) -> bool:
    """Whether an agent is that of a television or a console, whose browser its maker chose."""
    return any(word in lower for word in _SCREENS)


def form_of(lower: str, system: str | None) -> str | None:
    """Whether the device is a "desktop", a "mobile" or a "tablet"; None for others and unknown."""
    if system is None or is_screen(lower):
        return None
    if system in _PHONES:
        return "mobile"
    # Windows writes "Tablet PC" on ordinary computers too.
    if system == "Windows":
        return "desktop"
    if any(word in lower for word in _TABLETS):
        return "tablet"
    if system in _DESKTOPS:
        return "mobile" if "mobile" in lower else "desktop"
    if system == "Android":
        if "mobi" in lower:
            return "mobile"
        # Browsers omit the word on tablets, applications on all devices.
        browser = lower.startswith("mozilla/") and ("chrome/" in lower or "safari/" in lower)
        return "tablet" if browser else None
    return "mobile" if system in _HANDHELD or "mobile" in lower else None
