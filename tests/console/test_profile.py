"""A person's own page: what it shows and changes, and what it asks for first."""

import base64
import dataclasses
import json
import re

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.hotp import HOTP

from gatehouse.access.roles import UserRole
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.people.use_cases.demo import demo_link
from gatehouse.admin.sign_in.use_cases import sessions
from gatehouse.admin.sign_in.use_cases.sessions import SignedIn
from tests.admin.people.signing_in import HERE, PASSWORD, MovedClock
from tests.admin.people.soft_authenticator import SoftAuthenticator
from tests.console.harness import Browser, Console
from tests.harness import Home

_NAMED = {"Host": "localhost:8081", "Origin": "http://localhost:8081"}
"""Passkeys belong to an address with a name."""


def _signed_in(console: Console, login: str) -> Browser:
    """Somebody who really signed in with a password."""
    link = users.invite(console.session, console.account_id, login, UserRole.ANALYST).link
    assert link is not None
    done = console.sign_in.by_link(link.token, HERE, PASSWORD)
    assert isinstance(done, SignedIn)
    return console.with_token(done.token)


def _add_passkey(browser: Browser, device: SoftAuthenticator, name: str) -> None:
    asked = {"current": PASSWORD, "name": name}
    begun = browser.post("/me/passkeys/begin", asked, headers=_NAMED).json()
    made = device.make(begun["options"])
    sent = {"ticket": begun["ticket"], "response": made, "name": name}
    assert browser.post("/me/passkeys", sent, headers=_NAMED).status_code == 303


def test_a_person_chooses_name_language_and_zone(console: Console) -> None:
    browser = _signed_in(console, "ada@me.example")
    chosen = {"name": "Ada L.", "locale": "de", "time_zone": "Europe/Berlin"}
    assert browser.post("/me", chosen).headers["location"] == "/me"
    shown = browser.get("/me").text
    assert "Ihr Profil" in shown
    assert "Gespeichert." in shown
    assert "Gespeichert." not in browser.get("/me").text
    wrong = browser.post("/me", {**chosen, "time_zone": "Mars/Olympus"})
    assert wrong.status_code == 422
    assert "Eine Zeitzone ist ein Name wie Europe/Berlin" in wrong.text


def test_a_password_is_changed_with_the_one_before_and_ends_other_sessions(
    console: Console,
) -> None:
    browser = _signed_in(console, "bob@me.example")
    other = console.sign_in.by_password("bob@me.example", PASSWORD, HERE)
    assert isinstance(other, SignedIn)
    new = {"new": "tulip ocean 58 grains of sand", "again": "tulip ocean 58 grains of sand"}
    wrong = browser.post("/me/password", {"current": "no idea at all", **new})
    assert wrong.status_code == 422
    assert wrong.text.count("This is not your password.") == 1
    done = browser.post("/me/password", {"current": PASSWORD, **new})
    assert done.status_code == 303, done.text[-6000:]
    assert console.resolve(other.token, None) is None
    assert browser.get("/me").status_code == 200


