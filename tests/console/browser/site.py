"""A real console in a process of its own, and a real browser that visits it."""

import contextlib
import http.client
import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from gatehouse.access.roles import UserRole
from gatehouse.admin.default_account import DEMO_ACCOUNT, ensure_demo
from gatehouse.admin.people import users
from gatehouse.admin.people.demo import demo_link
from gatehouse.admin.people.sessions import SessionOrigin, SignedIn
from gatehouse.admin.people.sign_in import SignIn
from gatehouse.settings import load_settings
from tests.admin.people.signing_in import PASSWORD, quick_passwords
from tests.harness import PATIENCE_S, Home, free_port, until
from tests.harness.commands import fork_command
from tests.installed_programs import NPM, npm_packages

CHROMIUM: Final = shutil.which("chromium")
AXE: Final = Path(__file__).with_name("axe")
THEMES: Final = ("light", "dark")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="CHROMIUM IS MISSING: no page of the console was opened in a browser"
)
_RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class Site:
    """A running console with the demo account."""

    account_id = DEMO_ACCOUNT

    def __init__(self, home: Home, base: str, browser: Browser) -> None:
        self.home = home
        self.base = base
        self._browser = browser

    def demo_link(self) -> str:
        """A link that signs in the demo administrator once."""
        with self.home.session() as session:
            return f"{self.base}/link/{demo_link(session, DEMO_ACCOUNT).token}"

    def token(self, role: UserRole) -> str:
        """The session of a new person with this role in the demo account."""
        with self.home.session() as session:
            login = f"{role}@browser.example"
            if role is UserRole.OPERATOR:
                link = users.invite_operator(session, login).link
            else:
                link = users.invite(session, DEMO_ACCOUNT, login, role).link
            assert link is not None
            sign_in = SignIn(session, quick_passwords())
            done = sign_in.by_link(link.token, SessionOrigin(address="127.0.0.1"), PASSWORD)
            assert isinstance(done, SignedIn)
            return done.token

    @contextlib.contextmanager
    def visit(self, token: str | None = None, **options: Any) -> Iterator["Visitor"]:
        """A window of its own; it fails if the browser complained about anything."""
        context = self._browser.new_context(base_url=self.base, **options)
        context.set_default_timeout(PATIENCE_S * 1000)
        if token is not None:
            cookie = {"name": "gatehouse-session", "value": token, "url": self.base}
            context.add_cookies([cookie])  # type: ignore[list-item]
        try:
            visitor = Visitor(context)
            yield visitor
            assert visitor.complaints == []
        finally:
            context.close()


class Visitor:
    """One window of the browser; it notes what the browser complains about."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{self.page.url}: {message.text}")

    def open(self, path: str) -> Page:
        """Open a page of the console."""
        answer = self.page.goto(path)
        assert answer is not None
        assert answer.status == 200, f"{path}: {answer.status}"
        return self.page

    def check(self) -> None:
        """Let axe look at the page in both themes; what it finds is a failure."""
        if NPM is None:
            pytest.skip("NPM IS MISSING: axe-core looked at no page of the console")
        source = (npm_packages("axe", AXE) / "axe-core" / "axe.min.js").read_text()
        for theme in THEMES:
            self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            self.page.evaluate(source)
            found = self.page.evaluate(
                "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']})", _RULES
            )
            problems = [
                (each["id"], [node["html"][:200] for node in each["nodes"]])
                for each in found["violations"]
            ]
            assert problems == [], f"{self.page.url} in {theme}: {json.dumps(problems, indent=1)}"

    def fits(self) -> None:
        """The page must not scroll sideways as a whole."""
        wide = self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
        assert not wide, f"{self.page.url} is wider than the window"


@contextlib.contextmanager
def open_site(home: Home) -> Iterator[Site]:
    """Start the console of a home, and a browser."""
    port = free_port()
    environ = home.environ()
    with home.session() as session:
        ensure_demo(session, load_settings(environ))
    with (home.path / "console.log").open("ab") as log:
        process = fork_command(("console", "--port", str(port)), environ, log, log)
    try:
        until(lambda: _answers(port))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM)
            try:
                yield Site(home, f"http://127.0.0.1:{port}", browser)
            finally:
                browser.close()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    with (
        contextlib.suppress(OSError, http.client.HTTPException),
        contextlib.closing(connection),
    ):
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    return False
