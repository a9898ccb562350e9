"""People of an account: inviting them, their roles, links and sessions."""

import re

from gatehouse.access.roles import UserRole
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases.sessions import SignedIn
from tests.admin.people.signing_in import HERE, PASSWORD
from tests.console.harness import Browser, Console


def _people(console: Console) -> str:
    return f"/a/{console.account_id}/people"


def _invited(console: Console, login: str) -> tuple[Browser, str]:
    """An administrator, and somebody invited by this person; the id."""
    browser = console.as_role(UserRole.ADMINISTRATOR)
    shown = browser.post(_people(console), {"login": login, "name": "New", "role": "analyst"}).text
    [token] = re.findall(r"<code>http://127.0.0.1:8081/link/([^<]+)</code>", shown)
    done = console.sign_in.by_link(token, HERE, PASSWORD)
    assert isinstance(done, SignedIn)
    return browser, done.user_id


def test_an_administrator_invites_somebody_with_a_link_that_is_shown_once(
    console: Console,
) -> None:
    browser, user_id = _invited(console, "ada@team.example")
    listed = browser.get(_people(console)).text
    assert "ada@team.example" in listed
    assert "/link/" not in listed
    twice = browser.post(_people(console), {"login": "ada@team.example", "role": "viewer"})
    assert twice.status_code == 409
    assert "has a role in this account already" in twice.text
    assert 'value="ada@team.example"' in twice.text
    assert user_id.startswith("usr_")


def test_a_role_is_changed_and_taken_away(console: Console) -> None:
    browser, user_id = _invited(console, "bob@team.example")
    path = f"{_people(console)}/{user_id}"
    assert browser.post(f"{path}/role", {"role": "manager"}).headers["location"] == path
    assert "Manager" in browser.get(path).text
    assert browser.post(f"{path}/role", {"role": "operator"}).status_code == 422
    assert browser.post(f"{path}/role", {"role": "emperor"}).status_code == 422
    assert browser.post(f"{path}/role", {"role": ""}).headers["location"] == _people(console)
    assert browser.get(path).status_code == 404


def test_a_person_is_disabled_enabled_reset_and_deleted(console: Console) -> None:
    browser, user_id = _invited(console, "cy@team.example")
    path = f"{_people(console)}/{user_id}"
    assert HERE.address in browser.get(path).text
    assert browser.post(f"{path}/end-sessions").status_code == 303
    assert "1 session was ended." in browser.get(path).text
    assert browser.post(f"{path}/disable").status_code == 303
    assert "Disabled" in browser.get(path).text
    assert browser.post(f"{path}/enable").status_code == 303
    assert "/link/" in browser.post(f"{path}/reset").text
    assert browser.post(f"{path}/delete").headers["location"] == _people(console)
    assert browser.get(path).status_code == 404


def test_somebody_who_works_elsewhere_too_is_left_to_operators(console: Console) -> None:
    browser, user_id = _invited(console, "dan@team.example")
    users.set_role(console.session, console.other_id, user_id, UserRole.VIEWER)
    path = f"{_people(console)}/{user_id}"
    assert "also works in other accounts" in browser.get(path).text
    assert browser.post(f"{path}/disable").status_code == 409
    operator = console.as_role(UserRole.OPERATOR)
    shown = operator.get(f"/installation/people/{user_id}").text
    assert console.other_id in shown
    assert operator.post(f"/installation/people/{user_id}/disable").status_code == 303


def test_nobody_locks_itself_out(console: Console) -> None:
    browser, user_id = _invited(console, "eve@team.example")
    users.set_role(console.session, console.account_id, user_id, UserRole.ADMINISTRATOR)
    done = console.sign_in.by_password("eve@team.example", PASSWORD, HERE)
    assert isinstance(done, SignedIn)
    own = console.with_token(done.token)
    for named in (user_id, "eve@team.example", "EVE@Team.example", "%20eve@team.example%20"):
        answer = own.post(f"{_people(console)}/{named}/disable")
        assert answer.status_code == 422
        assert "You cannot do this to yourself." in answer.text
    assert browser.get(f"{_people(console)}/{user_id}").status_code == 200


def test_an_operator_invites_another(console: Console) -> None:
    browser = console.as_role(UserRole.OPERATOR)
    shown = browser.post("/installation/people", {"login": "root@team.example", "name": "Root"})
    assert "/link/" in shown.text
    assert "root@team.example" in browser.get("/installation/people").text