def test_an_app_is_set_up_with_a_picture_a_code_and_the_password(console: Console) -> None:
    browser = _signed_in(console, "cy@me.example")
    assert browser.post("/me/app", {"current": "wrong"}).status_code == 422
    shown = browser.post("/me/app", {"current": PASSWORD}).text
    assert '<svg viewBox="0 0 ' in shown
    hidden = dict(re.findall(r'type="hidden" name="(ticket|secret|uri)" value="([^"]+)"', shown))
    again = browser.post("/me/app/confirm", {**hidden, "code": "000000"})
    assert "The code is wrong." in again.text
    app = HOTP(base64.b32decode(hidden["secret"]), 6, SHA1())
    code = app.generate(console.session.clock() // 30_000).decode()
    codes = browser.post("/me/app/confirm", {**hidden, "code": code}).text
    assert len(re.findall(r"<li><code>[a-z2-7]{5}-[a-z2-7]{5}</code>", codes)) == 10
    assert "10 recovery codes are left." in browser.get("/me").text
    assert browser.post("/me/app/remove", {"current": PASSWORD}).status_code == 303
    assert "Set up an app" in browser.get("/me").text


def test_a_passkey_is_added_and_signs_in(console: Console) -> None:
    browser = _signed_in(console, "dan@me.example")
    assert "Passkeys need an address with a name." in browser.get("/me").text
    device = SoftAuthenticator(_NAMED["Origin"])
    _add_passkey(browser, device, "Key")
    assert "<strong>Key</strong>" in browser.get("/me").text
    stranger = console.stranger()
    asked = stranger.post("/sign-in/passkey/begin", headers=_NAMED).json()
    answer = device.use(asked["options"])
    sent = {"ticket": asked["ticket"], "response": answer, "next": "/me"}
    assert stranger.post("/sign-in/passkey", sent, headers=_NAMED).headers["location"] == "/me"
    assert console.stranger().post("/sign-in/passkey", sent, headers=_NAMED).status_code == 422


def test_who_has_no_password_must_have_signed_in_a_short_while_ago(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with Home(tmp_path_factory.mktemp("demo") / "home").migrated().session() as session:
        clock = MovedClock(session.clock())
        console = Console(dataclasses.replace(session, clock=clock))
        link = demo_link(console.session, console.account_id)
        done = console.sign_in.by_link(link.token, HERE)
        assert isinstance(done, SignedIn)
        browser = console.with_token(done.token)
        clock.move(minutes=14)
        assert browser.get("/me").status_code == 200
        assert browser.post("/me/passkeys/begin", headers=_NAMED).status_code == 200
        clock.move(minutes=1)
        for path in ("/me/passkeys/begin", "/me/app"):
            refused = browser.post(path, headers=_NAMED)
            assert refused.status_code == 422
            assert "do this within 15 minutes" in refused.text
        assert browser.get("/me").status_code == 200


def test_a_passkey_that_stays_says_so_in_its_own_form(console: Console) -> None:
    browser = _signed_in(console, "ida@me.example")
    for name in ("Phone", "Laptop"):
        device = SoftAuthenticator(_NAMED["Origin"])
        device.credential_id = name.encode()
        _add_passkey(browser, device, name)
    shown = browser.get("/me").text
    ids = re.findall(r' id="([^"]+)"', shown)
    assert len(ids) == len(set(ids))
    phone, laptop = re.findall(r'action="(/me/passkeys/[^/"]+/remove)"', shown)
    refused = browser.post(laptop, {"current": "no idea at all"})
    assert refused.status_code == 422
    before, after = refused.text.split(f'action="{laptop}"')
    assert f'action="{phone}"' in before
    assert 'role="alert"' not in before.split("<main")[1]
    assert 'role="alert" tabindex' in after
    assert refused.text.count("This is not your password.") == 1
    assert browser.post(laptop, {"current": PASSWORD}).status_code == 303
    left = browser.get("/me").text
    assert "<strong>Phone</strong>" in left
    assert "<strong>Laptop</strong>" not in left


def test_a_session_elsewhere_can_be_ended(console: Console) -> None:
    browser = _signed_in(console, "eve@me.example")
    other = console.sign_in.by_password("eve@me.example", PASSWORD, HERE)
    assert isinstance(other, SignedIn)
    assert HERE.address in browser.get("/me").text
    assert browser.post("/me/sessions", {"session": other.session_id}).status_code == 303
    assert console.resolve(other.token, None) is None
    again = console.sign_in.by_password("eve@me.example", PASSWORD, HERE)
    assert isinstance(again, SignedIn)
    browser.post("/me/sessions")
    assert len(sessions.listing(console.session, again.user_id)) == 1


def test_nobody_ends_a_session_of_somebody_else(console: Console) -> None:
    browser = _signed_in(console, "fay@me.example")
    victim = _signed_in(console, "gil@me.example")
    assert victim.visitor is not None
    answer = browser.post("/me/sessions", {"session": victim.visitor.session_id})
    assert answer.status_code == 404
    assert victim.get("/me").status_code == 200
    assert json.dumps(answer.text).count("gil@me.example") == 0


def test_nobody_removes_a_passkey_of_somebody_else(console: Console) -> None:
    browser = _signed_in(console, "hal@me.example")
    victim = _signed_in(console, "joy@me.example")
    _add_passkey(victim, SoftAuthenticator(_NAMED["Origin"]), "Mine")
    [path] = re.findall(r'action="(/me/passkeys/[^/"]+/remove)"', victim.get("/me").text)
    assert browser.post(path, {"current": PASSWORD}).status_code == 404
    assert "<strong>Mine</strong>" in victim.get("/me").text
