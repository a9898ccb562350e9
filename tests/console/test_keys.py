"""Keys in the console: made, shown once, rotated and revoked."""

import re

import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import LONGEST_REASON, KeyShown, NewKey
from tests.console.harness import Browser, Console
from tests.console.wrong_numbers import WRONG_NUMBERS

_TEXT = re.compile(r"gh_sandbox_[A-Za-z0-9_-]{43}")


@pytest.fixture
def ada(console: Console) -> Browser:
    return console.as_role(UserRole.ADMINISTRATOR)


def _keys(console: Console) -> list[KeyShown]:
    return keys.list_keys(console.session, console.account_id).keys


def _path(console: Console, rest: str = "") -> str:
    return f"/a/{console.account_id}/keys{rest}"


def _made(console: Console, ada: Browser, **form: object) -> str:
    """The text of a new key, as the page shows it."""
    answer = ada.post(_path(console, "/new"), {"name": "checkout", "days": "never", **form})
    assert answer.status_code == 200, answer.text
    [text, *_] = _TEXT.findall(answer.text)
    return str(text)


def test_the_text_of_a_new_key_is_shown_once(console: Console, ada: Browser) -> None:
    text = _made(console, ada, scopes=["precheck", "manage:rules"], networks="203.0.113.0/24")
    page = ada.get(_path(console)).text
    assert text not in page
    assert "precheck, manage:rules" in page
    assert "203.0.113.0/24" in page


@pytest.mark.parametrize("rate", [*WRONG_NUMBERS, "0"])
def test_a_key_with_a_rate_out_of_bounds_is_not_made(
    console: Console, ada: Browser, rate: str
) -> None:
    before = len(_keys(console))
    sent = {"name": "checkout", "days": "never", "rate": rate}
    answer = ada.post(_path(console, "/new"), sent)
    assert answer.status_code == 422
    assert "rate-problem" in answer.text
    assert len(_keys(console)) == before


def test_a_key_with_a_wrong_network_is_not_made_and_the_form_keeps_what_was_typed(
    console: Console, ada: Browser
) -> None:
    before = len(_keys(console))
    answer = ada.post(
        _path(console, "/new"), {"name": "back office", "days": "never", "networks": "300.1.2.3"}
    )
    assert answer.status_code == 422
    assert 'value="back office"' in answer.text
    assert "300.1.2.3" in answer.text
    assert len(_keys(console)) == before


def test_a_rotated_key_has_a_successor_and_a_revoked_one_is_over(
    console: Console, ada: Browser
) -> None:
    _made(console, ada, name="nightly")
    [made] = [k for k in _keys(console) if k.name == "nightly"]
    rotated = ada.post(_path(console, f"/{made.key_id}/rotate"), {"overlap": "0"})
    assert _TEXT.search(rotated.text)
    alike = [k for k in _keys(console) if k.name == "nightly"]
    [successor] = [k for k in alike if k.status == "active"]
    done = ada.post(_path(console, f"/{successor.key_id}/revoke"), {"reason": "test"})
    assert done.status_code == 303
    [over] = [k for k in _keys(console) if k.key_id == successor.key_id]
    assert over.status == "revoked"


def test_a_reason_that_is_too_long_is_refused_and_not_cut(console: Console, ada: Browser) -> None:
    made = keys.issue(console.session, console.account_id, NewKey("weekly")).issued
    revoke = _path(console, f"/{made.key_id}/revoke")
    refused = ada.post(revoke, {"reason": "x" * (LONGEST_REASON + 1)})
    assert refused.status_code == 422
    assert f"at most {LONGEST_REASON} characters" in refused.text
    assert f'maxlength="{LONGEST_REASON}"' in refused.text

    def state() -> str:
        found = _keys(console)
        [kept] = [each for each in found if each.key_id == made.key_id]
        return kept.status

    assert state() == "active"
    assert ada.post(revoke, {"reason": "x" * LONGEST_REASON}).status_code == 303
    assert state() == "revoked"


def test_a_name_full_of_markup_stays_a_name(console: Console, ada: Browser) -> None:
    _made(console, ada, name="<script>alert(1)</script>")
    page = ada.get(_path(console)).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.parametrize("role", [UserRole.VIEWER, UserRole.MANAGER, UserRole.FINANCE])
def test_keys_are_for_administrators(console: Console, role: UserRole) -> None:
    browser = console.as_role(role)
    assert browser.get(_path(console)).status_code == 403
    assert browser.post(_path(console, "/new"), {"name": "x", "days": "never"}).status_code == 403
    assert f'{_path(console)}"' not in browser.get("/accounts").text


def test_the_keys_that_a_key_issued_are_revoked_with_it_if_that_is_chosen(
    console: Console, ada: Browser
) -> None:
    session, account_id = console.session, console.account_id
    parent = keys.issue(session, account_id, NewKey("back office", ["manage:keys"])).issued
    acting = session.acting_as(Actor.key(parent.key_id, account_id))
    child = keys.issue(acting, account_id, NewKey("till")).issued
    page = ada.get(_path(console)).text
    assert page.count('name="children"') == 1
    assert f"issued by {parent.key_id}" in page
    ada.post(_path(console, f"/{parent.key_id}/revoke"), {"reason": "test", "children": "yes"})
    over = {k.key_id for k in keys.list_keys(session, account_id).keys if k.revoked_at is not None}
    assert {parent.key_id, child.key_id} <= over
