"""Drives the console in this process: as a person of any role, over a real database.

Who holds a session is said by the harness itself, so that no password is needed; how people sign in
has tests of its own.
"""

import asyncio
import contextlib
import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

import httpx
from starlette.types import ASGIApp, Message

from gatehouse.access.roles import UserRole
from gatehouse.access.visitors import Visitor
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from gatehouse.console.app import Application
from gatehouse.console.desk import Desk
from gatehouse.console.pages import Declared
from gatehouse.console.routes import DECLARED
from gatehouse.console.serving.browser_sessions import StoredSessions
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.people.signing_in import quick_passwords
from tests.harness import Home, make_account

ORIGIN = "http://127.0.0.1:8081"


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """One event loop for all requests, made late: forks of a process must not share one."""
    return asyncio.new_event_loop()


class _Direct(httpx.BaseTransport):
    """Hands requests to the application on one event loop; a test's client would make threads."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return _loop().run_until_complete(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": unquote(request.url.raw_path.partition(b"?")[0].decode()),
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": ("198.51.100.9", 40_000),
            "server": (request.url.host, 80),
        }
        sent: list[Message] = []
        read_once = iter([request.read])

        async def receive() -> Message:
            for read in read_once:
                return {"type": "http.request", "body": read(), "more_body": False}
            await asyncio.Event().wait()  # A browser stays until it has the whole answer.
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        content = b"".join(message.get("body", b"") for message in sent[1:])
        return httpx.Response(
            sent[0]["status"], headers=sent[0]["headers"], content=content, request=request
        )


class Browser:
    """One person's browser, signed in or not."""

    def __init__(self, client: httpx.Client, visitor: Visitor | None) -> None:
        self.client = client
        self.visitor = visitor
        self._csrf = visitor.csrf_token if visitor else None

    def get(
        self, path: str, *, fragment: bool = False, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Open a page, or ask for a part of it as htmx does."""
        more = {"HX-Request": "true", "HX-Request-Type": "partial"} if fragment else {}
        return self._noted(self.client.get(path, headers={**more, **(headers or {})}))

    def post(
        self,
        path: str,
        form: Mapping[str, Any] | None = None,
        *,
        fragment: bool = False,
        files: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Send a form as a page of the console would; the token is added."""
        sent = {"csrf": self._csrf} if self._csrf else {}
        more = {"HX-Request": "true", "HX-Request-Type": "partial"} if fragment else {}
        own = {
            "Origin": str(self.client.base_url).rstrip("/"),
            "Sec-Fetch-Site": "same-origin",
            **more,
            **(headers or {}),
        }
        answer = self.client.post(path, data={**sent, **(form or {})}, files=files, headers=own)
        return self._noted(answer)

    def _noted(self, answer: httpx.Response) -> httpx.Response:
        """The answer; the forms on it have the token that the next form is sent with."""
        found = re.search(r'name="csrf" value="([^"]+)"', answer.text)
        self._csrf = found[1] if found else self._csrf
        return answer


class Console:
    """The console over one database."""

    def __init__(
        self,
        session: AdminSession,
        settings: Settings | None = None,
        declared: tuple[Declared, ...] = DECLARED,
        origin: str = ORIGIN,
    ) -> None:
        self.session = session
        self._origin = origin
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
        if role is UserRole.BILLING:
            return self.as_person({}, is_billing=True, **known)
        return self.as_person({account_id or self.account_id: role}, **known)

    def as_person(self, roles: Mapping[str, str], **known: Any) -> Browser:
        """A person with these roles; `locale`, `time_zone` and the like can be chosen."""
        number = len(self._visitors)
        visitor = Visitor(
            session_id=f"ses_{number}",
            csrf_token=f"csrf-token-{number}",
            roles=roles,
            **{
                "user_id": f"usr_{number}",
                "login": f"person{number}@shop.test",
                "name": "Ada Quinn",
                **known,
            },
        )
        self._visitors[f"token-{number}"] = visitor
        browser = self._browser(visitor)
        browser.client.cookies.set(self.desk.cookies.session_name, f"token-{number}")
        return browser

    def with_token(self, token: str) -> Browser:
        """The browser of somebody who really signed in, and got this token."""
        browser = self._browser(self.resolve(token, None))
        browser.client.cookies.set(self.desk.cookies.session_name, token)
        return browser

    def stranger(self) -> Browser:
        """A browser in which nobody is signed in."""
        return self._browser(None)

    def _browser(self, visitor: Visitor | None) -> Browser:
        transport = _Direct(self._app)
        return Browser(httpx.Client(transport=transport, base_url=self._origin), visitor)

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
        opened = Console(session, Settings(home=home.path))
        try:
            yield opened
        finally:
            opened.desk.close()
