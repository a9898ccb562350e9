"""Who is signed in, as the console asks for each page."""

from typing import Protocol

from gatehouse.access.visitors import Visitor
from gatehouse.admin.sign_in.use_cases import sessions
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from gatehouse.core.errors import NotFound


class BrowserSessions(Protocol):
    """Finds the person behind the token of a browser."""

    def resolve(self, token: str, address: str | None) -> Visitor | None:
        """Who holds the token, with the rights of this moment; None when the session is over."""

    def renew(self, token: str) -> str | None:
        """Another token for the same session; the old one is over."""


class StoredSessions:
    """The sessions in the database."""

    def __init__(self, sign_in: SignIn) -> None:
        self._session = sign_in.session
        self._limits = sign_in.limits

    def resolve(self, token: str, address: str | None) -> Visitor | None:
        """Who holds the token."""
        now_ms = self._session.clock()
        return sessions.resolve(self._session, token, now_ms, address, self._limits)

    def renew(self, token: str) -> str | None:
        """Another token; None when another page has renewed the session meanwhile."""
        try:
            renewed = sessions.renew(self._session, token, self._limits)
        except NotFound:
            return None
        return None if renewed is None else renewed.token
