"""Single sign-on through the console, over HTTPS: the button, the way there and the way back."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.people.queries import users as people
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases import passkeys
from gatehouse.admin.sign_in.use_cases.passkeys import NewPasskey, PasskeyPlace
from gatehouse.settings.settings import load_settings
from tests.admin.people.small_provider import CLIENT, SECRET, SmallProvider, small_provider
from tests.admin.people.soft_authenticator import SoftAuthenticator
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


def _device_of(console: Console, user_id: str) -> SoftAuthenticator:
    """An authenticator whose passkey stands in the row of a person, who could not add it."""
    device, place = SoftAuthenticator(ORIGIN), PasskeyPlace.of(ORIGIN)
    linked_to = _link(console, user_id, None)
    assert linked_to is not None
    asked = passkeys.begin_registration(console.session, user_id, place)
    given = NewPasskey(device.make(asked.options), "Key")
    passkeys.register(console.session, user_id, asked.ticket, given, place)
    _link(console, user_id, linked_to)
    return device


def _link(console: Console, user_id: str, subject: str | None) -> str | None:
    """Link a person to another subject, or to none; the subject before."""
    with console.session.change(unseen=True) as change:
        user = people.get(change.connection, change.ring, user_id)
        people.save(change, msgspec.structs.replace(user, subject=subject))
        change.audit("test")
    return user.subject


def test_a_person_signs_in_at_the_provider_and_comes_back(
    elsewhere: Console, provider: SmallProvider
) -> None:
    browser = elsewhere.stranger()
    assert "Continue with Example" in browser.get("/sign-in").text
    back = browser.get(_go(elsewhere, provider, browser))
    assert back.headers["location"] == "/accounts"
    [cookie] = [each for each in back.headers.get_list("set-cookie") if "__Host-gatehouse=" in each]
    assert "Secure" in cookie
    assert "Path=/" in cookie
    assert "Domain" not in cookie
    shown = browser.get("/accounts")
    assert "Corner Shop" in shown.text
    assert shown.headers["strict-transport-security"] == "max-age=31536000"


def test_a_state_that_a_neighbour_of_the_host_planted_signs_nobody_in(
    elsewhere: Console, provider: SmallProvider
) -> None:
    attackers = _go(elsewhere, provider, elsewhere.stranger())
    victim = elsewhere.stranger()
    # Another host of the domain can set a cookie for all of it, but none with the prefix.
    victim.client.cookies.set("gatehouse-elsewhere", attackers.partition("&state=")[2])
    assert victim.get(attackers).status_code == 403


def test_who_signs_in_elsewhere_sets_up_nothing_here(
    elsewhere: Console, provider: SmallProvider
) -> None:
    browser = elsewhere.stranger()
    browser.get(_go(elsewhere, provider, browser))
    page = browser.get("/me").text
    assert "You sign in by single sign-on alone." in page
    for path in ("/me/password", "/me/app", "/me/passkeys"):
        assert path not in page
        answer = browser.post(path, {"name": "Key", "new": "x", "again": "x"})
        assert answer.status_code == 422
    for path in ("/me/passkeys/begin", "/me/app", "/me/app/codes", "/me/app/remove"):
        answer = browser.post(path)
        assert answer.status_code == 422
        assert "You sign in by single sign-on alone." in answer.text
    kept = users.get(elsewhere.session, None, "ada@shop.example")
    assert (kept.has_password, kept.has_totp, kept.passkeys) == (False, False, 0)


def test_the_passkey_of_somebody_who_signs_in_elsewhere_is_refused_like_any_other(
    elsewhere: Console, provider: SmallProvider
) -> None:
    linked = elsewhere.stranger()
    linked.get(_go(elsewhere, provider, linked))
    user_id = users.get(elsewhere.session, None, "ada@shop.example").user_id
    device = _device_of(elsewhere, user_id)
    said = []
    for known in (True, False):
        browser = elsewhere.stranger()
        asked = browser.post("/sign-in/passkey/begin").json()
        if not known:
            device.credential_id = b"nobody knows this one"
        sent = {"ticket": asked["ticket"], "response": device.use(asked["options"])}
        answer = browser.post("/sign-in/passkey", sent)
        assert answer.status_code == 422
        said.append(re.findall(r'role="alert"[^>]*>(.*?)</', answer.text, re.DOTALL))
        assert browser.get("/accounts").status_code == 303
    assert said[0] == said[1] != []


def test_an_administrator_is_told_what_a_link_does_to_single_sign_on(
    elsewhere: Console, provider: SmallProvider
) -> None:
    browser = elsewhere.stranger()
    browser.get(_go(elsewhere, provider, browser))
    user_id = users.get(elsewhere.session, None, "ada@shop.example").user_id
    page = elsewhere.as_role(UserRole.ADMINISTRATOR).get(
        f"/a/{elsewhere.account_id}/people/{user_id}"
    )
    assert "signs in by single sign-on" in page.text


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
