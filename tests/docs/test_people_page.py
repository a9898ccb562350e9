"""docs/people.md is run as an operator would run it, and its figures are those of the code."""

import re
from pathlib import Path

from gatehouse.access.roles import UserRole
from gatehouse.admin.approvals.use_cases.approvals import CHOICES
from gatehouse.admin.approvals.use_cases.proposals import LIFETIME_MS
from gatehouse.admin.sign_in.use_cases.links import LIFETIMES_MS, LinkKind
from gatehouse.admin.sign_in.use_cases.oidc import CALLBACK
from gatehouse.admin.sign_in.use_cases.passwords import LEAST_LENGTH
from gatehouse.settings.settings import Settings
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/people.md").read_text()
_DAY_MS = 86_400_000


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) == 14
    check_steps(walk, *checkout_at, with_errors=True)


def test_roles_and_figures_are_those_of_the_code() -> None:
    told = [line.split("|")[1] for line in _PAGE.splitlines() if line.startswith("| `")]
    roles = [role for role in UserRole if role is not UserRole.OPERATOR]
    named = re.findall("`(.+?)`", "".join(told))
    assert named[: len(roles)] == roles
    assert sorted(named[len(roles) :]) == sorted(CHOICES)
    assert LEAST_LENGTH == 12
    assert LIFETIMES_MS[LinkKind.INVITATION] == LIFETIME_MS == 7 * _DAY_MS
    assert LIFETIMES_MS[LinkKind.RESET] == _DAY_MS
    assert (Settings().session_idle_min, Settings().session_hours) == (30, 12)
    assert f"https://console.example.com{CALLBACK}`" in _PAGE
    assert all(f"`{kind}`" in _PAGE for kind in CHOICES)
