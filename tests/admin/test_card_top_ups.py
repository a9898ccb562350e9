"""Top-ups by card on the page of a real host: added once, exactly, or not at all."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.invoices.use_cases import parties
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.top_ups.queries import top_ups as queries
from gatehouse.admin.top_ups.tables import TOP_UPS
from gatehouse.admin.top_ups.types import MOST_OPEN, TopUpState, TopUpWanted
from gatehouse.admin.top_ups.use_cases import top_ups
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.card_shop import HOUR_MS, REFUSED_CARD, UNIT, Shop
from tests.admin.invoices.test_closing import SELLER, STANDARD
from tests.connectors.reference_host.hosts import TOKEN, HostThread, host_thread
from tests.harness import make_account


@pytest.fixture(scope="module")
def host() -> Iterator[HostThread]:
    with host_thread() as running:
        yield running


@pytest.fixture
def shop(session: AdminSession, host: HostThread, tmp_path: Path) -> Shop:
    token = tmp_path / "token"
    token.write_text(TOKEN)
    return Shop(session, host, token)


def test_what_is_paid_is_added_once_however_many_servers_ask(shop: Shop) -> None:
    made = shop.ask(5000)
    assert (made.state, made.tax_minor) == (TopUpState.OPEN, 0)
    shop.later()
    assert shop.balance == 0
    assert "paid" in shop.pay(made)
    shop.later(servers=4)
    shop.later()
    found = shop.now(made)
    assert (found.state, found.url) == (TopUpState.PAID, None)
    assert shop.balance == 50 * UNIT
    [line] = money.ledger_page(shop.session, shop.account, money.LedgerSearch(10)).lines
    assert (line.payment_reference, line.entry.detail) == (
        made.top_up_id,
        "by card, through cards",
    )
    assert shop.told() == ["balance.topped_up"]
    assert money.verify_ledger(shop.session).problems == []


def test_two_answers_at_once_add_it_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that ended too early, or a server that stood still, lets two servers hear of it."""
    made = shop.ask()
    shop.pay(made)
    real = queries.claim

    def claims_nothing(*args: object) -> object:
        found = real(*args)  # type: ignore[arg-type]
        with_row = args[0]
        for each in found:
            with_row.execute(  # type: ignore[attr-defined]
                TOP_UPS.update().values(next_at_ms=shop.now_ms).where(TOP_UPS.c.id == each.id)
            )
        return found

    monkeypatch.setattr(queries, "claim", claims_nothing)
    shop.later(servers=4)
    assert (shop.now(made).state, shop.balance) == (TopUpState.PAID, 50 * UNIT)
    assert money.verify_ledger(shop.session).problems == []


def test_the_tax_of_the_account_is_paid_and_not_added(shop: Shop) -> None:
    parties.set_seller(shop.session, SELLER)
    parties.set_billing_details(shop.session, shop.account, STANDARD)
    made = shop.ask(5000)
    assert made.tax_minor == 950
    assert "5950 of the smallest unit of USD" in shop.pay(made)
    shop.later()
    assert shop.balance == 50 * UNIT


def test_another_amount_than_was_asked_for_is_never_added(shop: Shop, host: HostThread) -> None:
    made = shop.ask()
    shop.pay(made)
    with host.misbehaving("wrong-amount"):
        shop.later()
    found = shop.now(made)
    assert (found.state, found.reason, shop.balance) == (TopUpState.IN_DOUBT, "other_amount", 0)
    shop.later()
    assert (shop.balance, shop.told()) == (0, ["balance.top_up_ended"])


def test_a_refused_page_ends_and_a_declined_card_does_not(shop: Shop) -> None:
    made = shop.ask()
    assert "declined" in shop.pay(made, REFUSED_CARD)
    shop.later()
    assert shop.now(made).state is TopUpState.OPEN
    shop.pay(made, do="refuse")
    shop.later()
    assert (shop.now(made).state, shop.balance) == (TopUpState.REFUSED, 0)
    assert shop.told() == ["balance.top_up_ended"]


def test_a_page_that_nobody_pays_expires_and_makes_room(shop: Shop) -> None:
    made = [shop.ask() for _ in range(MOST_OPEN)]
    with pytest.raises(Conflict, match="10 top-ups are open already"):
        top_ups.ask(shop.session, shop.account, TopUpWanted(100))
    # The host goes by its own clock and says that they are open; that is believed for a day.
    shop.later(25 * HOUR_MS)
    assert shop.now(made[0]).state is TopUpState.OPEN
    shop.later(25 * HOUR_MS)
    assert {shop.now(each).state for each in made} == {TopUpState.EXPIRED}
    assert shop.ask().state is TopUpState.OPEN


@pytest.mark.parametrize("fate", ["reset", "garbage", "error", "half"])
def test_a_host_that_fails_is_asked_again(shop: Shop, host: HostThread, fate: str) -> None:
    made = shop.ask()
    shop.pay(made)
    with host.misbehaving(fate):
        shop.later()
    assert (shop.now(made).state, shop.balance) == (TopUpState.OPEN, 0)
    shop.later()
    assert (shop.now(made).state, shop.balance) == (TopUpState.PAID, 50 * UNIT)


def test_what_was_paid_for_a_closed_account_is_left_to_a_person(shop: Shop) -> None:
    made = shop.ask()
    accounts.close(shop.session, shop.account, "contract ended")
    shop.pay(made)
    shop.later()
    found = shop.now(made)
    assert (found.state, found.reason, shop.balance) == (TopUpState.IN_DOUBT, "not_added", 0)


def test_a_page_is_for_no_more_than_the_balance_can_hold(shop: Shop) -> None:
    money.top_up(shop.session, shop.account, 999_999_950 * UNIT, "bank")
    with pytest.raises(InvalidInput, match="a balance is at most 1000000000 USD"):
        shop.ask(5001)
    made = shop.ask(5000)
    shop.pay(made)
    shop.later()
    assert shop.now(made).state is TopUpState.PAID


def test_a_top_up_belongs_to_its_account_and_needs_a_connector_that_shows_pages(
    shop: Shop,
) -> None:
    made = shop.ask()
    other = make_account(shop.session)
    with pytest.raises(NotFound):
        top_ups.get_top_up(shop.session, other, made.top_up_id)
    unset = dataclasses.replace(shop.session.settings, top_up_connector="")
    nobody = dataclasses.replace(shop.session, settings=unset)
    with pytest.raises(Conflict, match="takes no top-ups by card"):
        top_ups.ask(nobody, shop.account, TopUpWanted(100))
