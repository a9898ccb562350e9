"""docs/inspecting.md tells the limits and the permissions that the code has."""

from gatehouse.access.roles import PERMISSIONS, Permission, UserRole
from gatehouse.admin.decisions.pages import decision
from gatehouse.admin.decisions.use_cases.habits import MOST_EARLIER
from gatehouse.admin.entities.pages import entities
from gatehouse.admin.entities.use_cases import counting, neighbours, profile
from tests.docs.pages import ROOT

_PAGE = (ROOT / "docs/inspecting.md").read_text()


def test_the_limits_are_those_of_the_code() -> None:
    for what, limit in (
        ("earlier decisions that say what is normal", MOST_EARLIER),
        ("decisions counted for each entity of a decision", counting.MOST_COUNTED),
        ("decisions that an entity's counts and reputation are made of", profile.MOST_COUNTED),
        ("neighbours that are shown", neighbours.MOST_NEIGHBOURS),
        ("decisions on a page of an entity", profile.PAGE),
    ):
        assert f"| {what} | {limit:,} |" in _PAGE


def test_the_permissions_are_those_of_the_code() -> None:
    wanted = {each.name: each.permission for each in (*decision.PAGES, *entities.PAGES)}
    assert wanted["decision-reveal"] is wanted["entity-reveal"] is Permission.REVEAL
    assert wanted["decision-label"] is wanted["decision-review"] is Permission.REVIEW
    assert wanted["decision-list"] is wanted["entity-list"] is Permission.BLOCK
    analysts = {UserRole.ANALYST, UserRole.MANAGER, UserRole.ADMINISTRATOR, UserRole.OPERATOR}
    managers = analysts - {UserRole.ANALYST}
    for permission, roles in (
        (Permission.REVEAL, analysts),
        (Permission.REVIEW, analysts),
        (Permission.BLOCK, analysts),
        (Permission.CONFIGURE, managers),
    ):
        assert {role for role in UserRole if permission in PERMISSIONS[role]} == roles
