"""Attacks on the console: fixation, stolen cookies, open redirects, reflected scripts.

Forged forms are tried in `test_guard.py` and `test_every_route.py`, guesses and repeated codes in
`tests/admin/people/`, stored scripts in a browser by `browser/test_hostile_texts.py`.
"""

import dataclasses
import re
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest

import gatehouse.console
from gatehouse.access.roles import UserRole
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.people.use_cases.demo import demo_link
from gatehouse.admin.sign_in.use_cases.sessions import SignedIn
from gatehouse.console.pages import Action, Declared, Page
from gatehouse.console.routes import DECLARED
from gatehouse.console.serving.server import make_desk
from gatehouse.settings.settings import Settings
from tests.admin.people.signing_in import HERE, PASSWORD
from tests.console.harness import Console, open_console
from tests.harness import Home, make_account

ELSEWHERE: Final = [
    *("//evil.test", "///evil.test", "/\\evil.test", "\\\\evil.test", "https:evil.test"),
    *("https://evil.test", "HTTPS:/evil.test", "javascript:alert(1)", "data:text/html,x", "evil"),
    *("/\t/evil.test", "/\n/evil.test", "\x00//evil.test", " //evil.test", "/\r\nX-Evil: 1"),
    *("%2F%2Fevil.test", "%5C%5Cevil.test", "https%3A%2F%2Fevil.test"),
    *("//[", "//[::1", "https://[", "[", "/" + "a" * 500),
    *("//evil.test/%2e%2e", "/\u2215evil.test", "//\u3002evil.test", "@evil.test", ".evil.test"),
]


def _person(console: Console, login: str) -> str:
    """Somebody who was invited and has chosen a password; the token of the first session."""
    link = users.invite(console.session, console.account_id, login, UserRole.ANALYST).link
    assert link is not None
    done = console.sign_in.by_link(link.token, HERE, PASSWORD)
    assert isinstance(done, SignedIn)
    return done.token


class TestFixation:
    def test_the_session_before_a_sign_in_is_never_the_one_after(self, console: Console) -> None:
        attackers = _person(console, "mallory@shop.example")
        _person(console, "victim@shop.example")
        browser = console.with_token(attackers)
        browser.post("/sign-in", {"login": "victim@shop.example", "password": PASSWORD})
        after = browser.client.cookies.get("gatehouse-session", domain="127.0.0.1")
        assert after is not None
        assert after != attackers
        [new, old] = (console.resolve(token, HERE.address) for token in (after, attackers))
        assert new is not None
        assert new.login == "victim@shop.example"
        assert old is None or old.login == "mallory@shop.example"

    def test_the_ticket_of_a_second_step_opens_no_page(self, console: Console) -> None:
        browser = console.stranger()
        browser.client.cookies.set("gatehouse-step", _person(console, "step@shop.example"))
        assert browser.get("/accounts").headers["location"].startswith("/sign-in")


def test_a_stolen_cookie_is_worth_nothing_in_another_network_with_the_option(
    console: Console,
) -> None:
    same = dataclasses.replace(Settings(), session_network="same")
    for settings, is_somebody in ((same, False), (Settings(), True)):
        desk = make_desk(console.session, settings)
        token = demo_link(console.session, console.account_id).token
        done = desk.sign_in.by_link(token, HERE)
        assert isinstance(done, SignedIn)
        assert desk.sessions.resolve(done.token, HERE.address)
        assert (desk.sessions.resolve(done.token, "203.0.113.9") is not None) is is_somebody


class TestRedirects:
    """`next` is asked for by everything that signs in, and by the choice of a theme."""

    @pytest.mark.parametrize("given", ELSEWHERE, ids=ascii)
    def test_nobody_is_led_to_another_site(self, console: Console, given: str) -> None:
        stranger, person = console.stranger(), console.as_role(UserRole.VIEWER)
        shown = stranger.client.get("/sign-in", params={"next": given}).text
        assert 'name="next" value="/"' in shown
        answers = [
            person.client.get("/sign-in", params={"next": given}),
            person.client.get("/sign-in/code", params={"next": given}),
            person.post("/theme", {"theme": "dark", "next": given}),
        ]
        for answer in answers:
            assert answer.headers["location"] == "/"
            assert "x-evil" not in answer.headers

    def test_nor_after_the_password(self, console: Console) -> None:
        _person(console, "ann@shop.example")
        known = {"login": "ann@shop.example", "password": PASSWORD}
        for given in ELSEWHERE:
            answer = console.stranger().post("/sign-in", {**known, "next": given})
            assert answer.headers["location"] == "/"


HOSTILE: Final = (
    "javascript:alert(1)//\u202e\"'></textarea></title><xss onfocus=alert(1)>"
    "<script>alert(1)</script>{{1337*1337}}"
)
_FIELDS: Final = re.compile(
    r"(?:query|form)\.get\(\s*\"(\w+)\"|(?:queried|chosen|refuse)\(\"(\w+)\"|name=\"(\w+)\""
    r"|ui\.(?:field|select|textarea|checkbox|search)\(\"(\w+)\""
)


def _names() -> set[str]:
    """Every parameter that a page reads and every field that a form has, and one that none has."""
    room = Path(gatehouse.console.__file__).parent
    pages = [*room.parent.glob("admin/*/pages.py"), *room.parent.glob("admin/*/pages/*.py")]
    assert len(pages) > 20
    files = [*room.rglob("*.py"), *room.rglob("*.html"), *pages]
    texts = [path.read_text() for path in files]
    found = {name for text in texts for match in _FIELDS.findall(text) for name in match if name}
    return {*found, "nothing"} - {"csrf"}


UNESCAPED: Final = re.compile(
    r"\"'>|<xss|<script>|(?:href|src|action|formaction)=\"\s*javascript:|1787569", re.IGNORECASE
)
"""The text where it is not a text: as markup, as an address, or worked out by a template."""


def _check(declared: Declared, status: int, text: str) -> None:
    assert status < 500, declared.name
    assert UNESCAPED.search(text) is None, declared.name


def test_no_page_reflects_a_script_of_its_address_or_of_a_form(console: Console) -> None:
    account_id = make_account(console.session, "Reflecting Shop")
    browser = console.as_role(UserRole.OPERATOR)
    every = dict.fromkeys(_names(), HOSTILE)
    assert len(every) > 80
    for each in DECLARED:
        parts = each.path.replace("{account}", account_id).split("/")
        whole = "/".join("1" if part.startswith("{") else part for part in parts)
        odd = "/".join(quote(HOSTILE, safe="") if part.startswith("{") else part for part in parts)
        for path in {whole, odd}:
            if isinstance(each, Action):
                answer = browser.post(path, every)
            else:
                answer = browser.client.get(path, params=every)
            _check(each, answer.status_code, answer.text)


def test_what_no_database_can_look_for_is_not_found(home: Home) -> None:
    with open_console(home) as console:
        viewer = console.as_role(UserRole.VIEWER)
        for place in ("disputes", "payments/notifications", "decisions", "alerts"):
            assert viewer.get(f"/a/{console.account_id}/{place}/a%00b").status_code == 404


def test_strangers_get_no_script_reflected_either(console: Console) -> None:
    every = dict.fromkeys(_names(), HOSTILE)
    for each in (declared for declared in DECLARED if declared.public):
        path = re.sub(r"\{\w+\}", quote(HOSTILE, safe=""), each.path)
        if isinstance(each, Page):
            answer = console.stranger().client.get(path, params=every)
        else:
            answer = console.stranger().post(path, every)
        _check(each, answer.status_code, answer.text)
