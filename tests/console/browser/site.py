"""What `make run` starts, and a real browser that visits its console."""

import contextlib
import http.client
import re
import shutil
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    APIResponse,
    Browser,
    BrowserContext,
    Dialog,
    Page,
    Response,
    ViewportSize,
    expect,
    sync_playwright,
)

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.use_cases.default_account import DEMO_ACCOUNT
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.people.use_cases.demo import demo_link
from gatehouse.admin.sign_in.use_cases.links import NewLink
from gatehouse.admin.sign_in.use_cases.sessions import SessionOrigin, SignedIn
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from tests.admin.people.signing_in import PASSWORD, quick_passwords
from tests.console.browser.axe_looks import DRAWN, AxeLooks
from tests.harness import PATIENCE_S, Home, Server, free_port, until
from tests.harness.commands import fork_command
from tests.installed_programs import NPM

CHROMIUM: Final = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""Without windows at all it takes a third of the time."""
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="CHROMIUM IS MISSING: no page of the console was opened in a browser"
)
WIDTHS: Final = (1440, 820, 390)
"""Of a desktop, in which windows open, a tablet and a phone."""
_HEIGHT: Final = 800
_FETCHED: Final = ".htmx-request, [aria-busy=true]"
_FEW_ROWS: Final = (
    """document.querySelectorAll("tbody tr:nth-child(n+5)").forEach(row => row.remove())"""
)
"""Rows of a table are like each other; axe looks at the first ones."""
_LAID_OUT_AGAIN: Final = "Measure loop restarted more than 5 times"
"""What the editor says of itself on a machine that is busy with other tests; it goes on."""
_REFUSED: Final = "Failed to load resource: the server responded with a status of"
_OPEN_ALL: Final = """document.querySelectorAll("main details").forEach(each => each.open = true)"""
"""What asks before something is done, and tables behind charts."""
_FITS: Final = "document.documentElement.scrollWidth <= window.innerWidth"
_LOOK_MS, _LOOKS_AT_WIDTH = 50, 120
"""The policy of the pages forbids a browser to wait for a condition that comes as a text, and
without scripts there are no frames to wait for.
"""
_LESS_DRAWING: Final = (
    "--disable-gpu",
    "--disable-lcd-text",
    "--disable-partial-raster",
    "--num-raster-threads=1",
)
"""Nobody looks at the windows; this saves a good part of the time that a page takes."""

expect.set_options(timeout=PATIENCE_S * 1000)


class Site:
    """A running console with the demo account."""

    account_id = DEMO_ACCOUNT

    def __init__(self, server: Server, browser: Browser) -> None:
        self.server = server
        self.home = server.home
        [printed] = re.findall(r"Console: (\S+)", server.log())
        self._printed: str | None = printed
        [self.key] = re.findall(r"Demo key +(\S+)", server.log())
        self.base = printed.partition("/link/")[0]
        self.browser = browser
        self._tokens: dict[UserRole, str] = {}

    def demo_link(self) -> str:
        """A link that signs in the demo administrator once: the printed one, or then another."""
        if self._printed is not None:
            printed, self._printed = self._printed, None
            return printed
        with self.home.session() as session:
            return f"{self.base}/link/{demo_link(session, DEMO_ACCOUNT).token}"

    def token(self, role: UserRole) -> str:
        """The session of a person with this role in the demo account."""
        if role not in self._tokens:
            login = f"{role}@browser.example"
            if role is UserRole.OPERATOR:
                with self.home.session() as session:
                    invited = users.invite_operator(session, login)
                self._tokens[role] = self.follow(invited.link)
            elif role is UserRole.BILLING:
                with self.home.session() as session:
                    invited = users.invite_billing(session, login)
                self._tokens[role] = self.follow(invited.link)
            else:
                self._tokens[role] = self.invite(login, role)
        return self._tokens[role]

    def invite(
        self, login: str, role: UserRole, name: str = "", inviter: Actor | None = None
    ) -> str:
        """The session of somebody new who was invited, and followed the link."""
        with self.home.session(inviter) as session:
            invited = users.invite(session, DEMO_ACCOUNT, login, role, name)
        return self.follow(invited.link)

    def follow(self, link: NewLink | None) -> str:
        """The session of somebody who followed a link that invites."""
        assert link is not None
        with self.home.session() as session:
            sign_in = SignIn(session, quick_passwords())
            done = sign_in.by_link(link.token, SessionOrigin(address="127.0.0.1"), PASSWORD)
        assert isinstance(done, SignedIn)
        return done.token

    @contextlib.contextmanager
    def visit(self, token: str | None = None, **options: Any) -> Iterator["Visitor"]:
        """A window of its own; it fails if the browser complained about anything."""
        size = {"width": WIDTHS[0], "height": _HEIGHT}
        context = self.browser.new_context(base_url=self.base, **{"viewport": size, **options})
        context.set_default_timeout(PATIENCE_S * 1000)
        if token is not None:
            cookie = {"name": "gatehouse-session", "value": token, "url": self.base}
            context.add_cookies([cookie])  # type: ignore[list-item]
        try:
            visitor = Visitor(context)
            yield visitor
            assert visitor.complaints == [], visitor.complaints
        finally:
            context.close()


class Visitor:
    """One window of the browser; it notes what the browser complains about."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.answer: Response | None = None
        """What the page that was opened last was sent as."""
        self.is_refused = False
        """Whether pages are expected that say what is wrong, which the browser notes as errors."""
        self._looks = AxeLooks(self.page)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._refuse)

    def _note(self, message: Any) -> None:
        if self.is_refused and message.text.startswith(_REFUSED):
            return
        if message.text == _LAID_OUT_AGAIN:
            return
        if message.type in ("error", "warning"):
            self.complaints.append(f"{self.page.url}: {message.text}")

    def _refuse(self, dialog: Dialog) -> None:
        self.complaints.append(f"{self.page.url}: a dialog says {dialog.message}")
        dialog.dismiss()

    def open(self, path: str) -> Page:
        """Open a page of the console."""
        self.answer = answer = self.page.goto(path)
        assert answer is not None
        assert answer.status == 200, f"{path}: {answer.status}"
        return self.page

    def ask(self, path: str) -> APIResponse:
        """Ask for a path with the session of this window, without leaving the page."""
        return self.page.context.request.get(path, max_redirects=0)

    def send(self, path: str, **form: str | float | bool) -> APIResponse:
        """Send a form with the session of this window and the token of its page."""
        token = self.page.locator("input[name=csrf]").first.get_attribute("value")
        origin = "/".join(self.page.url.split("/")[:3])
        return self.page.context.request.post(
            path,
            form={"csrf": str(token), **form},
            headers={"Origin": origin},
            max_redirects=0,
        )

    def check(self, *within: str) -> None:
        """Let axe look at the page or at parts of it, in light and in dark; no finding is right."""
        if NPM is None:
            pytest.skip("NPM IS MISSING: axe-core looked at no page of the console")
        # What is being fetched again is dimmed meanwhile.
        expect(self.page.locator(_FETCHED)).to_have_count(0)
        self._looks.load()
        self.page.evaluate(_FEW_ROWS)
        self.page.evaluate(_OPEN_ALL)
        self._looks.look(within)

    def picture(self) -> bytes:
        """What the window shows when nothing is being fetched or moves any more."""
        expect(self.page.locator(_FETCHED)).to_have_count(0)
        self.page.evaluate(DRAWN)
        return self.page.screenshot(animations="disabled")

    def fits(self, *widths: int) -> None:
        """The page must not scroll sideways as a whole, in any window from a phone's on."""
        before = self.page.viewport_size
        wide = []
        for width in widths or WIDTHS:
            self.page.set_viewport_size(ViewportSize(width=width, height=_HEIGHT))
            # Charts are drawn anew for the width, a moment later.
            for _ in range(_LOOKS_AT_WIDTH):
                if self.page.evaluate(_FITS):
                    break
                self.page.wait_for_timeout(_LOOK_MS)
            else:
                wide.append(width)
        assert before is not None
        self.page.set_viewport_size(before)
        assert wide == [], f"{self.page.url} is wider than windows of {wide}"


@contextlib.contextmanager
def open_browser() -> Iterator[Browser]:
    """Start a browser; a process can have one."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_LESS_DRAWING))
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def serve_site(home: Home, browser: Browser) -> Iterator[Site]:
    """Start what `make run` starts in a home, for a browser."""
    port = free_port()
    environ = home.environ(GATEHOUSE_CONSOLE_PORT="0")
    command = ("serve", "--port", str(port), "--console", "--demo-history")
    with (home.path / "server.log").open("ab") as log:
        server = Server(port, fork_command(command, environ, log, log), home)
    try:
        server.wait()
        site = Site(server, browser)
        until(lambda: _answers(urlsplit(site.base).port or 0))
        yield site
    finally:
        server.stop()


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    with (
        contextlib.suppress(OSError, http.client.HTTPException),
        contextlib.closing(connection),
    ):
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    return False
