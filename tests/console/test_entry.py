"""Coming in: by password, by a second step, by a link that works once; and leaving."""

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.people.queries import users as user_rows
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.people.use_cases.demo import demo_link
from gatehouse.admin.sign_in.use_cases import sessions, totp
from gatehouse.admin.sign_in.use_cases.sessions import SignedIn
from gatehouse.console.serving.guard import own_path
from tests.admin.people.signing_in import HERE, PASSWORD
from tests.console.harness import Browser, Console


def _person(console: Console, login: str, role: UserRole = UserRole.ANALYST) -> str:
    """Somebody who was invited and has chosen a password; the id."""
    link = users.invite(console.session, console.account_id, login, role).link
    assert link is not None
    done = console.sign_in.by_link(link.token, HERE, PASSWORD)
    assert isinstance(done, SignedIn)
    return done.user_id


def _sign_in(browser: Browser, login: str, **more: str) -> None:
    answer = browser.post("/sign-in", {"login": login, "password": PASSWORD, **more})
    assert answer.status_code == 303, answer.text


def _cookie(answer: object) -> str:
    return str(answer.headers["set-cookie"])  # type: ignore[attr-defined]


def test_a_password_opens_a_session_and_leads_back(console: Console) -> None:
    _person(console, "ada@shop.example")
    browser = console.stranger()
    answer = browser.post(
        "/sign-in", {"login": "ada@shop.example", "password": PASSWORD, "next": "/accounts"}
    )
    assert answer.headers["location"] == "/accounts"
    cookies = answer.headers.get_list("set-cookie")
    [session] = [each for each in cookies if each.startswith("gatehouse-session=")]
    assert "HttpOnly" in session
    assert "SameSite=lax" in session
    assert "Path=/" in session
    assert "Corner Shop" in browser.get("/accounts").text


def test_a_wrong_password_and_an_unknown_person_are_told_the_same(console: Console) -> None:
    _person(console, "bea@shop.example")
    browser = console.stranger()
    answers = [
        browser.post("/sign-in", {"login": login, "password": "not this one, surely"})
        for login in ("bea@shop.example", "nobody@shop.example")
    ]
    assert [each.status_code for each in answers] == [422, 422]
    first, second = (each.text.replace("nobody", "bea") for each in answers)
    assert "The e-mail address or the password is wrong." in first
    assert first.split("<h1>")[1] == second.split("<h1>")[1]
    assert "not this one" not in first


def test_whoever_fails_too_often_has_to_wait(console: Console) -> None:
    browser = console.stranger()
    wrong = {"login": "carl@shop.example", "password": "guessing all day long"}
    texts = [browser.post("/sign-in", wrong).text for _ in range(12)]
    assert "Too many attempts. Try again in" in texts[-1]


def test_a_session_that_a_stranger_chose_is_not_taken_over(console: Console) -> None:
    _person(console, "dora@shop.example")
    browser = console.stranger()
    browser.client.cookies.set("gatehouse-session", "chosen-by-somebody-else")
    _sign_in(browser, "dora@shop.example")
    tokens = [each.value for each in browser.client.cookies.jar if "session" in each.name]
    assert all(console.resolve(str(token), None) for token in tokens[-1:])
    assert console.resolve("chosen-by-somebody-else", None) is None


def test_an_app_s_code_is_asked_for_after_the_password_and_counts_once(console: Console) -> None:
    user_id = _person(console, "emil@shop.example")
    enrolment = totp.enrol(console.session, user_id)
    with console.session.reading() as connection:
        assert user_rows.get(connection, console.session.ring, user_id).totp is None
    codes = _confirm(console, user_id, enrolment)
    browser = console.stranger()
    first = browser.post("/sign-in", {"login": "emil@shop.example", "password": PASSWORD})
    assert first.headers["location"] == "/sign-in/code"
    assert browser.get("/accounts").status_code == 303
    wrong = browser.post("/sign-in/code", {"code": "000000"})
    assert wrong.status_code == 422
    assert "The code is wrong" in wrong.text
    assert browser.post("/sign-in/code", {"code": codes[0]}).headers["location"] == "/"
    assert browser.get("/accounts").status_code == 200
    again = console.stranger()
    again.post("/sign-in", {"login": "emil@shop.example", "password": PASSWORD})
    assert again.post("/sign-in/code", {"code": codes[0]}).status_code == 422


