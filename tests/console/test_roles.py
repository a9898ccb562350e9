"""The console's pages of roles, and what people with own roles find there."""

import re

from gatehouse.access.roles import ComposedRole, Permission, UserRole
from gatehouse.admin.people.types import RoleContent
from gatehouse.admin.people.use_cases import roles
from tests.console.harness import Browser, Console

HOSTILE = '<script>alert("role")</script>'


def _holding(console: Console, *permissions: Permission) -> Browser:
    made = ComposedRole(role_id="role_x", name="Own", permissions=frozenset(permissions), version=1)
    here = console.account_id
    return console.as_person({here: "role_x"}, composed={here: made})


def test_a_role_is_made_changed_given_and_deleted(console: Console) -> None:
    browser, path = console.as_role(UserRole.ADMINISTRATOR), f"/a/{console.account_id}/roles"
    form = browser.get(f"{path}/new").text
    assert form.count('class="badge warn"') == 5
    sent = {"name": HOSTILE, "permissions": ["review", "block"]}
    assert browser.post(f"{path}/new", sent).headers["location"] == path
    listed = browser.get(path).text
    assert HOSTILE not in listed
    assert "&lt;script&gt;" in listed
    [role] = re.findall(rf'href="{path}/(role_[a-z0-9]+)"', listed)
    people = browser.get(f"/a/{console.account_id}/people").text
    assert f'<option value="{role}"' in people
    change = {"name": "Plain", "permissions": ["reveal"], "version": "1"}
    assert browser.post(f"{path}/{role}", change).headers["location"] == path
    again = browser.post(f"{path}/{role}", {**change, "name": "Late"})
    assert again.status_code == 409
    assert "version 2" in again.text
    assert 'value="Late"' in again.text
    assert browser.post(f"{path}/{role}", {"name": "Blind"}).status_code == 409
    invited = {"login": "own@team.example", "name": "Own", "role": role}
    assert "/link/" in browser.post(f"/a/{console.account_id}/people", invited).text
    assert "<bdi>Plain</bdi>" in browser.get(f"/a/{console.account_id}/people").text
    assert "cannot be deleted" in browser.get(f"{path}/{role}").text
    assert browser.post(f"{path}/{role}/delete", {"version": "2"}).status_code == 409


def test_own_roles_open_what_they_allow(console: Console) -> None:
    night, here = _holding(console, Permission.SEE, Permission.REVIEW), f"/a/{console.account_id}"
    shown = night.get(f"{here}/reviews")
    assert shown.status_code == 200
    assert "<bdi>Own</bdi>" in shown.text
    for page in ("people", "roles", "keys", "money", "audit", "rules/new"):
        assert night.get(f"{here}/{page}").status_code == 403, page
    assert night.get(f"/a/{console.other_id}/reviews").status_code == 404
    people = _holding(console, Permission.SEE, Permission.PEOPLE)
    form = people.get(f"{here}/roles/new").text
    assert re.search(r'value="see_money"[^>]* disabled', form)
    forced = people.post(f"{here}/roles/new", {"name": "Rich", "permissions": ["see_money"]})
    assert forced.status_code == 409
    assert "do not have yourself" in forced.text
    given = RoleContent("Elsewhere", [])
    other = roles.make_role(console.session, console.other_id, given).answer.role_id
    assert people.get(f"{here}/roles/{other}").status_code == 404
    german = _german(console)
    assert "Neue Rolle" in german.get(f"{here}/roles").text


def _german(console: Console) -> Browser:
    return console.as_role(UserRole.ADMINISTRATOR, locale="de")
