"""Two pairs of eyes in the console: proposed by one person, approved by another."""

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin import accounts, approvals
from gatehouse.admin.people import proposals
from tests.console.harness import Console
from tests.harness import make_account


@pytest.fixture
def account_id(console: Console) -> str:
    """An account that wants another person for corrections of its balance."""
    made = make_account(console.session, micros=50_000_000)
    approvals.set_wanted(console.session, made, ["adjustments"])
    return made


def _open(console: Console, account_id: str) -> str:
    """The path of a correction that an operator proposed."""
    operator = console.as_role(UserRole.OPERATOR)
    sent = {"amount": "-5", "reason": "a wrong top-up"}
    answer = operator.post(f"/a/{account_id}/money/adjust", sent)
    assert answer.headers["location"] == f"/a/{account_id}/proposals"
    [made] = proposals.listing(console.session, account_id)
    own = operator.post(f"/a/{account_id}/proposals/{made.proposal_id}/approve")
    assert own.status_code == 409
    return f"/a/{account_id}/proposals/{made.proposal_id}"


def _balance(console: Console, account_id: str) -> int:
    return accounts.get(console.session, account_id).state.balance


def test_a_correction_waits_for_another_person(console: Console, account_id: str) -> None:
    path = _open(console, account_id)
    assert _balance(console, account_id) == 50_000_000
    finance = console.as_role(UserRole.FINANCE, account_id)
    assert "a wrong top-up" in finance.get(f"/a/{account_id}/proposals").text
    assert finance.post(f"{path}/approve").status_code == 303
    assert _balance(console, account_id) == 45_000_000


def test_a_manager_does_not_decide_about_money(console: Console, account_id: str) -> None:
    path = _open(console, account_id)
    manager = console.as_role(UserRole.MANAGER, account_id)
    assert "Approve<" not in manager.get(f"/a/{account_id}/proposals").text
    assert manager.post(f"{path}/approve").status_code == 403
    assert _balance(console, account_id) == 50_000_000


def test_a_refused_proposal_changes_nothing_and_says_why(console: Console, account_id: str) -> None:
    path = _open(console, account_id)
    finance = console.as_role(UserRole.FINANCE, account_id)
    assert finance.post(f"{path}/refuse", {"reason": ""}).status_code == 422
    finance.post(f"{path}/refuse", {"reason": "the top-up was right"})
    assert "the top-up was right" in finance.get(f"/a/{account_id}/proposals").text
    assert finance.post(f"{path}/approve").status_code == 409
    assert _balance(console, account_id) == 50_000_000


def test_to_want_less_of_it_is_proposed_as_well(console: Console, account_id: str) -> None:
    admin = console.as_role(UserRole.ADMINISTRATOR, account_id)
    admin.post(f"/a/{account_id}/proposals/choose", {"kinds": ["adjustments", "rules"]})
    assert len(approvals.wanted(console.session, account_id)) == 2
    admin.post(f"/a/{account_id}/proposals/choose", {"kinds": ["rules"]})
    assert len(approvals.wanted(console.session, account_id)) == 2
    [made] = proposals.listing(console.session, account_id)
    other = console.as_role(UserRole.ADMINISTRATOR, account_id)
    other.post(f"/a/{account_id}/proposals/{made.proposal_id}/approve")
    assert approvals.wanted(console.session, account_id) == ("rules",)
