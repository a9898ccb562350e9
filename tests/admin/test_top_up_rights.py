"""Who may have cards charged, who has to agree, and how much cards are charged in a day."""

import dataclasses
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.approvals.use_cases.proposed import (
    ProposedChange,
    SetAutoTopUp,
    SetTopUpLimit,
    StoreCard,
)
from gatehouse.admin.invoices.use_cases import parties
from gatehouse.admin.payments.types import OperationAmount, OperationFinding
from gatehouse.admin.payments.use_cases import operating
from gatehouse.admin.top_ups.types import (
    AutoTopUpReason,
    AutoTopUpWanted,
    TopUpKind,
    TopUpLimit,
    TopUpState,
    TopUpWanted,
)
from gatehouse.admin.top_ups.use_cases import auto_top_ups, limits, top_ups
from gatehouse.core.errors import ApprovalNeeded, Conflict, RightMissing
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.invoices.test_closing import SELLER, STANDARD
from tests.admin.test_auto_top_ups import AutoShop
from tests.connectors.reference_host.hosts import TOKEN, HostThread, host_thread

SEES = frozenset({Permission.SEE, Permission.SEE_MONEY})
MOVES = SEES | {Permission.PAYMENTS, Permission.APPROVE}
AUTOMATIC = AutoTopUpWanted(True, 100_000, 4000, 12_000)
MOVING: dict[str, Callable[[AdminSession, str], object]] = {
    "turning them on": lambda s, a: auto_top_ups.set_auto_top_up(s, a, AUTOMATIC),
    "deleting the card": auto_top_ups.delete_stored_card,
    "storing a card": lambda s, a: top_ups.ask(s, a, TopUpWanted(100, store_card=True)),
    "the limit": lambda s, a: limits.set_top_up_limit(s, a, TopUpLimit(1)),
    "proposing": lambda s, a: proposals.propose(s, a, SetAutoTopUp(AUTOMATIC)),
    "a capture": lambda s, a: operating.capture_payment(s, a, "req_1", OperationAmount()),
    "a refund": lambda s, a: operating.refund_payment(s, a, "req_1", OperationAmount()),
    "a void": lambda s, a: operating.void_payment(s, a, "req_1"),
    "settling": lambda s, a: operating.settle_operation(
        s, a, "req_1", "op_1", OperationFinding(True)
    ),
}


@pytest.fixture(scope="module")
def host() -> Iterator[HostThread]:
    with host_thread() as running:
        yield running


@pytest.fixture
def shop(session: AdminSession, host: HostThread, tmp_path: Path) -> AutoShop:
    """At noon, its card stored by a top-up of 50.00 on the day before."""
    token = tmp_path / "token"
    token.write_text(TOKEN)
    made = AutoShop(session, host, token)
    made.goes_to(datetime(2031, 3, 9, 12, tzinfo=UTC))
    assert made.stores().state is TopUpState.PAID
    made.goes_to(datetime(2031, 3, 10, 12, tzinfo=UTC))
    return made


def _people(shop: AutoShop) -> tuple[AdminSession, AdminSession]:
    """Ada and Bob of an account that wants two people for top-ups."""
    ada, bob = (
        shop.session.acting_as(Actor.user(f"{name}@shop.example", shop.account, may=MOVES))
        for name in ("ada", "bob")
    )
    approvals.set_wanted(ada, shop.account, ["top-ups"])
    return ada, bob


def _limits(shop: AutoShop, minor: int) -> None:
    limits.set_top_up_limit(shop.session, shop.account, TopUpLimit(minor))


