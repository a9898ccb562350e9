"""What every request must pass before a page sees it: its host, its origin, its form's token."""

import hmac
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from gatehouse.access.visitors import Visitor
from gatehouse.console.forms.forms import SentForm
from gatehouse.console.refusals import PageRefused

CSRF_FIELD: Final = "csrf"
CSRF_HEADER: Final = "x-csrf-token"
_LOOPBACK: Final = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?")
_OWN_PATH: Final = re.compile(r"/(?!/)[ -\[\]-~]{0,499}")
"""A path without another host, of ASCII without backslashes, which browsers take for slashes."""
Headers = Mapping[str, str]


class OriginGuard:
    """Knows the address of the console, and refuses what comes for or from another one."""

    def __init__(self, address: str, *, configured: bool) -> None:
        """An address that was not configured is this machine's, which has several names."""
        split = urlsplit(address)
        self.is_secure: Final = split.scheme == "https"
        self._scheme = split.scheme
        self._host = split.netloc.lower()
        self._configured = configured

    def check_host(self, headers: Headers) -> None:
        """Refuse a name that is not ours, which a foreign site may have pointed at us."""
        host = headers.get("host", "").lower()
        if host != self._host and (self._configured or not _LOOPBACK.fullmatch(host)):
            raise PageRefused(421, "problems.wrong_host")

    def check_sender(self, headers: Headers) -> None:
        """Refuse a form that a page of another site sent."""
        site = headers.get("sec-fetch-site")
        if site is not None and site != "same-origin":
            raise PageRefused(403, "problems.foreign_form")
        origin = headers.get("origin")
        if origin is None and site is None:
            raise PageRefused(403, "problems.foreign_form")
        own = f"{self._scheme}://{headers.get('host', '').lower()}"
        if origin is not None and origin.lower() != own:
            raise PageRefused(403, "problems.foreign_form")


def check_token(visitor: Visitor, headers: Headers, form: SentForm) -> None:
    """Refuse a form without the token of the session that it was made for."""
    given = headers.get(CSRF_HEADER) or form.values.get(CSRF_FIELD, ("",))[0]
    if not hmac.compare_digest(given.encode(), visitor.csrf_token.encode()):
        raise PageRefused(403, "problems.old_form")


def own_path(given: str) -> str:
    """Where to go after signing in: a path of the console, or its first page."""
    return given if _OWN_PATH.fullmatch(given) else "/"