def _confirm(console: Console, user_id: str, enrolment: totp.Enrolment) -> list[str]:
    import base64

    from cryptography.hazmat.primitives.hashes import SHA1
    from cryptography.hazmat.primitives.twofactor.hotp import HOTP

    app = HOTP(base64.b32decode(enrolment.secret), 6, SHA1())
    code = app.generate(console.session.clock() // 30_000).decode()
    return totp.confirm(console.session, user_id, enrolment.ticket, code)


def test_a_link_is_used_by_its_button_and_not_by_looking(console: Console) -> None:
    token = demo_link(console.session, console.account_id).token
    browser = console.stranger()
    for _ in range(3):
        assert "Look around in the sandbox" in browser.get(f"/link/{token}").text
    assert browser.post(f"/link/{token}").headers["location"] == "/"
    assert "Demo administrator" in browser.get("/accounts").text
    second = console.stranger()
    assert second.post(f"/link/{token}").status_code == 404
    assert "This link no longer works" in second.get(f"/link/{token}").text


def test_an_invitation_lets_a_person_choose_a_password(console: Console) -> None:
    invited = users.invite(console.session, console.account_id, "fay@shop.example", UserRole.VIEWER)
    assert invited.link is not None
    path = f"/link/{invited.link.token}"
    browser = console.stranger()
    weak = browser.post(path, {"password": "aaaaaaaaaaaa", "again": "aaaaaaaaaaaa"})
    assert weak.status_code == 422
    assert "easily guessed" in weak.text
    differ = browser.post(path, {"password": PASSWORD, "again": "another"})
    assert "This is not the same password." in differ.text
    assert browser.post(path, {"password": PASSWORD, "again": PASSWORD}).status_code == 303
    _sign_in(console.stranger(), "fay@shop.example")


def test_signing_out_ends_the_session_itself(console: Console) -> None:
    _person(console, "gus@shop.example")
    browser = console.stranger()
    _sign_in(browser, "gus@shop.example")
    token = browser.client.cookies["gatehouse-session"]
    visitor = console.resolve(token, None)
    assert visitor is not None
    answer = browser.post("/sign-out", {"csrf": visitor.csrf_token})
    assert answer.headers["location"] == "/sign-in"
    assert console.resolve(token, None) is None
    browser.client.cookies.set("gatehouse-session", token)
    assert browser.get("/accounts").headers["location"].startswith("/sign-in")


def test_a_browser_gets_another_token_when_the_rights_of_its_person_change(
    console: Console,
) -> None:
    user_id = _person(console, "hana@shop.example")
    browser = console.stranger()
    _sign_in(browser, "hana@shop.example")
    before = browser.client.cookies["gatehouse-session"]
    users.set_role(console.session, console.account_id, user_id, UserRole.VIEWER)
    shown = browser.get("/accounts")
    assert "Viewer" in shown.text
    after = browser.client.cookies["gatehouse-session"]
    assert after != before
    assert console.resolve(before, None) is None
    assert len(sessions.listing(console.session, user_id)) == 2
    assert browser.get("/accounts").status_code == 200


@pytest.mark.parametrize("path", ["people", "nowhere"])
def test_a_page_that_is_refused_hands_out_the_new_token_too(console: Console, path: str) -> None:
    login = f"ira-{path}@shop.example"
    user_id = _person(console, login, UserRole.ADMINISTRATOR)
    browser = console.stranger()
    _sign_in(browser, login)
    users.set_role(console.session, console.account_id, user_id, UserRole.VIEWER)
    assert browser.get(f"/a/{console.account_id}/{path}").status_code in (403, 404)
    assert browser.get("/accounts").status_code == 200


@pytest.mark.parametrize(
    "given",
    [
        "//evil.test",
        "///evil.test",
        "https://evil.test",
        "/\\evil.test",
        "javascript:alert(1)",
        "x",
    ],
)
def test_nobody_is_led_to_another_site(console: Console, given: str) -> None:
    assert own_path(given) == "/"
    assert own_path("/a/acct_1/decisions?outcome=DECLINE") == "/a/acct_1/decisions?outcome=DECLINE"
