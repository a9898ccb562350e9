"""What every request must pass before a page sees it: its host, its origin, its form's token."""

import hmac
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from gatehouse.access.visitors import Visitor
from gatehouse.console.forms.forms import SentForm
from gatehouse.console.refusals import PageRefused

CSRF_FIELD: Final = "csrf"
CSRF_HEADER: Final = "x-csrf-token"
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_LONGEST_NEXT: Final = 500
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
        name = urlsplit(f"//{host}").hostname or ""
        if host != self._host and (self._configured or name not in _LOOPBACK):
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
    split = urlsplit(given)
    fits = (
        len(given) <= _LONGEST_NEXT
        and given.startswith("/")
        and not given.startswith(("//", "/\\"))
        and "\\" not in given
        and given.isascii()
        and given.isprintable()
        and not split.netloc
        and not split.scheme
    )
    return given if fits else "/"
