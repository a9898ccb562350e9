"""Above an amount that the installation sets, an operator's money needs a second operator."""

import dataclasses

import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import PERMISSIONS, UserRole
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.approvals.use_cases import proposals
from gatehouse.admin.approvals.use_cases.proposed import AdjustBalance, SetCreditLimit, TopUpBalance
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.people.use_cases import users
from gatehouse.core.errors import ApprovalNeeded, Conflict
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import make_account

FINANCE = PERMISSIONS[UserRole.FINANCE]


@pytest.fixture
def guarded(session: AdminSession) -> AdminSession:
    """An installation where one operator alone moves at most 500."""
    settings = dataclasses.replace(session.settings, second_operator_above=500_000_000)
    return dataclasses.replace(session, settings=settings, actor=Actor.operator("ada"))


def _balance(session: AdminSession, account_id: str) -> int:
    return accounts.get(session, account_id).state.balance


def test_up_to_the_amount_one_operator_is_enough(guarded: AdminSession) -> None:
    account = make_account(guarded)
    money.top_up(guarded, account, 500_000_000, "")
    money.adjust(guarded, account, -500_000_000, "a wrong top-up")
    assert _balance(guarded, account) == 0


def test_more_waits_for_another_operator_and_for_nobody_else(guarded: AdminSession) -> None:
    account = make_account(guarded)
    with pytest.raises(ApprovalNeeded, match=r"more than 500\.00 USD needs a second operator"):
        money.top_up(guarded, account, 500_000_001, "")
    made = proposals.propose(guarded, account, TopUpBalance(500_000_001))
    with pytest.raises(Conflict, match="cannot approve it"):
        proposals.approve(guarded, account, made.proposal_id)
    finance = guarded.acting_as(Actor.user("fred@shop.example", account, may=FINANCE))
    with pytest.raises(Conflict, match="approved by another operator"):
        proposals.approve(finance, account, made.proposal_id)
    assert _balance(guarded, account) == 0
    other = guarded.acting_as(Actor.operator("bob"))
    proposals.approve(other, account, made.proposal_id)
    assert _balance(guarded, account) == 500_000_001
    taken = proposals.propose(other, account, AdjustBalance(-500_000_001, "taken back"))
    proposals.approve(guarded, account, taken.proposal_id)
    assert _balance(guarded, account) == 0
    with pytest.raises(ApprovalNeeded):
        money.set_credit_limit(guarded, account, 500_000_001)
    money.set_credit_limit(guarded, account, 500_000_000)
    limit = proposals.propose(guarded, account, SetCreditLimit(10**12))
    proposals.approve(other, account, limit.proposal_id)
    assert money.verify_ledger(guarded).problems == []


def test_neither_an_opening_balance_nor_a_second_self_gets_around_it(
    guarded: AdminSession,
) -> None:
    before = len(accounts.listing(guarded))
    with pytest.raises(ApprovalNeeded):
        accounts.create(guarded, "Mine", "USD", 500_000_001)
    assert len(accounts.listing(guarded)) == before
    console = guarded.acting_as(
        Actor.user("ada@op.example", None, may=PERMISSIONS[UserRole.OPERATOR])
    )
    with pytest.raises(ApprovalNeeded, match="made at a terminal"):
        users.invite_operator(console, "second.self@op.example")
