"""Finds what is suspicious about the page that a customer claims to come from.

Only the scheme and the host of its URL are examined; path and query may hold personal data.
"""

import re
import unicodedata
from typing import Final

from gatehouse.core.limits.short_cache import cache_short

MAX_CHARACTERS: Final = 2048
MAX_HOST: Final = 253

NOT_A_URL: Final = "not a URL"
SCHEME: Final = "scheme"
CREDENTIALS: Final = "credentials"
ADDRESS: Final = "address"
LOCAL_HOST: Final = "local host"
PUNYCODE: Final = "punycode"

# Android and iOS name an app in the place of a page. Capacitor and Ionic serve an app's own pages.
_APP_SCHEMES: Final = frozenset({"android-app", "ios-app", "capacitor", "ionic"})
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+-]*", re.IGNORECASE | re.ASCII)
_END_OF_AUTHORITY: Final = re.compile(r"[/?#\\]")
_HOST: Final = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_PORT: Final = re.compile(r"[0-9]{0,5}", re.ASCII)

# Top-level names without public sites: RFC 6761, 6762 and 8375, and those of private networks.
_LOCAL_END: Final = re.compile(
    "arpa|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|test"
)

# Scripts that are written together in one word.
_TOGETHER: Final = (
    frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "LATIN"}),
    frozenset({"CJK", "HANGUL", "LATIN"}),
    frozenset({"CJK", "BOPOMOFO", "LATIN"}),
)
_CYRILLIC_LIKE_LATIN: Final = frozenset("аеорсухіјѕԁһӏԛԝьү")


def suspicion(url: str) -> str | None:
    """Why a referrer is suspicious, in one or two words; None when it is ordinary or empty."""
    text = url[:MAX_CHARACTERS].strip()
    scheme, colon, rest = text.partition(":")
    if not colon or _SCHEME.fullmatch(scheme) is None:
        return NOT_A_URL if text else None
    scheme = scheme.lower()
    if scheme not in {"http", "https"}:
        return None if scheme in _APP_SCHEMES else SCHEME
    if not rest.startswith("//"):
        return NOT_A_URL
    end = _END_OF_AUTHORITY.search(rest, 2)
    return _of_authority(rest[2 : end.start()] if end else rest[2:])


@cache_short(4096)
def _of_authority(authority: str) -> str | None:
    # No browser sends credentials in a referrer; they are written to disguise the host.
    if "@" in authority:
        return CREDENTIALS
    if authority.startswith("["):
        return LOCAL_HOST if authority.startswith("[::1]") else ADDRESS
    host, _, port = authority.partition(":")
    host = host.lower().removesuffix(".")
    if not 0 < len(host) <= MAX_HOST or _PORT.fullmatch(port) is None:
        return NOT_A_URL
    if not host.isascii():
        return PUNYCODE if any(map(_imitates, host.split("."))) else None
    if _HOST.fullmatch(host) is None:
        return NOT_A_URL
    last = host.rpartition(".")[2]
    if _NUMBER.fullmatch(last):
        return LOCAL_HOST if host.startswith("127.") else ADDRESS
    if last == host or _LOCAL_END.fullmatch(last):
        return LOCAL_HOST
    if "xn--" in host and any(map(_is_false_label, host.split("."))):
        return PUNYCODE
    return None


@cache_short(1024)
def _is_false_label(label: str) -> bool:
    if not label.startswith("xn--"):
        return False
    try:
        return _imitates(label[4:].encode("ascii").decode("punycode"))
    except ValueError:
        return True


def _imitates(label: str) -> bool:
    """Whether the mixed scripts of a name suggest that it imitates another."""
    scripts = set()
    # Catalan writes a dot between two l's.
    for sign in label.replace("l·l", "ll"):
        if sign.isascii():
            if sign.isalpha():
                scripts.add("LATIN")
        elif not sign.isalnum() and not unicodedata.category(sign).startswith("M"):
            return True
        elif sign.isalpha():
            scripts.add(unicodedata.name(sign, "").partition(" ")[0])
    # Browsers convert these to plain letters.
    if "FULLWIDTH" in scripts:
        return True
    if len(scripts) > 1:
        return not any(scripts <= together for together in _TOGETHER)
    return scripts == {"CYRILLIC"} and _CYRILLIC_LIKE_LATIN.issuperset(
        sign for sign in label if sign.isalpha()
    )
