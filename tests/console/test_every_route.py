"""Every page and action with every role, in another account, and without its token.

What belongs to another account is asked for under one's own in `test_foreign_ids.py`.

What an operator may do with an empty form is done: each test that lets them has an account of its
own.
"""

import pytest

from gatehouse.access.roles import EVERYWHERE, UserRole
from gatehouse.console.pages import Action, Declared, Reach
from gatehouse.console.routes import DECLARED
from tests.console.harness import Browser, Console
from tests.harness import make_account

CLOSED = [each for each in DECLARED if each.reach is not Reach.PUBLIC]
OF_ACCOUNTS = [each for each in CLOSED if each.reach is Reach.ACCOUNT]
FORMS = [each for each in CLOSED if isinstance(each, Action)]


@pytest.fixture
def account_id(console: Console) -> str:
    return make_account(console.session)


def _path(declared: Declared, account_id: str) -> str:
    """The path of a page about something that does not exist."""
    parts = declared.path.replace("{account}", account_id).split("/")
    return "/".join("nothing" if part.startswith("{") else part for part in parts)


def _ask(browser: Browser, declared: Declared, account_id: str) -> int:
    path = _path(declared, account_id)
    answer = browser.post(path) if isinstance(declared, Action) else browser.get(path)
    is_led_away = answer.headers.get("location", "").startswith("/sign-in")
    return 401 if is_led_away and browser.visitor is None else answer.status_code


@pytest.mark.parametrize("declared", CLOSED, ids=lambda each: each.name)
def test_each_role_reaches_what_it_may_and_nothing_else(
    console: Console, declared: Declared, account_id: str
) -> None:
    assert _ask(console.stranger(), declared, account_id) == 401
    for role in UserRole:
        browser = console.as_role(role, account_id)
        assert browser.visitor is not None
        may = declared.is_for(browser.visitor.permissions_in(account_id))
        status = _ask(browser, declared, account_id)
        assert (status == 403) is not may, role
        assert status < 500, role


@pytest.mark.parametrize("declared", OF_ACCOUNTS, ids=lambda each: each.name)
def test_another_account_does_not_exist_for_anybody_but_operators(
    console: Console, declared: Declared
) -> None:
    # Those who may least and most in their own account, and those who have none.
    for role in (UserRole.VIEWER, UserRole.ADMINISTRATOR, *EVERYWHERE):
        browser = console.as_role(role)
        # An account that nobody has is none that they are in; only operators could be in it.
        account_id = "acct_nowhere" if role in EVERYWHERE else console.other_id
        assert _ask(browser, declared, account_id) == 404, role


@pytest.mark.parametrize("declared", FORMS, ids=lambda each: each.name)
def test_no_form_counts_without_the_token_of_its_session(
    console: Console, declared: Action
) -> None:
    browser, other = (console.as_role(UserRole.OPERATOR) for _ in range(2))
    assert other.visitor is not None
    for token in ("", "wrong", other.visitor.csrf_token):
        answer = browser.post(_path(declared, console.account_id), {"csrf": token})
        assert answer.status_code == 403
        assert "This form is out of date" in answer.text