@pytest.mark.parametrize("how", MOVING)
def test_who_only_looks_at_money_moves_none(shop: AutoShop, how: str) -> None:
    looking = Actor.user("eve@shop.example", shop.account, may=SEES)
    key = Actor.key("key_1", shop.account, scopes=("manage:billing",))
    for actor in (looking, key):
        with pytest.raises(RightMissing, match=r"payments"):
            MOVING[how](shop.session.acting_as(actor), shop.account)
    assert shop.auto.card_stored_at is not None
    moving = Actor.key("key_2", shop.account, scopes=("manage:billing", "manage:payments"))
    # A page on which a person types a card of their own charges nobody by itself.
    for actor in (looking, moving):
        top_ups.ask(shop.session.acting_as(actor), shop.account, TopUpWanted(100))
    # Under a limit it takes room from automatic top-ups, which could so be kept from ever charging.
    _limits(shop, 10_000)
    with pytest.raises(RightMissing, match=r"payments"):
        top_ups.ask(shop.session.acting_as(looking), shop.account, TopUpWanted(100))
    top_ups.ask(shop.session.acting_as(moving), shop.account, TopUpWanted(100))


@pytest.mark.parametrize("how", ["turning them on", "deleting the card", "the limit"])
def test_who_may_not_see_money_has_no_card_charged_either(shop: AutoShop, how: str) -> None:
    blind = Actor.key("key_1", shop.account, scopes=("manage:payments",))
    with pytest.raises(RightMissing, match="billing"):
        MOVING[how](shop.session.acting_as(blind), shop.account)
    assert (shop.auto.enabled, shop.auto.card_stored_at is None) == (False, False)


def test_two_people_agree_on_what_charges_more_and_one_on_what_charges_less(
    shop: AutoShop,
) -> None:
    ada, bob = _people(shop)
    _limits(shop, 20_000)
    more: list[tuple[ProposedChange, Callable[[], object]]] = [
        (SetAutoTopUp(AUTOMATIC), lambda: _automatic(ada, shop)),
        (SetAutoTopUp(_raised(floor_minor=100_001)), lambda: _automatic(ada, shop, 1)),
        (SetAutoTopUp(_raised(amount_minor=4001)), lambda: _automatic(ada, shop, 0, 1)),
        (SetAutoTopUp(_raised(monthly_limit_minor=12_001)), lambda: _automatic(ada, shop, 0, 0, 1)),
        (StoreCard(100), lambda: top_ups.ask(ada, shop.account, TopUpWanted(100, True))),
        (
            SetTopUpLimit(20_001),
            lambda: limits.set_top_up_limit(ada, shop.account, TopUpLimit(20_001)),
        ),
    ]
    for content, alone in more:
        with pytest.raises(ApprovalNeeded, match="two pairs of eyes for top-ups"):
            alone()
        made = proposals.propose(ada, shop.account, content)
        with pytest.raises(Conflict, match="who proposed"):
            proposals.approve(ada, shop.account, made.proposal_id)
        assert proposals.approve(bob, shop.account, made.proposal_id).proposal.state == "approved"
    found = shop.auto
    assert (found.enabled, found.floor_minor) == (True, 100_000)
    [stored, *_] = top_ups.list_top_ups(shop.session, shop.account).top_ups
    both = "user:bob@shop.example approving user:ada@shop.example"
    assert (stored.kind, stored.by) == (TopUpKind.STORING, both)
    assert limits.get_top_up_limit(shop.session, shop.account).day_limit_minor == 20_001
    limits.set_top_up_limit(ada, shop.account, TopUpLimit(0))
    auto_top_ups.set_auto_top_up(ada, shop.account, _raised(floor_minor=1, amount_minor=1))
    auto_top_ups.delete_stored_card(ada, shop.account)
    top_ups.list_top_ups(ada, shop.account)


def _raised(**values: int) -> AutoTopUpWanted:
    return AutoTopUpWanted(
        True,
        values.get("floor_minor", 100_000),
        values.get("amount_minor", 4000),
        values.get("monthly_limit_minor", 12_000),
    )


def _automatic(session: AdminSession, shop: AutoShop, *more: int) -> object:
    floor, amount, monthly = (*more, 0, 0, 0)[:3]
    given = AutoTopUpWanted(True, 100_000 + floor, 4000 + amount, 12_000 + monthly)
    return auto_top_ups.set_auto_top_up(session, shop.account, given)


