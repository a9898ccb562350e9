"""Drives the console in this process: as a person of any role, over a real database.

Who holds a session is said by the harness itself, so that no password is needed; how people sign in
has tests of its own.
"""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
from starlette.testclient import TestClient

from gatehouse.access.roles import UserRole
from gatehouse.access.visitors import Visitor
from gatehouse.admin.people.sign_in import SignIn
from gatehouse.console.app import Application
from gatehouse.console.browser_sessions import StoredSessions
from gatehouse.console.desk import Desk
from gatehouse.console.pages import Declared
from gatehouse.console.routes import DECLARED
from gatehouse.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.people.signing_in import quick_passwords
from tests.harness import Home, make_account

ORIGIN = "http://127.0.0.1:8081"


class Browser:
    """One person's browser, signed in or not."""

    def __init__(self, client: TestClient, visitor: Visitor | None) -> None:
        self.client = client
        self.visitor = visitor

    def get(self, path: str, *, fragment: bool = False, **headers: str) -> httpx.Response:
        """Open a page, or ask for a part of it as htmx does."""
        more = {"HX-Request": "true", "HX-Request-Type": "partial"} if fragment else {}
        return self.client.get(path, headers={**more, **headers})  # type: ignore[return-value]

    def post(
        self,
        path: str,
        form: Mapping[str, Any] | None = None,
        *,
        fragment: bool = False,
        files: Any = None,
        **headers: str,
    ) -> httpx.Response:
        """Send a form as a page of the console would; the token is added."""
        sent = {"csrf": self.visitor.csrf_token} if self.visitor else {}
        more = {"HX-Request": "true", "HX-Request-Type": "partial"} if fragment else {}
        return self.client.post(  # type: ignore[return-value]
            path,
            data={**sent, **(form or {})},
            files=files,
            headers={"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin", **more, **headers},
        )


class Console:
    """The console over one database."""

    def __init__(
        self,
        session: AdminSession,
        settings: Settings | None = None,
        declared: tuple[Declared, ...] = DECLARED,
    ) -> None:
        self.session = session
        self._visitors: dict[str, Visitor] = {}
        self.sign_in = SignIn(session, quick_passwords())
        self.desk = Desk(self.sign_in, settings or Settings(), declared, self)
        self._stored = StoredSessions(self.sign_in)
        self._app = Application(self.desk).asgi()
        self.account_id = make_account(session, "Corner Shop", micros=100_000_000)
        self.other_id = make_account(session, "Other Shop")

    def as_role(self, role: UserRole, account_id: str | None = None, **known: Any) -> Browser:
        """A person with this role, in the console's account unless another is named."""
        if role is UserRole.OPERATOR:
            return self.as_person({}, is_operator=True, **known)
        return self.as_person({account_id or self.account_id: role}, **known)

    def as_person(self, roles: Mapping[str, UserRole], **known: Any) -> Browser:
        """A person with these roles; `locale`, `time_zone` and the like can be chosen."""
        number = len(self._visitors)
        visitor = Visitor(
            user_id=f"usr_{number}",
            session_id=f"ses_{number}",
            csrf_token=f"csrf-token-{number}",
            roles=roles,
            **{"login": f"person{number}@shop.test", "name": "Ada Quinn", **known},
        )
        self._visitors[f"token-{number}"] = visitor
        browser = self._browser(visitor)
        browser.client.cookies.set(self.desk.cookies.session_name, f"token-{number}")
        return browser

    def stranger(self) -> Browser:
        """A browser in which nobody is signed in."""
        return self._browser(None)

    def _browser(self, visitor: Visitor | None) -> Browser:
        client = TestClient(self._app, base_url=ORIGIN, follow_redirects=False)
        return Browser(client, visitor)

    def resolve(self, token: str, address: str | None) -> Visitor | None:
        """The person whom the harness made, or one who really signed in."""
        return self._visitors.get(token) or self._stored.resolve(token, address)

    def renew(self, token: str) -> str | None:
        """Another token for somebody who really signed in."""
        return self._stored.renew(token)


@contextlib.contextmanager
def open_console(home: Home) -> Iterator[Console]:
    """The console of a home without data."""
    with home.session() as session:
        yield Console(session)
