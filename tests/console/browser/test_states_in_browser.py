"""What is seldom seen: coming in, what is refused then, errors, an account without anything.

On each page axe must find nothing in light and dark, and no window must scroll sideways.
"""

from collections.abc import Iterator
from typing import Final

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import JobKind
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases import sessions
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from gatehouse.console import failures
from gatehouse.console.desk import Desk
from gatehouse.console.pages import Page, Reach
from gatehouse.console.routes import DECLARED
from gatehouse.console.visit import Incoming, Visit
from gatehouse.settings.settings import Settings
from tests.admin.people.signing_in import PASSWORD, quick_passwords
from tests.console.browser.holders import Holder, holder_of_an_app
from tests.console.browser.offered import DOWNLOADS
from tests.console.browser.site import Site, Visitor, needs_chromium
from tests.harness import make_account

pytestmark = needs_chromium


def _look(visitor: Visitor, words: str) -> None:
    """Wait for the page that says so, and look at it closely."""
    visitor.page.get_by_text(words).first.wait_for()
    visitor.fits()
    visitor.check()


@pytest.fixture
def holder(site: Site) -> Holder:
    return holder_of_an_app(site, "app@browser.example")


def test_coming_in_by_password_code_and_recovery_code_until_the_session_is_ended(
    site: Site, holder: Holder
) -> None:
    with site.visit() as visitor:
        visitor.is_refused = True
        page = visitor.open("/sign-in")
        _look(visitor, "Sign in")
        page.get_by_label("E-mail").fill(holder.login)
        page.get_by_label("Password").fill("not this one, surely")
        page.get_by_role("button", name="Sign in", exact=True).click()
        _look(visitor, "The e-mail address or the password is wrong.")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.wait_for_url("**/sign-in/code")
        _look(visitor, "Code")
        page.get_by_label("Code").fill("000000")
        page.get_by_role("button", name="Sign in", exact=True).click()
        _look(visitor, "The code is wrong")
        page.get_by_label("Code").fill(holder.recovery)
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.wait_for_url(f"**/a/{site.account_id}/")
        with site.home.session() as session:
            sessions.end_all(session, holder.user_id)
        page.goto("/me")
        page.wait_for_url("**/sign-in?next=%2Fme")


def test_links_invite_reset_and_are_over(site: Site) -> None:
    with site.home.session() as session:
        login = "new@browser.example"
        invited = users.invite(session, site.account_id, login, UserRole.VIEWER)
        assert invited.link is not None
    with site.visit() as visitor:
        visitor.is_refused = True
        page = visitor.open(f"/link/{invited.link.token}")
        _look(visitor, "Choose")
        for label, text in (("New password", PASSWORD), ("Repeat", "another one, surely")):
            page.get_by_label(label).last.fill(text)
        page.get_by_role("button").first.click()
        _look(visitor, "This is not the same password.")
        for label in ("New password", "Repeat"):
            page.get_by_label(label).last.fill(PASSWORD)
        page.get_by_role("button").first.click()
        page.wait_for_url(f"**/a/{site.account_id}/")
        with site.home.session() as session:
            reset = users.reset(session, site.account_id, invited.user.user_id)
        visitor.open(f"/link/{reset.token}")
        _look(visitor, "password")
        page.goto(f"/link/{invited.link.token}")
        _look(visitor, "This link no longer works")


def _broken(site: Site) -> str:
    """The page about a defect; none is known that could be shown."""
    with site.home.session() as session:
        desk = Desk(SignIn(session, quick_passwords()), Settings(home=site.home.path), DECLARED)
        asked = Incoming(request_id="req_1", method="GET", path="/", headers={}, cookies={})
        return bytes(failures.broken(Visit(desk, asked)).body).decode()


def test_errors_say_what_to_do(site: Site) -> None:
    with site.visit(site.token(UserRole.VIEWER)) as visitor:
        visitor.is_refused = True
        page = visitor.page
        for path, status in (
            (f"/a/{site.account_id}/people", 403),
            (f"/a/{site.account_id}/nowhere", 404),
            ("/a/acct_nowhere/decisions", 404),
            ("/sign-in/oidc?error=access_denied&state=x", 403),
        ):
            answer = page.goto(path)
            assert answer is not None
            assert answer.status == status
            _look(visitor, str(status))
    with site.visit() as visitor:
        visitor.is_refused = True
        answer = visitor.page.goto("/sign-in/elsewhere")
        assert answer is not None
        assert answer.status == 503
        _look(visitor, "503")
        broken = _broken(site)
        visitor.page.route(
            "**/broken",
            lambda route: route.fulfill(status=500, body=broken, content_type="text/html"),
        )
        visitor.page.goto("/broken")
        _look(visitor, "500")


ABOUT_NOTHING: Final = [
    each.path
    for each in DECLARED
    if isinstance(each, Page)
    and each.reach is Reach.ACCOUNT
    and each.path.count("{") == 1
    and each.name not in {*DOWNLOADS, "key-new", "webhook-new", "pipelines-new", "statement"}
]
"""Pages that list what an account has."""


def test_an_account_without_anything_says_what_could_be_there(site: Site) -> None:
    with site.home.session() as session:
        account_id = make_account(session, "Empty Shop")
    found = []
    with site.visit(site.token(UserRole.OPERATOR)) as visitor:
        for path in ABOUT_NOTHING:
            try:
                visitor.open(path.replace("{account}", account_id))
                visitor.fits()
                visitor.check()
            except AssertionError as problem:
                found.append(str(problem))
    assert found == [], "\n".join(found)


@pytest.fixture
def trainings(site: Site) -> Iterator[list[str]]:
    with site.home.session() as session:
        found = queue.list_jobs(session, site.account_id, (JobKind.TRAINING,))
        yield [each.id for each in found]


def test_a_training_is_seen_under_way_failed_and_finished(site: Site, trainings: list[str]) -> None:
    assert len(trainings) == 3
    with site.visit(site.token(UserRole.MANAGER)) as visitor:
        for each in trainings:
            visitor.open(f"/a/{site.account_id}/models/training/{each}")
            visitor.fits()
            visitor.check()
