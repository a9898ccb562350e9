"""Single sign-on through the console, over HTTPS: the button, the way there and the way back."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.people import users
from gatehouse.settings import load_settings
from tests.admin.people.small_provider import CLIENT, SECRET, SmallProvider, small_provider
from tests.console.harness import Browser, Console
from tests.harness import Home

ORIGIN = "https://console.example"


@pytest.fixture(scope="module")
def provider() -> Iterator[SmallProvider]:
    with small_provider() as served:
        yield served


@pytest.fixture(scope="module")
def elsewhere(
    provider: SmallProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Console]:
    """A console whose people sign in at the provider; it has invited Ada."""
    settings = load_settings(
        {
            "GATEHOUSE_OIDC_ISSUER": provider.issuer,
            "GATEHOUSE_OIDC_CLIENT_ID": CLIENT,
            "GATEHOUSE_OIDC_CLIENT_SECRET": SECRET,
            "GATEHOUSE_OIDC_NAME": "Continue with Example",
            "GATEHOUSE_CONSOLE_URL": ORIGIN,
        }
    )
    home = Home(tmp_path_factory.mktemp("elsewhere") / "home").migrated()
    with home.session() as session:
        console = Console(session, settings, origin=ORIGIN)
        users.invite(session, console.account_id, "ada@shop.example", UserRole.ANALYST)
        yield console


def _go(console: Console, provider: SmallProvider, browser: Browser) -> str:
    """Leave for the provider; the address that the browser comes back to."""
    left = browser.get("/sign-in/elsewhere?next=/accounts")
    assert left.status_code == 303
    provider.now_s = console.session.clock() // 1000
    code = provider.visit(left.headers["location"])
    state = parse_qs(urlsplit(left.headers["location"]).query)["state"][0]
    return f"/sign-in/oidc?code={code}&state={state}"


def test_a_person_signs_in_at_the_provider_and_comes_back(
    elsewhere: Console, provider: SmallProvider
) -> None:
    browser = elsewhere.stranger()
    assert "Continue with Example" in browser.get("/sign-in").text
    back = browser.get(_go(elsewhere, provider, browser))
    assert back.headers["location"] == "/accounts"
    [cookie] = [each for each in back.headers.get_list("set-cookie") if "__Host-" in each]
    assert "Secure" in cookie
    assert "Path=/" in cookie
    assert "Domain" not in cookie
    shown = browser.get("/accounts")
    assert "Corner Shop" in shown.text
    assert shown.headers["strict-transport-security"] == "max-age=31536000"


def test_an_answer_that_another_browser_began_signs_nobody_in(
    elsewhere: Console, provider: SmallProvider
) -> None:
    back = _go(elsewhere, provider, elsewhere.stranger())
    victim = elsewhere.stranger()
    answer = victim.get(back)
    assert answer.status_code == 403
    assert "Single sign-on did not let you in" in answer.text
    assert victim.get("/accounts").status_code == 303


def test_without_a_provider_there_is_no_such_page(console: Console) -> None:
    assert console.stranger().get("/sign-in/elsewhere").status_code == 404
    assert console.stranger().get("/sign-in/oidc?state=x&code=y").status_code == 404