def test_what_could_not_be_done_is_not_proposed_and_trying_it_leaves_nothing(
    shop: AutoShop,
) -> None:
    ada, _ = _people(shop)
    proposals.propose(ada, shop.account, SetAutoTopUp(AUTOMATIC))
    assert (shop.auto.enabled, shop.auto.floor_minor) == (False, None)
    auto_top_ups.delete_stored_card(ada, shop.account)
    with pytest.raises(Conflict, match="no card is stored"):
        proposals.propose(ada, shop.account, SetAutoTopUp(AUTOMATIC))


def test_the_limit_of_a_day_holds_for_every_kind_together_with_tax(shop: AutoShop) -> None:
    parties.set_seller(shop.session, SELLER)
    parties.set_billing_details(shop.session, shop.account, STANDARD)
    _limits(shop, 3 * 5950)
    page = shop.ask(5000)
    paid = shop.ask(5000)
    shop.pay(paid)
    shop.later(60_000)
    assert shop.now(paid).state is TopUpState.PAID
    # A page that may still be paid counts, what was paid yesterday does not.
    shown = limits.get_top_up_limit(shop.session, shop.account)
    assert (shown.charged_minor, shown.left_minor) == (2 * 5950, 5950)
    assert str(shown.until) == "2031-03-11T00:00:00.000Z"
    said = r"at most 178.50 USD in a day.* 59.50 USD is left until 2031-03-11T00:00"
    with pytest.raises(Conflict, match=said):
        shop.ask(5001)
    shop.sets(floor=100_000, amount=5000)
    for _ in range(3):
        shop.later(1000)
    assert [each.state for each in shop.automatic()] == [TopUpState.PAID]
    assert (shop.auto.reason, shop.auto.enabled) == (AutoTopUpReason.DAILY_LIMIT, True)
    assert str(shop.auto.paused_until) == "2031-03-11T00:00:00.000Z"
    assert shop.told()[-1] == "balance.auto_top_up_paused"
    # On the next day the open page may still be paid, so it counts there.
    shop.goes_to(datetime(2031, 3, 11, 0, 0, 1, tzinfo=UTC))
    for _ in range(3):
        shop.later(1000)
    assert len(shop.automatic()) == 3
    shop.pay(page)
    shop.later(60_000)
    assert shop.now(page).state is TopUpState.PAID
    shown = limits.get_top_up_limit(shop.session, shop.account)
    assert (shown.charged_minor, shown.left_minor) == (3 * 5950, 0)


def test_a_higher_limit_lets_automatic_top_ups_go_on_and_a_key_only_lowers_it(
    shop: AutoShop,
) -> None:
    _limits(shop, 4000)
    shop.sets(floor=100_000, amount=4000)
    for _ in range(2):
        shop.later(1000)
    assert (len(shop.automatic()), str(shop.auto.reason)) == (1, "daily_limit")
    key = shop.session.acting_as(Actor.key("key_1", shop.account))
    with pytest.raises(Conflict, match="a person raises it"):
        limits.set_top_up_limit(key, shop.account, TopUpLimit(8000))
    _limits(shop, 8000)
    shop.later(1000)
    assert len(shop.automatic()) == 2
    limits.set_top_up_limit(key, shop.account, TopUpLimit(0))
    with pytest.raises(Conflict, match=r"at most 0.00 USD"):
        shop.ask(1)


def test_the_limit_holds_however_many_ask_at_once_at_two_servers(shop: AutoShop) -> None:
    _limits(shop, 5000)
    others = dataclasses.replace(shop.session)

    def ask(number: int) -> bool:
        session = (shop.session, others)[number % 2]
        try:
            top_ups.ask(session, shop.account, TopUpWanted(1000))
        except Conflict as refused:
            assert "in a day" in str(refused)
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(16))) == 5
